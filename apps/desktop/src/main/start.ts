import type * as Electron from 'electron';
import type { About } from '../shared/settings.ts';
import type { Backend, BackendOptions } from './backend.ts';
import { openApp } from './open-app.ts';
import { APP_SCHEME_PRIVILEGES } from './shell/app-protocol.ts';
import { createArrivals } from './shell/arrivals.ts';
import { APP_ID, DESKTOP_NAME } from './shell/identity.ts';
import { readLaunch } from './shell/launch.ts';
import { refuseNavigation } from './shell/navigation.ts';
import type { Updates } from './shell/updates.ts';

/** The parts of Electron that the app uses. */
export type ElectronModule = Pick<
  typeof Electron,
  | 'app'
  | 'BrowserWindow'
  | 'clipboard'
  | 'dialog'
  | 'ipcMain'
  | 'Menu'
  | 'nativeImage'
  | 'nativeTheme'
  | 'net'
  | 'Notification'
  | 'powerMonitor'
  | 'protocol'
  | 'safeStorage'
  | 'screen'
  | 'session'
  | 'shell'
  | 'Tray'
>;

/** What is used of the process. */
export interface AppProcess {
  platform: string;
  env: NodeJS.ProcessEnv;
  argv: readonly string[];
  execPath: string;
  /** Where a package keeps its resources. */
  resourcesPath: string;
  cwd(): string;
}

/** What an app is started with. */
export interface AppOptions {
  openBackend(options: BackendOptions): Promise<Backend>;
  /** The folder of the compiled app: `renderer`, `preload` and `assets` are in it. */
  dist: string;
  process: AppProcess;
  /** Other folders, servers and times than the app's own; tests have theirs. */
  backend?: Partial<Pick<BackendOptions, 'cacheDir' | 'dataDir' | 'retries' | 'server' | 'watchRule'>> | undefined;
  /** Whether there is a tray. Default: as the system says. @param patience How often to ask, a second apart. */
  hasTray?: ((patience: number) => Promise<boolean>) | undefined;
  /** Default: electron-updater, where the package says whom to ask. */
  updates?: Updates | undefined;
}

/**
 * Starts the app. What Electron has to hear before it is ready, it hears before this function gives way; no page is loaded
 * before everything that guards it is in place.
 *
 * @returns When the window is there, or when another instance is to show it. A start that fails says why, and ends the app.
 *
 * Source: design of the desktop app, §2, §6, §8.
 */
export async function startApp(electron: ElectronModule, options: AppOptions): Promise<void> {
  const { app, dialog, protocol } = electron;
  const platform = platformOf(options.process.platform);
  app.enableSandbox();
  if (platform === 'linux') app.setDesktopName(DESKTOP_NAME);
  if (platform === 'win32') app.setAppUserModelId(APP_ID);
  protocol.registerSchemesAsPrivileged([APP_SCHEME_PRIVILEGES]);
  if (!app.requestSingleInstanceLock()) return app.quit();

  refuseNavigation(app);
  const launch = readLaunch(options.process.argv, options.process.cwd(), app.getAppPath());
  const arrivals = createArrivals(app, launch);
  await app.whenReady();
  try {
    await openApp(electron, options, { platform, hidden: launch.hidden, arrivals });
  } catch (error) {
    dialog.showErrorBox('Berth cannot start', error instanceof Error ? error.message : String(error));
    app.exit(1);
  }
}

/** The relatives of Linux are as Linux is. */
function platformOf(platform: string): About['platform'] {
  return platform === 'darwin' || platform === 'win32' ? platform : 'linux';
}
