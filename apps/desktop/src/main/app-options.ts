import type * as Electron from 'electron';
import type { Backend, BackendOptions } from './backend.ts';
import type { EngineOptions } from './engine/start-engine.ts';
import type { Updates } from './shell/updates.ts';

export type ElectronModule = typeof Electron;

interface AppProcess {
  platform: string;
  env: NodeJS.ProcessEnv;
  argv: readonly string[];
  execPath: string;
  /** The folder of a packaged app's resources. */
  resourcesPath: string;
  cwd(): string;
  on(event: 'uncaughtException' | 'unhandledRejection', listener: (error: unknown) => void): unknown;
  off(event: string, listener: (error: unknown) => void): unknown;
}

export interface AppOptions {
  openBackend(options: EngineOptions): Promise<Backend>;
  /** The folder of the compiled app, with `renderer`, `preload` and `assets`. */
  dist: string;
  process: AppProcess;
  /** Overrides folders, servers and timing, for tests. */
  backend?:
    | Partial<Pick<BackendOptions, 'cacheDir' | 'dataDir' | 'fetch' | 'retries' | 'server' | 'watchRule'>>
    | undefined;
  /** Returns true if there is a tray. Default: asks the system. @param attempts How many times to ask, one second apart. */
  hasTray?: ((attempts: number) => Promise<boolean>) | undefined;
  /** The updater. Default: electron-updater, if the package contains an update feed. */
  updates?: Updates | undefined;
}
