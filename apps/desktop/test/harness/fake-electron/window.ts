import { EventEmitter } from 'node:events';
import { isPrevented, type Recorder } from './recorder.ts';
import type { FakeSession } from './session.ts';

export interface Bounds {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** A frame of a page: the window's main frame, or one made by a test. */
interface FakeFrame {
  url: string;
  parent: FakeFrame | null;
  isDestroyed(): boolean;
}

/** The sender of a message. */
export interface FakeSender {
  sender: unknown;
  senderFrame: FakeFrame | null;
}

export function createFrame(url: string, parent: FakeFrame | null = null): FakeFrame {
  return { url, parent, isDestroyed: () => false };
}

export class FakeWebContents extends EventEmitter {
  readonly mainFrame: FakeFrame = createFrame('about:blank');
  readonly session: FakeSession;
  /** The messages sent to the page, in order. */
  readonly sent: { channel: string; data: unknown }[] = [];
  openHandler: ((details: { url: string }) => { action: string }) | null = null;
  destroyed = false;
  crashed = false;
  reloads = 0;

  constructor(session: FakeSession) {
    super();
    this.session = session;
  }

  isDestroyed = () => this.destroyed;

  /** Sends to the page. As in Electron, values that cannot be cloned are refused. Emits `fake:sent`. */
  send = (channel: string, data: unknown) => {
    if (this.destroyed) throw new TypeError('Object has been destroyed');
    const message = { channel, data: structuredClone(data) };
    this.sent.push(message);
    this.emit('fake:sent', message);
  };

  setWindowOpenHandler = (handler: (details: { url: string }) => { action: string }) => {
    this.openHandler = handler;
  };

  isCrashed = () => this.crashed;
  reload = () => {
    this.reloads += 1;
    this.crashed = false;
  };

  /** Emits an event that a page can cause. @returns Whether it was prevented. */
  refuses(event: string, ...args: unknown[]): boolean {
    return isPrevented(this, event, ...args);
  }
}

/** State that all windows share. */
interface FakeWindows {
  readonly recorder: Recorder;
  readonly list: FakeWindow[];
  readonly session: FakeSession;
  /** Called when a window and its page exist. */
  created(window: FakeWindow): void;
  /** Called when the last window has closed. */
  allClosed(): void;
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
    windows.created(this);
  }

  /** Emits the events of a loaded page at once; nothing is drawn. */
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
  /** The switch takes a while: tests emit `leave-full-screen` themselves. */
  setFullScreen = (on: boolean) => void (this.fullScreen = on);
  isDestroyed = () => this.#destroyed;
  getNormalBounds = () => this.bounds;
  setBackgroundColor = (color: string) => void (this.backgroundColor = color);

  /** The main frame of its page, as the sender of a message. */
  asSender = (): FakeSender => ({ sender: this.webContents, senderFrame: this.webContents.mainFrame });

  /** As in Electron, `close` can be prevented. */
  close = () => {
    if (!isPrevented(this, 'close')) this.destroy();
  };

  destroy = () => {
    if (this.#destroyed) return;
    this.#destroyed = true;
    this.webContents.destroyed = true;
    this.emit('closed');
    if (this.#windows.list.every((window) => window.isDestroyed())) this.#windows.allClosed();
  };
}
