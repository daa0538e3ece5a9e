import { EventEmitter } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createUpdates, type Updater } from '../../src/main/shell/electron-updater.ts';
import { NO_UPDATES } from '../../src/main/shell/updates.ts';
import type { Update } from '../../src/shared/settings.ts';
import { testFolder } from './started-app.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] }));
afterEach(() => void vi.useRealTimers());

class FakeUpdater extends EventEmitter {
  autoDownload = false;
  autoInstallOnAppQuit = false;
  logger: unknown = console;
  looks = 0;
  installs = 0;
  fails = false;

  checkForUpdates = async () => {
    this.looks += 1;
    if (this.fails) throw new Error('There is no network');
    return null;
  };
  quitAndInstall = () => void (this.installs += 1);
}

/** The resources of a package that says whom to ask. */
function resources(): string {
  const folder = testFolder();
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'app-update.yml'), 'provider: generic');
  return folder;
}

async function started() {
  const updater = new FakeUpdater();
  const told: Update[] = [];
  const updates = createUpdates({ isPackaged: true }, resources(), async () => updater as unknown as Updater);
  updates.start((update) => told.push(update));
  await vi.waitFor(() => expect(updater.looks).toBe(1));
  return { updater, updates, told };
}

it('is off without an address to ask, and in a start from the sources: nothing is even loaded', () => {
  const load = () => Promise.reject(new Error('loaded'));
  expect(createUpdates({ isPackaged: true }, testFolder(), load)).toBe(NO_UPDATES);
  expect(createUpdates({ isPackaged: false }, resources(), load)).toBe(NO_UPDATES);
});

it('looks at the start and every six hours, and downloads by itself', async () => {
  const { updater } = await started();
  expect(updater).toMatchObject({ autoDownload: true, autoInstallOnAppQuit: true, logger: null });
  vi.advanceTimersByTime(6 * 60 * 60 * 1_000);
  expect(updater.looks).toBe(2);
  vi.advanceTimersByTime(12 * 60 * 60 * 1_000);
  expect(updater.looks).toBe(4);
});

it('does not ask for a password at the end of a day: a package of the system waits for who restarts', async () => {
  const folder = resources();
  writeFileSync(join(folder, 'package-type'), 'deb');
  const updater = new FakeUpdater();
  createUpdates({ isPackaged: true }, folder, async () => updater as unknown as Updater).start(() => {});
  await vi.waitFor(() => expect(updater.looks).toBe(1));
  expect(updater.autoInstallOnAppQuit).toBe(false);
});

it('tells how far it is, and restarts when it is asked to', async () => {
  const { updater, updates, told } = await started();
  updater.emit('update-available', { version: '2.0.0' });
  updater.emit('download-progress', { percent: 41.5 });
  updater.emit('download-progress', { percent: 100.01 });
  updater.emit('update-downloaded', { version: '2.0.0' });
  expect(told).toStrictEqual([
    { is: 'downloading', version: '2.0.0', percent: 0 },
    { is: 'downloading', version: '2.0.0', percent: 41.5 },
    { is: 'downloading', version: '2.0.0', percent: 100 },
    { is: 'ready', version: '2.0.0' },
  ]);
  expect(updater.installs).toBe(0);
  updates.restart();
  expect(updater.installs).toBe(1);
});

it('is quiet about errors, tries again, and does not forget what is downloaded', async () => {
  const { updater, told } = await started();
  updater.fails = true;
  vi.advanceTimersByTime(6 * 60 * 60 * 1_000);
  updater.emit('update-available', { version: '2.0.0' });
  updater.emit('error', new Error('The line broke'));
  expect(told.at(-1)).toStrictEqual({ is: 'none' });
  updater.emit('update-downloaded', { version: '2.0.0' });
  updater.emit('error', new Error('The line broke'));
  expect(told.at(-1)).toStrictEqual({ is: 'ready', version: '2.0.0' });
});

it('has none when it cannot be loaded', async () => {
  const told: Update[] = [];
  const updates = createUpdates({ isPackaged: true }, resources(), () => Promise.reject(new Error('not in Electron')));
  updates.start((update) => told.push(update));
  await vi.waitFor(() => expect(told).toStrictEqual([{ is: 'none' }]));
  updates.restart();
});
