import { EventEmitter } from 'node:events';
import { join } from 'node:path';
import { isPrevented, type Recorder } from './recorder.ts';
import type { FakeWindow } from './window.ts';

export interface FakeAppOptions {
  /** The parent folder of the paths that `getPath` returns. */
  home: string;
  /** Whether the app is packaged. Default: `true`. */
  packaged?: boolean | undefined;
  /** Whether no other instance of the app is running. Default: `true`. */
  first?: boolean | undefined;
  /** The promise that `whenReady` awaits. Default: none. */
  ready?: Promise<void> | undefined;
  /** The switches of the command line, such as `no-sandbox`. */
  switches?: readonly string[] | undefined;
  /** Whether macOS started the app at login. Default: `false`. */
  openedAtLogin?: boolean | undefined;
}

export class FakeApp extends EventEmitter {
  readonly isPackaged: boolean;
  loginItem: { openAtLogin: boolean; args: readonly string[]; path?: string; disabled?: boolean } = {
    openAtLogin: false,
    args: [],
  };
  /** The exit code of the app; `null` while it runs. */
  exitCode: number | null = null;
  readonly #exit = Promise.withResolvers<number>();
  /** Resolves with the exit code when the app has quit. */
  readonly ended = this.#exit.promise;
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
  getPath = (name: string) => this.#paths.get(name) ?? join(this.#options.home, name);
  setPath = (name: string, path: string) => void this.#paths.set(name, path);
  readonly #paths = new Map<string, string>();
  readonly commandLine = { hasSwitch: (name: string) => this.#options.switches?.includes(name) === true };
  isDefaultProtocolClient = () => this.opensLinks;
  /** Whether the system already opens links to the app with it. */
  opensLinks = false;

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
    const hasSameArguments = JSON.stringify(options.args ?? []) === JSON.stringify(this.loginItem.args);
    return {
      openAtLogin: this.loginItem.openAtLogin && hasSameArguments,
      executableWillLaunchAtLogin: this.loginItem.openAtLogin && !this.loginItem.disabled,
      wasOpenedAtLogin: this.#options.openedAtLogin ?? false,
    };
  };

  /** Emits `before-quit`, closes the windows and emits `will-quit`, as Electron does. A listener can prevent each step. */
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
    this.#exit.resolve(code);
  };
}
