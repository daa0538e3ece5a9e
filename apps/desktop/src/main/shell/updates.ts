import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { App } from 'electron';
import type { AppUpdater } from 'electron-updater';
import type { Update } from '../../shared/settings.ts';
import type { Log } from './log.ts';

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

/** Never reports an update. Used when the app runs from its sources, and in packages without an update feed. */
export const NO_UPDATES: Updates = { start: () => undefined, restart: () => undefined };

export type Updater = Pick<
  AppUpdater,
  'autoDownload' | 'autoInstallOnAppQuit' | 'checkForUpdates' | 'logger' | 'on' | 'once' | 'quitAndInstall'
>;

interface UpdatesOptions {
  app: Pick<App, 'isPackaged' | 'quit' | 'relaunch'>;
  /** The folder of the package's resources. */
  resources: string;
  /** The path of the program that starts the app. */
  program: string;
  log: Pick<Log, 'error'>;
}

/**
 * Updates the app with electron-updater if the package contains an update feed. `start` loads the library, because it can be loaded
 * only in a packaged app.
 *
 * @param load Loads electron-updater; tests pass a replacement.
 */
export function createUpdates(
  { app, resources, program, log }: UpdatesOptions,
  load: () => Promise<Updater> = async () => (await import('electron-updater')).default.autoUpdater,
): Updates {
  if (!app.isPackaged || !existsSync(join(resources, 'app-update.yml'))) return NO_UPDATES;
  let updater: Updater | null = null;

  return {
    start: (onUpdate) => {
      const loadAndCheck = async () => {
        updater = await load();
        updater.autoDownload = true;
        updater.autoInstallOnAppQuit = !asksForPassword(resources);
        updater.logger = null;
        followUpdater(updater, onUpdate, log);
        checkPeriodically(updater);
      };
      loadAndCheck().catch((error: unknown) => {
        log.error('The updater cannot be loaded', error);
        onUpdate({ is: 'none' });
      });
    },
    restart: () => {
      // If the update fails, for example because the user cancels the password prompt, the stopped app must start again.
      updater?.once('error', () => {
        app.relaunch({ execPath: program, args: [] });
        app.quit();
      });
      updater?.quitAndInstall();
    },
  };
}

/** Reports the state of the update. A downloaded version stays ready, whatever a later check finds. */
function followUpdater(
  updater: Pick<Updater, 'on'>,
  onUpdate: (update: Update) => void,
  log: Pick<Log, 'error'>,
): void {
  let foundVersion = '';
  let readyUpdate: (Update & { is: 'ready' }) | null = null;
  const reportDownload = (percent: number) => {
    // A later check finds the downloaded version again, which must not be reported as downloading.
    if (foundVersion !== readyUpdate?.version) onUpdate({ is: 'downloading', version: foundVersion, percent });
  };
  updater.on('update-available', ({ version }) => {
    foundVersion = version;
    reportDownload(0);
  });
  updater.on('download-progress', ({ percent }) => reportDownload(Math.min(100, Math.max(0, percent))));
  updater.on('update-downloaded', ({ version }) => {
    readyUpdate = { is: 'ready', version };
    onUpdate(readyUpdate);
  });
  // Without a listener, an error would crash the app.
  updater.on('error', (error) => {
    log.error('The update failed', error);
    onUpdate(readyUpdate ?? { is: 'none' });
  });
}

/** Checks for updates now and periodically. Ignores errors, because they are also emitted as events; the next check retries. */
function checkPeriodically(updater: Pick<Updater, 'checkForUpdates'>): void {
  const check = async () => {
    const result = await updater.checkForUpdates().catch(() => null);
    await result?.downloadPromise?.catch(() => undefined);
  };
  void check();
  setInterval(check, CHECK_EVERY_MS).unref();
}

/** True for system packages. Installing their update asks for a password, so it must not happen when the user quits. */
function asksForPassword(resources: string): boolean {
  const file = join(resources, 'package-type');
  return existsSync(file) && readFileSync(file, 'utf8').trim() !== 'AppImage';
}
