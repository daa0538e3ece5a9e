import { rmSync, writeFileSync } from 'node:fs';
import { beforeEach, expect, test } from 'vitest';
import { openSettings } from '../../src/main/settings.ts';
import { DEFAULT_SETTINGS, type Settings } from '../../src/shared/settings.ts';
import { makeHome } from '../harness/app/folders.ts';
import { TestNative } from './native.ts';

let dataDir: string;
beforeEach(() => void (dataDir = makeHome()));

async function openTestSettings(native = new TestNative()) {
  const emitted: Settings[] = [];
  const { handlers, value } = await openSettings({ native, dataDir, onChange: (one) => void emitted.push(one) });
  return { value, change: handlers.changeSettings, native, emitted };
}

test('a changed setting is applied, emitted, and stored for the next start', async () => {
  const { change, native, emitted, value } = await openTestSettings();
  expect(value()).toEqual(DEFAULT_SETTINGS);
  const changedSettings = await change({ theme: 'dark', keepVersions: 7 });
  expect(changedSettings).toEqual({ ...DEFAULT_SETTINGS, theme: 'dark', keepVersions: 7 });
  expect(emitted).toEqual([changedSettings]);
  expect(native.themes).toEqual(['system', 'dark']);
  const reopenedSettings = await openTestSettings();
  expect(reopenedSettings.value()).toEqual(changedSettings);
  expect(reopenedSettings.native.themes).toEqual(['dark']);
});

test('several changes of settings at the same time are all stored', async () => {
  const { change, value } = await openTestSettings();
  await Promise.all([change({ theme: 'dark' }), change({ copyLinks: false }), change({ keepVersions: 9 })]);
  expect(value()).toMatchObject({ theme: 'dark', copyLinks: false, keepVersions: 9 });
});

test('the system stores whether the app starts at login, and its value overrides the stored setting', async () => {
  const { change, native, value } = await openTestSettings();
  await change({ openAtLogin: true });
  expect(native.openAtLogin).toBe(true);
  native.openAtLogin = false;
  expect(value().openAtLogin).toBe(true);
  expect((await openTestSettings(native)).value().openAtLogin).toBe(false);
});

test('a change of the start at login is refused with a reason if the system does not apply it', async () => {
  const { change, native, emitted, value } = await openTestSettings();
  native.broken.loginItem = new Error('not permitted');
  await expect(change({ openAtLogin: true, theme: 'dark' })).rejects.toMatchObject({
    kind: 'refused',
    message: 'The system refused to start the app when you log in.',
  });
  delete native.broken.loginItem;
  native.loginItem.set = async () => {};
  await expect(change({ openAtLogin: true, theme: 'dark' })).rejects.toMatchObject({ kind: 'refused' });
  expect(value()).toEqual(DEFAULT_SETTINGS);
  expect(native.themes).toEqual(['system']);
  expect(emitted).toEqual([]);
  expect((await change({ keepVersions: 3 })).keepVersions).toBe(3);
});

test('the app does not call a system that cannot start it at login', async () => {
  const { change, native } = await openTestSettings(new TestNative('system', false));
  await expect(change({ openAtLogin: true })).rejects.toThrow('cannot start the app');
  expect(native.openAtLogin).toBe(false);
});

test('no setting changes if the settings cannot be written', async () => {
  const { change, native, value } = await openTestSettings();
  rmSync(dataDir, { recursive: true });
  writeFileSync(dataDir, 'a file in the place of the folder');
  await expect(change({ openAtLogin: true, theme: 'dark' })).rejects.toThrow('cannot be saved');
  expect(value()).toEqual(DEFAULT_SETTINGS);
  expect([native.openAtLogin, native.themes]).toEqual([false, ['system']]);
});
