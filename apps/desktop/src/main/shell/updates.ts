import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { App } from 'electron';
import type { AppUpdater } from 'electron-updater';
import type { Update } from '../../shared/settings.ts';

const CHECK_EVERY_MS = 6 * 60 * 60 * 1_000;

/** Finds and installs newer versions of the app. */
export interface Updates {
  /** Checks for a newer version now and every few hours, and downloads it. The next check retries after an error. */
  start(onUpdate: (update: Update) => void): void;
  /**
   * Quits the app and starts the newer version, or the same version if installing fails. The caller must stop all running work
   * first.
   */
  restart(): void;
}

/** For an app that runs from its sources, and for packages without an update feed. */
export const NO_UPDATES: Updates = { start: () => undefined, restart: () => undefined };

/** The parts of electron-updater that the app uses. */
export type Updater = Pick<
  AppUpdater,
  'autoDownload' | 'autoInstallOnAppQuit' | 'checkForUpdates' | 'logger' | 'on' | 'once' | 'quitAndInstall'
>;

/** The app to update. */
export interface UpdatesOptions {
  app: Pick<App, 'isPackaged' | 'quit' | 'relaunch'>;
  /** The folder of the package's resources. */
  resources: string;
  /** The path of the program that starts the app. */
  program: string;
}

/**
 * Updates the app with electron-updater if the package contains an update feed. The library can be loaded only in a packaged app,
 * so `start` loads it.
 *
 * @param load Loads electron-updater; tests pass a replacement.
 */
export function createUpdates(
  { app, resources, program }: UpdatesOptions,
  load: () => Promise<Updater> = loadUpdater,
): Updates {
  if (!app.isPackaged || !existsSync(join(resources, 'app-update.yml'))) return NO_UPDATES;
  let updater: Updater | null = null;

  return {
    start: (onUpdate) => {
      const begin = async () => {
        updater = await load();
        updater.autoDownload = true;
        updater.autoInstallOnAppQuit = !asksForPassword(resources);
        updater.logger = null;
        follow(updater, onUpdate);
        checkPeriodically(updater);
      };
      begin().catch(() => onUpdate({ is: 'none' }));
    },
    restart: () => {
      // The update can fail, for example if the user cancels the password prompt. Everything is stopped by then, so start the app again.
      updater?.once('error', () => {
        app.relaunch({ execPath: program, args: [] });
        app.quit();
      });
      updater?.quitAndInstall();
    },
  };
}

/** Reports the state of the update. A downloaded version stays ready, whatever a later check gives. */
function follow(updater: Pick<Updater, 'on'>, onUpdate: (update: Update) => void): void {
  let coming = '';
  let ready: (Update & { is: 'ready' }) | null = null;
  const reportDownload = (percent: number) => {
    // Later checks find the same version again.
    if (coming !== ready?.version) onUpdate({ is: 'downloading', version: coming, percent });
  };
  updater.on('update-available', ({ version }) => {
    coming = version;
    reportDownload(0);
  });
  updater.on('download-progress', ({ percent }) => reportDownload(Math.min(100, Math.max(0, percent))));
  updater.on('update-downloaded', ({ version }) => {
    ready = { is: 'ready', version };
    onUpdate(ready);
  });
  // Without a listener, an error would crash the app.
  updater.on('error', () => onUpdate(ready ?? { is: 'none' }));
}

/** Checks for updates now and periodically. Ignores errors, which are also emitted as events; the next check retries. */
function checkPeriodically(updater: Pick<Updater, 'checkForUpdates'>): void {
  const check = async () => {
    const found = await updater.checkForUpdates();
    await found?.downloadPromise;
  };
  const tryToCheck = () => void check().catch(() => undefined);
  tryToCheck();
  setInterval(tryToCheck, CHECK_EVERY_MS).unref();
}

/** True for system packages, whose update asks for the administrator's password. Quitting must not ask for it; a restart may. */
function asksForPassword(resources: string): boolean {
  const file = join(resources, 'package-type');
  return existsSync(file) && readFileSync(file, 'utf8').trim() !== 'AppImage';
}

async function loadUpdater(): Promise<Updater> {
  const { default: module } = await import('electron-updater');
  return module.autoUpdater;
}
