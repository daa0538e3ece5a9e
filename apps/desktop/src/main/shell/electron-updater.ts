import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AppUpdater } from 'electron-updater';
import { NO_UPDATES, type Updates } from './updates.ts';

const LOOK_EVERY_MS = 6 * 60 * 60 * 1_000;

/** What is used of electron-updater. */
export type Updater = Pick<
  AppUpdater,
  'autoDownload' | 'autoInstallOnAppQuit' | 'checkForUpdates' | 'logger' | 'on' | 'quitAndInstall'
>;

/**
 * Updates by electron-updater, where the package says whom to ask. It cannot even be loaded outside of a packaged app, so it
 * is loaded when it is started.
 *
 * @param resources Where the package keeps its resources. @param load Loads it; tests load another one.
 */
export function createUpdates(
  app: { isPackaged: boolean },
  resources: string,
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
        let version = '';
        let ready = false;
        updater.on('update-available', (info) => {
          ({ version } = info);
          onUpdate({ is: 'downloading', version, percent: 0 });
        });
        updater.on('download-progress', ({ percent }) =>
          onUpdate({ is: 'downloading', version, percent: Math.min(100, Math.max(0, percent)) }),
        );
        updater.on('update-downloaded', (info) => {
          ready = true;
          onUpdate({ is: 'ready', version: info.version });
        });
        // Without a listener an error would end the app. What is downloaded stays good, whatever a later look leads to.
        updater.on('error', () => void (ready || onUpdate({ is: 'none' })));
        const look = () => void updater?.checkForUpdates().catch(() => undefined);
        look();
        setInterval(look, LOOK_EVERY_MS).unref();
      };
      begin().catch(() => onUpdate({ is: 'none' }));
    },
    restart: () => updater?.quitAndInstall(),
  };
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
