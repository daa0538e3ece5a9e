import type * as Electron from 'electron';
import type { Backend, BackendOptions } from './backend.ts';
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
interface AppProcess {
  platform: string;
  env: NodeJS.ProcessEnv;
  argv: readonly string[];
  execPath: string;
  /** The folder of a packaged app's resources. */
  resourcesPath: string;
  cwd(): string;
}

/** The options of `startApp`. */
export interface AppOptions {
  openBackend(options: BackendOptions): Promise<Backend>;
  /** The folder of the compiled app, with `renderer`, `preload` and `assets`. */
  dist: string;
  process: AppProcess;
  /** Overrides folders, servers and timing, for tests. */
  backend?: Partial<Pick<BackendOptions, 'cacheDir' | 'dataDir' | 'retries' | 'server' | 'watchRule'>> | undefined;
  /** True if there is a tray. Default: asks the system. @param patience How many times to ask, one second apart. */
  hasTray?: ((patience: number) => Promise<boolean>) | undefined;
  /** Default: electron-updater, if the package contains an update feed. */
  updates?: Updates | undefined;
}
