import { EventEmitter } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createUpdates, NO_UPDATES, type Updater } from '../../src/main/shell/updates.ts';
import type { Update } from '../../src/shared/settings.ts';
import { makeHome } from '../harness/app/folders.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] }));
afterEach(() => void vi.useRealTimers());

class FakeUpdater extends EventEmitter {
  autoDownload = false;
  autoInstallOnAppQuit = false;
  logger: unknown = console;
  checks = 0;
  installs = 0;
  fails = false;
  found: { downloadPromise: Promise<never> } | null = null;

  checkForUpdates = async (): Promise<unknown> => {
    this.checks += 1;
    if (this.fails) throw new Error('There is no network');
    return this.found;
  };
  quitAndInstall = () => {
    this.installs += 1;
    if (this.fails) this.emit('error', new Error('No password was given'));
  };
}

/** The calls to the app. */
function testApp(isPackaged = true) {
  const calls: unknown[] = [];
  return {
    asked: calls,
    isPackaged,
    relaunch: (options: unknown) => void calls.push(['relaunch', options]),
    quit: () => void calls.push('quit'),
  };
}

const optionsOf = (resources: string, app = testApp()) => ({ app, resources, program: '/opt/Berth/berth' });

/** The resources of a package with an update feed. */
function resources(): string {
  const folder = makeHome();
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'app-update.yml'), 'provider: generic');
  return folder;
}

async function started() {
  const updater = new FakeUpdater();
  const emitted: Update[] = [];
  const app = testApp();
  const updates = createUpdates(optionsOf(resources(), app), async () => updater as unknown as Updater);
  updates.start((update) => emitted.push(update));
  await vi.waitFor(() => expect(updater.checks).toBe(1));
  return { updater, updates, emitted, app };
}

it('does not load the updater without an update feed, or when the app runs from its sources', () => {
  const load = () => Promise.reject(new Error('loaded'));
  expect(createUpdates(optionsOf(makeHome()), load)).toBe(NO_UPDATES);
  expect(createUpdates(optionsOf(resources(), testApp(false)), load)).toBe(NO_UPDATES);
});

it('checks for updates at the start and every six hours, and downloads automatically', async () => {
  const { updater } = await started();
  expect(updater).toMatchObject({ autoDownload: true, autoInstallOnAppQuit: true, logger: null });
  vi.advanceTimersByTime(6 * 60 * 60 * 1_000);
  expect(updater.checks).toBe(2);
  vi.advanceTimersByTime(12 * 60 * 60 * 1_000);
  expect(updater.checks).toBe(4);
});

it('does not install the update of a system package on quit, because that asks for a password', async () => {
  const folder = resources();
  writeFileSync(join(folder, 'package-type'), 'deb');
  const updater = new FakeUpdater();
  createUpdates(optionsOf(folder), async () => updater as unknown as Updater).start(() => {});
  await vi.waitFor(() => expect(updater.checks).toBe(1));
  expect(updater.autoInstallOnAppQuit).toBe(false);
});

it('reports the progress of an update, and restarts on request', async () => {
  const { updater, updates, emitted } = await started();
  updater.emit('update-available', { version: '2.0.0' });
  updater.emit('download-progress', { percent: 41.5 });
  updater.emit('download-progress', { percent: 100.01 });
  updater.emit('update-downloaded', { version: '2.0.0' });
  expect(emitted).toStrictEqual([
    { is: 'downloading', version: '2.0.0', percent: 0 },
    { is: 'downloading', version: '2.0.0', percent: 41.5 },
    { is: 'downloading', version: '2.0.0', percent: 100 },
    { is: 'ready', version: '2.0.0' },
  ]);
  expect(updater.installs).toBe(0);
  updates.restart();
  expect(updater.installs).toBe(1);
});

it('starts the current version again if the update cannot be installed, because running work has ended by then', async () => {
  const { updater, updates, app } = await started();
  updater.emit('update-downloaded', { version: '2.0.0' });
  updater.emit('error', new Error('A failed check'));
  updates.restart();
  expect(app.asked).toStrictEqual([]);
  updater.fails = true;
  updates.restart();
  expect(app.asked.slice(0, 2)).toStrictEqual([['relaunch', { execPath: '/opt/Berth/berth', args: [] }], 'quit']);
});

it('stays ready if a later check finds the same version again, or the download of another one fails', async () => {
  const { updater, emitted } = await started();
  updater.emit('update-available', { version: '2.0.0' });
  updater.emit('update-downloaded', { version: '2.0.0' });
  updater.emit('update-available', { version: '2.0.0' });
  updater.emit('download-progress', { percent: 10 });
  expect(emitted.at(-1)).toStrictEqual({ is: 'ready', version: '2.0.0' });
  updater.emit('update-available', { version: '3.0.0' });
  expect(emitted.at(-1)).toStrictEqual({ is: 'downloading', version: '3.0.0', percent: 0 });
  updater.emit('error', new Error('The line broke'));
  expect(emitted.at(-1)).toStrictEqual({ is: 'ready', version: '2.0.0' });
});

it('handles the rejection of a failed download', async () => {
  const { updater } = await started();
  const unhandled: unknown[] = [];
  const note = (error: unknown) => unhandled.push(error);
  process.on('unhandledRejection', note);
  try {
    updater.found = { downloadPromise: Promise.reject(new Error('The line broke')) };
    vi.advanceTimersByTime(6 * 60 * 60 * 1_000);
    await new Promise((resolve) => setImmediate(resolve));
    await new Promise((resolve) => setImmediate(resolve));
  } finally {
    process.off('unhandledRejection', note);
  }
  expect(updater.checks).toBe(2);
  expect(unhandled).toStrictEqual([]);
});

it('hides errors, retries, and keeps a downloaded update', async () => {
  const { updater, emitted } = await started();
  updater.fails = true;
  vi.advanceTimersByTime(6 * 60 * 60 * 1_000);
  updater.emit('update-available', { version: '2.0.0' });
  updater.emit('error', new Error('The line broke'));
  expect(emitted.at(-1)).toStrictEqual({ is: 'none' });
  updater.emit('update-downloaded', { version: '2.0.0' });
  updater.emit('error', new Error('The line broke'));
  expect(emitted.at(-1)).toStrictEqual({ is: 'ready', version: '2.0.0' });
});

it('reports no update if the updater cannot be loaded', async () => {
  const emitted: Update[] = [];
  const updates = createUpdates(optionsOf(resources()), () => Promise.reject(new Error('not in Electron')));
  updates.start((update) => emitted.push(update));
  await vi.waitFor(() => expect(emitted).toStrictEqual([{ is: 'none' }]));
  updates.restart();
});
