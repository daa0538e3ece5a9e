import type * as Electron from 'electron';
import type { About } from '../shared/settings.ts';
import type { Backend, BackendOptions } from './backend.ts';
import { openApp } from './open-app.ts';
import { APP_SCHEME_PRIVILEGES } from './shell/app-protocol.ts';
import { createLaunches } from './shell/launches.ts';
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

/** The parts of `process` that the app uses. */
export interface AppProcess {
  platform: string;
  env: NodeJS.ProcessEnv;
  argv: readonly string[];
  execPath: string;
  /** The folder of a packaged app's resources. */
  resourcesPath: string;
  cwd(): string;
}

/** The options of {@link startApp}. */
export interface AppOptions {
  openBackend(options: BackendOptions): Promise<Backend>;
  /** The folder of the compiled app, with `renderer`, `preload` and `assets`. */
  dist: string;
  process: AppProcess;
  /** Overrides folders, servers and timing, for tests. */
  backend?: Partial<Pick<BackendOptions, 'cacheDir' | 'dataDir' | 'retries' | 'server' | 'watchRule'>> | undefined;
  /** True if there is a tray. Default: asks the system. @param attempts How many times to ask, one second apart. */
  hasTray?: ((attempts: number) => Promise<boolean>) | undefined;
  /** Default: electron-updater, if the package contains an update feed. */
  updates?: Updates | undefined;
}

/**
 * Starts the app. Everything that Electron requires before it is ready happens synchronously, before the first `await`. No page
 * is loaded until all its protections are in place.
 *
 * @returns Resolves when the window is open, or when another instance will show it. A failed start shows the error and exits.
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
  const launches = createLaunches(app, launch);
  await app.whenReady();
  try {
    await openApp(electron, options, { platform, hidden: launch.hidden, launches });
  } catch (error) {
    dialog.showErrorBox('Berth cannot start', error instanceof Error ? error.message : String(error));
    app.exit(1);
  }
}

/** Treats other Unixes as Linux. */
function platformOf(platform: string): About['platform'] {
  return platform === 'darwin' || platform === 'win32' ? platform : 'linux';
}
