import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { App } from 'electron';
import type { AppUpdater } from 'electron-updater';
import type { Update } from '../../shared/settings.ts';
import { NO_UPDATES, type Updates } from './updates.ts';

const LOOK_EVERY_MS = 6 * 60 * 60 * 1_000;

/** What is used of electron-updater. */
export type Updater = Pick<
  AppUpdater,
  'autoDownload' | 'autoInstallOnAppQuit' | 'checkForUpdates' | 'logger' | 'on' | 'once' | 'quitAndInstall'
>;

/** What is to be updated. */
export interface UpdatesOptions {
  app: Pick<App, 'isPackaged' | 'quit' | 'relaunch'>;
  /** Where the package keeps its resources. */
  resources: string;
  /** What starts the app. */
  program: string;
}

/**
 * Updates by electron-updater, where the package says whom to ask. It cannot even be loaded outside of a packaged app, so it
 * is loaded when it is started.
 *
 * @param load Loads it; tests load another one.
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
        lookEveryNowAndThen(updater);
      };
      begin().catch(() => onUpdate({ is: 'none' }));
    },
    restart: () => {
      // Who does not give the password for the newer version, say, has an app by then that has ended all it did.
      updater?.once('error', () => {
        app.relaunch({ execPath: program, args: [] });
        app.quit();
      });
      updater?.quitAndInstall();
    },
  };
}

/** Tells how far it is. What is downloaded stays good, whatever a later look leads to. */
function follow(updater: Pick<Updater, 'on'>, onUpdate: (update: Update) => void): void {
  let coming = '';
  let ready: (Update & { is: 'ready' }) | null = null;
  const tellDownload = (percent: number) => {
    // Each later look finds the same version again.
    if (coming !== ready?.version) onUpdate({ is: 'downloading', version: coming, percent });
  };
  updater.on('update-available', ({ version }) => {
    coming = version;
    tellDownload(0);
  });
  updater.on('download-progress', ({ percent }) => tellDownload(Math.min(100, Math.max(0, percent))));
  updater.on('update-downloaded', ({ version }) => {
    ready = { is: 'ready', version };
    onUpdate(ready);
  });
  // Without a listener an error would end the app.
  updater.on('error', () => onUpdate(ready ?? { is: 'none' }));
}

/** What fails is told by an event as well, and tried again. */
function lookEveryNowAndThen(updater: Pick<Updater, 'checkForUpdates'>): void {
  const look = async () => {
    const found = await updater.checkForUpdates();
    await found?.downloadPromise;
  };
  const tryToLook = () => void look().catch(() => undefined);
  tryToLook();
  setInterval(tryToLook, LOOK_EVERY_MS).unref();
}

/** Packages of the system are installed by its administrator: who quits is not asked for a password, who restarts is. */
function asksForPassword(resources: string): boolean {
  const file = join(resources, 'package-type');
  return existsSync(file) && readFileSync(file, 'utf8').trim() !== 'AppImage';
}

async function loadUpdater(): Promise<Updater> {
  const { default: module } = await import('electron-updater');
  return module.autoUpdater;
}
