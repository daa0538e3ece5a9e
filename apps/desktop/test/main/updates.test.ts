import { EventEmitter } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import { createUpdates, NO_UPDATES, type Updater } from '../../src/main/shell/updates.ts';
import type { Update } from '../../src/shared/settings.ts';
import { makeHome } from '../harness/app/folders.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] }));
afterEach(() => void vi.useRealTimers());

const SIX_HOURS_MS = 6 * 60 * 60 * 1_000;

class FakeUpdater extends EventEmitter {
  autoDownload = false;
  autoInstallOnAppQuit = false;
  logger: unknown = console;
  checkForUpdates = vi.fn<() => Promise<unknown>>(async () => null);
  quitAndInstall = vi.fn<() => void>();
}

/** Creates the options of an app that records its calls and whose package contains an update feed. */
function testOptions({ isPackaged = true, files = ['app-update.yml'] } = {}) {
  const resources = makeHome();
  for (const name of files) writeFileSync(join(resources, name), 'deb');
  const app = { isPackaged, relaunch: vi.fn<(options: unknown) => void>(), quit: vi.fn<() => void>() };
  return {
    app,
    resources,
    program: '/opt/Berth/berth',
    log: { error: vi.fn<(context: string, error: unknown) => void>() },
  };
}

async function startUpdates(options = testOptions()) {
  const updater = new FakeUpdater();
  const emitted: Update[] = [];
  const updates = createUpdates(options, async () => updater as unknown as Updater);
  updates.start((update) => emitted.push(update));
  await vi.waitFor(() => expect(updater.checkForUpdates).toHaveBeenCalledTimes(1));
  return { updater, updates, emitted, app: options.app };
}

it('the updater is not loaded without an update feed, or when the app runs from its sources', () => {
  const load = () => Promise.reject(new Error('loaded'));
  expect(createUpdates(testOptions({ files: [] }), load)).toBe(NO_UPDATES);
  expect(createUpdates(testOptions({ isPackaged: false }), load)).toBe(NO_UPDATES);
});

it('the app checks for updates at the start and every six hours, and downloads them automatically', async () => {
  const { updater } = await startUpdates();
  expect(updater).toMatchObject({ autoDownload: true, autoInstallOnAppQuit: true, logger: null });
  vi.advanceTimersByTime(SIX_HOURS_MS);
  expect(updater.checkForUpdates).toHaveBeenCalledTimes(2);
  vi.advanceTimersByTime(2 * SIX_HOURS_MS);
  expect(updater.checkForUpdates).toHaveBeenCalledTimes(4);
});

it('the update of a system package is not installed on quit, because the system would ask for a password', async () => {
  const { updater } = await startUpdates(testOptions({ files: ['app-update.yml', 'package-type'] }));
  expect(updater.autoInstallOnAppQuit).toBe(false);
});

it('the app reports the progress of an update, and restarts on request', async () => {
  const { updater, updates, emitted } = await startUpdates();
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
  expect(updater.quitAndInstall).not.toHaveBeenCalled();
  updates.restart();
  expect(updater.quitAndInstall).toHaveBeenCalledOnce();
});

it('the current version starts again if the update cannot be installed, because running work has already stopped', async () => {
  const { updater, updates, app } = await startUpdates();
  updater.emit('update-downloaded', { version: '2.0.0' });
  updater.emit('error', new Error('A failed check'));
  updates.restart();
  expect([app.relaunch.mock.calls, app.quit.mock.calls]).toStrictEqual([[], []]);
  updater.quitAndInstall.mockImplementation(() => void updater.emit('error', new Error('No password was given')));
  updates.restart();
  expect(app.relaunch).toHaveBeenCalledWith({ execPath: '/opt/Berth/berth', args: [] });
  expect(app.quit).toHaveBeenCalledAfter(app.relaunch);
});

it('a downloaded update stays ready if a later check finds the same version, or another download fails', async () => {
  const { updater, emitted } = await startUpdates();
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

it('a failed download causes no unhandled rejection', async () => {
  const { updater } = await startUpdates();
  const onUnhandled = vi.fn<() => void>();
  process.on('unhandledRejection', onUnhandled);
  onTestFinished(() => void process.off('unhandledRejection', onUnhandled));
  updater.checkForUpdates.mockResolvedValue({ downloadPromise: Promise.reject(new Error('The line broke')) });
  vi.advanceTimersByTime(SIX_HOURS_MS);
  await setImmediate();
  await setImmediate();
  expect(updater.checkForUpdates).toHaveBeenCalledTimes(2);
  expect(onUnhandled).not.toHaveBeenCalled();
});

it('errors of the updater are not shown, and the next check retries', async () => {
  const { updater, emitted } = await startUpdates();
  updater.checkForUpdates.mockRejectedValue(new Error('There is no network'));
  vi.advanceTimersByTime(SIX_HOURS_MS);
  updater.emit('update-available', { version: '2.0.0' });
  updater.emit('error', new Error('The line broke'));
  expect(emitted.at(-1)).toStrictEqual({ is: 'none' });
});

it('the app reports no update if the updater cannot be loaded', async () => {
  const emitted: Update[] = [];
  const updates = createUpdates(testOptions(), () => Promise.reject(new Error('not in Electron')));
  updates.start((update) => emitted.push(update));
  await vi.waitFor(() => expect(emitted).toStrictEqual([{ is: 'none' }]));
  updates.restart();
});
