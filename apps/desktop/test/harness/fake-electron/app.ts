import { EventEmitter } from 'node:events';
import { join } from 'node:path';
import { isPrevented, type Recorder } from './recorder.ts';
import type { FakeWindow } from './window.ts';

/** Options of the fake `app`. */
export interface FakeAppOptions {
  /** Parent folder of the paths that `getPath` returns. */
  home: string;
  /** Default: `true`. */
  packaged?: boolean | undefined;
  /** Whether this instance is the first one. Default: `true`. */
  first?: boolean | undefined;
  /** Resolves when the app is ready. Default: at once. */
  ready?: Promise<void> | undefined;
  /** Whether macOS started it at login. Default: `false`. */
  openedAtLogin?: boolean | undefined;
}

export class FakeApp extends EventEmitter {
  readonly isPackaged: boolean;
  loginItem: { openAtLogin: boolean; args: readonly string[]; path?: string; /** By Windows. */ disabled?: boolean } = {
    openAtLogin: false,
    args: [],
  };
  /** `null` while the app runs. */
  exitCode: number | null = null;
  readonly #end = Promise.withResolvers<number>();
  /** Resolves when the app has ended. */
  readonly ended = this.#end.promise;
  readonly #options: FakeAppOptions;
  readonly #recorder: Recorder;
  readonly #windows: readonly FakeWindow[];

  constructor(options: FakeAppOptions, recorder: Recorder, windows: readonly FakeWindow[]) {
    super();
    this.#options = options;
    this.#recorder = recorder;
    this.#windows = windows;
    this.isPackaged = options.packaged ?? true;
  }

  enableSandbox = () => this.#recorder.record('app.enableSandbox');
  setDesktopName = (name: string) => this.#recorder.record('app.setDesktopName', name);
  setAppUserModelId = () => undefined;
  getVersion = () => '1.2.3';
  getAppPath = () => join(this.#options.home, 'app');
  getPath = (name: string) => join(this.#options.home, name);

  requestSingleInstanceLock = () => {
    this.#recorder.record('app.requestSingleInstanceLock');
    return this.#options.first ?? true;
  };

  setAsDefaultProtocolClient = (...args: unknown[]) => {
    this.#recorder.record('app.setAsDefaultProtocolClient', ...args);
    return true;
  };

  whenReady = async () => {
    this.#recorder.record('app.whenReady');
    await this.#options.ready;
    this.#recorder.record('ready');
  };

  setLoginItemSettings = (settings: { openAtLogin: boolean; args?: string[]; path?: string }) => {
    this.#recorder.record('app.setLoginItemSettings', settings);
    this.loginItem = { args: [], ...settings };
  };

  getLoginItemSettings = (options: { args?: string[] } = {}) => {
    const same = JSON.stringify(options.args ?? []) === JSON.stringify(this.loginItem.args);
    return {
      openAtLogin: this.loginItem.openAtLogin && same,
      executableWillLaunchAtLogin: this.loginItem.openAtLogin && !this.loginItem.disabled,
      wasOpenedAtLogin: this.#options.openedAtLogin ?? false,
    };
  };

  /** As in Electron: emits `before-quit`, closes the windows and emits `will-quit`. Preventing one of them stops it. */
  quit = () => {
    this.#recorder.record('app.quit');
    if (this.exitCode !== null || isPrevented(this, 'before-quit')) return;
    for (const window of this.#windows) {
      if (window.isDestroyed()) continue;
      window.close();
      if (!window.isDestroyed()) return;
    }
    if (!isPrevented(this, 'will-quit')) this.exit(0);
  };

  exit = (code = 0) => {
    if (this.exitCode !== null) return;
    this.exitCode = code;
    this.#end.resolve(code);
  };
}
