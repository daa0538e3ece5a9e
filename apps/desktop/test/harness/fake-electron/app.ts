import { EventEmitter } from 'node:events';
import { join } from 'node:path';
import { preventable, type Recorder } from './recorder.ts';

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

/** A window, as far as quitting needs it. */
export interface Closable {
  isDestroyed(): boolean;
  close(): void;
}

export class FakeApp extends EventEmitter {
  readonly isPackaged: boolean;
  loginItem: { openAtLogin: boolean; args: readonly string[]; path?: string; /** By Windows. */ disabled?: boolean } = {
    openAtLogin: false,
    args: [],
  };
  /** `null` while the app runs. */
  exitCode: number | null = null;
  /** Resolves when the app has ended. */
  readonly ended: Promise<number>;
  readonly #end: (code: number) => void;
  readonly #options: FakeAppOptions;
  readonly #recorder: Recorder;
  readonly #windows: readonly Closable[];

  constructor(options: FakeAppOptions, recorder: Recorder, windows: readonly Closable[]) {
    super();
    this.#options = options;
    this.#recorder = recorder;
    this.#windows = windows;
    this.isPackaged = options.packaged ?? true;
    const { promise, resolve } = Promise.withResolvers<number>();
    this.ended = promise;
    this.#end = resolve;
  }

  enableSandbox = () => this.#recorder.record('app.enableSandbox');
  setDesktopName = (name: string) => this.#recorder.record('app.setDesktopName', name);
  setAppUserModelId = (id: string) => this.#recorder.record('app.setAppUserModelId', id);
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
    this.#recorder.record('app.getLoginItemSettings', options);
    const same = JSON.stringify(options.args ?? []) === JSON.stringify(this.loginItem.args);
    return {
      openAtLogin: this.loginItem.openAtLogin && same,
      executableWillLaunchAtLogin: this.loginItem.openAtLogin && !this.loginItem.disabled,
      wasOpenedAtLogin: this.#options.openedAtLogin ?? false,
    };
  };

  /** As in Electron: emits `before-quit`, closes the windows, emits `will-quit` and `quit`. Preventing one of the first three stops it. */
  quit = () => {
    this.#recorder.record('app.quit');
    if (this.exitCode !== null || !this.#passes('before-quit')) return;
    for (const window of this.#windows) {
      if (window.isDestroyed()) continue;
      window.close();
      if (!window.isDestroyed()) return;
    }
    if (this.#passes('will-quit')) this.exit(0);
  };

  exit = (code = 0) => {
    this.#recorder.record('app.exit', code);
    if (this.exitCode !== null) return;
    this.exitCode = code;
    this.emit('quit', preventable(), code);
    this.#end(code);
  };

  #passes(event: string): boolean {
    const preventableEvent = preventable();
    this.emit(event, preventableEvent);
    return !preventableEvent.defaultPrevented;
  }
}
