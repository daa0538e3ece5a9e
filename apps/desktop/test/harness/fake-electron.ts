import { EventEmitter } from 'node:events';
import type { ElectronModule } from '../../src/main/app-options.ts';
import { FakeApp, type FakeAppOptions } from './fake-electron/app.ts';
import {
  type FakeImage,
  type FakeKeyStore,
  type FakeMenu,
  type FakeMenuItem,
  FakeNotification,
  FakeSafeStorage,
  FakeTheme,
  FakeTray,
} from './fake-electron/desktop.ts';
import { createRecorder, type Recorder } from './fake-electron/recorder.ts';
import { FakeSession } from './fake-electron/session.ts';
import { type Bounds, type FakeFrame, FakeWindow } from './fake-electron/window.ts';

export { choose } from './fake-electron/desktop.ts';
export { createFrame } from './fake-electron/window.ts';

/** Handles the messages of a channel. */
type IpcHandler = (event: FakeSender, ...args: unknown[]) => unknown;
type ProtocolHandler = (request: Request) => Response | Promise<Response>;

/** The sender of a message. */
export interface FakeSender {
  sender: unknown;
  senderFrame: FakeFrame | null;
}

export interface FakeElectronOptions extends FakeAppOptions {
  /** State of the key store. Default: `good`. */
  keyStore?: FakeKeyStore | undefined;
  /** The work areas of the displays. Default: one of 1920 x 1080. */
  displays?: readonly Bounds[] | undefined;
}

/** A fake Electron that draws nothing and records all calls. */
export interface FakeElectron {
  /** The module to pass to `startApp`. */
  readonly electron: ElectronModule;
  readonly recorder: Recorder;
  readonly app: FakeApp;
  readonly windows: readonly FakeWindow[];
  readonly trays: readonly FakeTray[];
  readonly notifications: readonly FakeNotification[];
  readonly session: FakeSession;
  readonly theme: FakeTheme;
  readonly keyStore: FakeSafeStorage;
  readonly power: EventEmitter;
  /** State of the machine: network, clipboard, the paths chosen in the next dialog, and whether it shows notifications. */
  readonly machine: { online: boolean; clipboard: string; chosen: readonly string[]; notifies: boolean };
  /** The application menu. */
  menu(): FakeMenu | null;
  /** The open window. @throws Error if no window is open. */
  window(): FakeWindow;
  /** The handler of a scheme. @throws Error if it has none. */
  protocolHandler(scheme: string): ProtocolHandler;
  /** The channels that have a handler. */
  channels(): string[];
  /** The handler of a channel. @throws Error if it has none. */
  handler(channel: string): IpcHandler;
  /** Sends a message as the page of the window, or as another sender. Clones the input and the answer. */
  invoke(channel: string, input?: unknown, sender?: FakeSender): Promise<unknown>;
}

/** Creates a fake Electron. Instances share no state. */
export function createFakeElectron(options: FakeElectronOptions): FakeElectron {
  const recorder = createRecorder();
  const { record } = recorder;
  const windows: FakeWindow[] = [];
  const trays: FakeTray[] = [];
  const notifications: FakeNotification[] = [];
  const app = new FakeApp(options, recorder, windows);
  const session = new FakeSession();
  const theme = new FakeTheme();
  const keyStore = new FakeSafeStorage(options.keyStore ?? 'good', recorder);
  const power = new EventEmitter();
  const handlers = new Map<string, IpcHandler>();
  const protocols = new Map<string, ProtocolHandler>();
  const machine: FakeElectron['machine'] = { online: true, clipboard: '', chosen: [], notifies: true };
  const workAreas = options.displays ?? [{ x: 0, y: 0, width: 1920, height: 1080 }];
  let menu: FakeMenu | null = null;

  const shared = {
    recorder,
    list: windows,
    session,
    created: ({ webContents }: FakeWindow) => void app.emit('web-contents-created', {}, webContents),
    allClosed: () => {
      // Without a listener Electron quits automatically.
      if (!app.emit('window-all-closed')) app.quit();
    },
  };

  const electron = {
    app,
    BrowserWindow: class extends FakeWindow {
      constructor(windowOptions: Record<string, unknown>) {
        super(windowOptions, shared);
      }
    },
    Tray: class extends FakeTray {
      constructor(image: FakeImage) {
        super(image);
        record('new Tray', image.path);
        trays.push(this);
      }
    },
    Notification: class extends FakeNotification {
      static isSupported = () => machine.notifies;
      constructor(note: { title: string; body: string; silent: boolean }) {
        super(note);
        notifications.push(this);
      }
    },
    Menu: {
      buildFromTemplate: (template: readonly FakeMenuItem[]): FakeMenu => ({ template }),
      setApplicationMenu: (chosen: FakeMenu | null) => void (menu = chosen),
    },
    ipcMain: {
      handle: (channel: string, handler: IpcHandler) => {
        if (handlers.has(channel)) throw new Error(`Attempted to register a second handler for '${channel}'`);
        record('ipcMain.handle', channel);
        handlers.set(channel, handler);
      },
    },
    protocol: {
      registerSchemesAsPrivileged: (schemes: unknown) => record('protocol.registerSchemesAsPrivileged', schemes),
      handle: (scheme: string, handler: ProtocolHandler) => {
        record('protocol.handle', scheme);
        protocols.set(scheme, handler);
      },
    },
    session: { defaultSession: session },
    dialog: {
      showOpenDialog: async (...args: unknown[]) => {
        record('dialog.showOpenDialog', args.at(-1));
        return { canceled: machine.chosen.length === 0, filePaths: [...machine.chosen] };
      },
      showErrorBox: (title: string, content: string) => record('dialog.showErrorBox', title, content),
    },
    shell: {
      openExternal: async (url: string) => record('shell.openExternal', url),
      showItemInFolder: (path: string) => record('shell.showItemInFolder', path),
    },
    clipboard: {
      writeText: (text: string) => {
        record('clipboard.writeText', text);
        machine.clipboard = text;
      },
    },
    nativeTheme: theme,
    nativeImage: {
      createFromPath: (path: string) => {
        const image = { path, template: false, setTemplateImage: (on: boolean) => void (image.template = on) };
        return image;
      },
    },
    safeStorage: keyStore,
    powerMonitor: power,
    net: { isOnline: () => machine.online },
    screen: { getAllDisplays: () => workAreas.map((workArea) => ({ workArea })) },
  };

  const live = () => {
    const window = windows.findLast((one) => !one.isDestroyed());
    if (window === undefined) throw new Error('There is no window');
    return window;
  };

  const handler = (channel: string) => {
    const found = handlers.get(channel);
    if (found === undefined) throw new Error(`No handler registered for '${channel}'`);
    return found;
  };

  return {
    electron: electron as unknown as ElectronModule,
    recorder,
    app,
    windows,
    trays,
    notifications,
    session,
    theme,
    keyStore,
    power,
    machine,
    menu: () => menu,
    window: live,
    protocolHandler: (scheme) => {
      const handler = protocols.get(scheme);
      if (handler === undefined) throw new Error(`Nothing answers ${scheme}:`);
      return handler;
    },
    channels: () => [...handlers.keys()],
    handler,
    invoke: async (channel, input, sender) => {
      const from = sender ?? { sender: live().webContents, senderFrame: live().webContents.mainFrame };
      return structuredClone(await handler(channel)(from, structuredClone(input)));
    },
  };
}
