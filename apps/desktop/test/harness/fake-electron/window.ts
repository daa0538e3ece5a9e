import { EventEmitter } from 'node:events';
import { isPrevented, type Recorder } from './recorder.ts';
import type { FakeSession } from './session.ts';

export interface Bounds {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** A fake frame of a page. */
interface FakeFrame {
  url: string;
  frameTreeNodeId: number;
  parent: FakeFrame | null;
  isDestroyed(): boolean;
}

/** The event object of a message from a page. */
export interface FakeSender {
  sender: unknown;
  senderFrame: FakeFrame | null;
}

let lastFrameId = 0;

export function createFrame(url: string, parent: FakeFrame | null = null): FakeFrame {
  lastFrameId += 1;
  return { url, frameTreeNodeId: lastFrameId, parent, isDestroyed: () => false };
}

export class FakeWebContents extends EventEmitter {
  static #lastId = 0;
  readonly id = (FakeWebContents.#lastId += 1);
  readonly mainFrame: FakeFrame = createFrame('about:blank');
  readonly session: FakeSession;
  /** The messages that the app has sent to the page, in order. */
  readonly sent: [channel: string, data: unknown][] = [];
  openHandler: ((details: { url: string }) => { action: string }) | null = null;
  destroyed = false;
  crashed = false;
  reloads = 0;

  constructor(session: FakeSession) {
    super();
    this.session = session;
  }

  isDestroyed = () => this.destroyed;

  /** Records a message to the page and emits `fake:sent`. Throws for a value that cannot be cloned, as Electron does. */
  send = (channel: string, data: unknown) => {
    if (this.destroyed) throw new TypeError('Object has been destroyed');
    this.sent.push([channel, structuredClone(data)]);
    this.emit('fake:sent', ...this.sent.at(-1)!);
  };

  setWindowOpenHandler = (handler: (details: { url: string }) => { action: string }) => {
    this.openHandler = handler;
  };

  isCrashed = () => this.crashed;
  reload = () => {
    this.reloads += 1;
    this.crashed = false;
  };
}

/** The state that all windows share. */
interface FakeWindows {
  readonly recorder: Recorder;
  readonly app: EventEmitter & { quit(): void };
  readonly list: FakeWindow[];
  readonly session: FakeSession;
}

export class FakeWindow extends EventEmitter {
  readonly options: Record<string, unknown>;
  readonly webContents: FakeWebContents;
  visible = false;
  focused = false;
  minimized = false;
  maximized = false;
  fullScreen = false;
  bounds: Bounds;
  backgroundColor: string | undefined;
  readonly #windows: FakeWindows;
  #destroyed = false;

  constructor(options: Record<string, unknown>, windows: FakeWindows) {
    super();
    windows.recorder.record('new BrowserWindow', options);
    this.options = options;
    this.#windows = windows;
    this.visible = options['show'] !== false;
    const { x = 0, y = 0, width = 800, height = 600 } = options as Partial<Bounds>;
    this.bounds = { x, y, width, height };
    this.webContents = new FakeWebContents(windows.session);
    windows.list.push(this);
    windows.app.emit('web-contents-created', {}, this.webContents);
  }

  /** Emits the events of a loaded page at once, without loading the page. */
  loadURL = async (url: string) => {
    this.#windows.recorder.record('window.loadURL', url);
    this.webContents.mainFrame.url = url;
    this.webContents.emit('did-start-loading');
    await Promise.resolve();
    if (this.#destroyed) return;
    this.webContents.emit('did-finish-load');
    this.emit('ready-to-show');
  };

  show = () => {
    this.visible = true;
    this.focus();
    this.emit('show');
  };

  showInactive = () => {
    this.visible = true;
    this.emit('show');
  };

  hide = () => {
    this.visible = false;
    this.blur();
    this.emit('hide');
  };

  focus = () => {
    this.focused = true;
    this.emit('focus');
  };

  blur = () => {
    this.focused = false;
    this.emit('blur');
  };

  minimize = () => {
    this.visible = true;
    this.minimized = true;
    this.blur();
  };

  restore = () => {
    this.minimized = false;
    this.focus();
    this.emit('restore');
  };

  maximize = () => void (this.maximized = true);
  isVisible = () => this.visible;
  isFocused = () => this.focused;
  isMinimized = () => this.minimized;
  isMaximized = () => this.maximized;
  isFullScreen = () => this.fullScreen;
  /** Leaving full screen takes a while, so tests emit `leave-full-screen` themselves. */
  setFullScreen = (on: boolean) => void (this.fullScreen = on);
  isDestroyed = () => this.#destroyed;
  getNormalBounds = () => this.bounds;
  /** The last value of the progress bar; -1 hides it. */
  progress = -1;
  setProgressBar = (progress: number) => void (this.progress = progress);
  removeMenu = () => undefined;
  setBackgroundColor = (color: string) => void (this.backgroundColor = color);

  /** Returns the event object of a message from the main frame of the window. */
  asSender = (): FakeSender => ({ sender: this.webContents, senderFrame: this.webContents.mainFrame });

  /** Closes the window, unless a listener prevents the `close` event, as in Electron. */
  close = () => {
    if (!isPrevented(this, 'close')) this.destroy();
  };

  destroy = () => {
    if (this.#destroyed) return;
    this.#destroyed = true;
    this.webContents.destroyed = true;
    this.emit('closed');
    const { app, list } = this.#windows;
    // Electron quits after the last window is closed, unless the app listens to `window-all-closed`.
    if (list.every((window) => window.isDestroyed()) && !app.emit('window-all-closed')) app.quit();
  };
}
