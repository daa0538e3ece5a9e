import { EventEmitter } from 'node:events';
import type { ElectronModule } from '../../src/main/app-options.ts';
import { FakeApp, type FakeAppOptions } from './fake-electron/app.ts';
import {
  type FakeImage,
  type FakeMenu,
  type FakeMenuItem,
  FakeNotification,
  type FakeNotificationOptions,
  FakeSafeStorage,
  FakeTheme,
  FakeTray,
} from './fake-electron/desktop.ts';
import { createRecorder } from './fake-electron/recorder.ts';
import { FakeClientRequest } from './fake-electron/net.ts';
import { FakeSession } from './fake-electron/session.ts';
import { type Bounds, type FakeSender, FakeWindow } from './fake-electron/window.ts';

export { choose } from './fake-electron/desktop.ts';
export { createFrame, type FakeSender } from './fake-electron/window.ts';

type IpcHandler = (event: FakeSender, ...args: unknown[]) => unknown;
type ProtocolHandler = (request: Request) => Response | Promise<Response>;

export interface FakeElectronOptions extends FakeAppOptions {
  /** The work areas of the displays. Default: a display of 1920 x 1080. */
  displays?: readonly Bounds[] | undefined;
}

export type FakeElectron = ReturnType<typeof createFakeElectron>;

/** Creates a fake Electron that draws nothing and records its calls. Instances share no state. */
export function createFakeElectron(options: FakeElectronOptions) {
  const recorder = createRecorder();
  const { record } = recorder;
  const windows: FakeWindow[] = [];
  const trays: FakeTray[] = [];
  const notifications: FakeNotification[] = [];
  const app = new FakeApp(options, recorder, windows);
  const session = new FakeSession();
  const theme = new FakeTheme();
  const powerMonitor = new EventEmitter();
  const handlers = new Map<string, IpcHandler>();
  const protocols = new Map<string, ProtocolHandler>();
  /** The state of the computer. `chosen` contains the paths that the user picks in the next system dialog. */
  const machine = {
    online: true,
    clipboard: '',
    chosen: [] as readonly string[],
    notifies: true,
    pointer: { x: 0, y: 0 },
  };
  const workAreas = options.displays ?? [{ x: 0, y: 0, width: 1920, height: 1080 }];
  let menu: FakeMenu | null = null;
  let contextMenu: FakeMenu | null = null;
  const blockers = new Set<number>();

  const electron = {
    app,
    BrowserWindow: class extends FakeWindow {
      constructor(windowOptions: Record<string, unknown>) {
        super(windowOptions, { recorder, app, list: windows, session });
      }
    },
    Tray: class extends FakeTray {
      constructor(image: FakeImage) {
        super(image);
        trays.push(this);
      }
    },
    Notification: class extends FakeNotification {
      static isSupported = () => machine.notifies;
      constructor(note: FakeNotificationOptions) {
        super(note);
        notifications.push(this);
      }
    },
    Menu: {
      buildFromTemplate: (template: readonly FakeMenuItem[]): FakeMenu => {
        const built: FakeMenu = { template, popup: () => void (contextMenu = built) };
        return built;
      },
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
    session: { defaultSession: session, fromPartition: () => new FakeSession() },
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
    clipboard: { writeText: (text: string) => void (machine.clipboard = text) },
    nativeTheme: theme,
    nativeImage: {
      createFromPath: (path: string) => ({
        path,
        template: false,
        setTemplateImage(on: boolean) {
          this.template = on;
        },
      }),
    },
    safeStorage: new FakeSafeStorage('good'),
    powerMonitor: powerMonitor,
    net: {
      isOnline: () => machine.online,
      request: (requestOptions: ConstructorParameters<typeof FakeClientRequest>[0]) =>
        new FakeClientRequest(requestOptions),
    },
    powerSaveBlocker: {
      start: (type: string) => {
        record('powerSaveBlocker.start', type);
        blockers.add(blockers.size + 1);
        return blockers.size;
      },
      stop: (id: number) => void blockers.delete(id),
    },
    screen: {
      getAllDisplays: () => workAreas.map((workArea) => ({ workArea })),
      getCursorScreenPoint: () => machine.pointer,
      getDisplayNearestPoint: ({ x, y }: Pick<Bounds, 'x' | 'y'>) => {
        const distance = (area: Bounds) => Math.hypot(x - (area.x + area.width / 2), y - (area.y + area.height / 2));
        return { workArea: workAreas.toSorted((one, other) => distance(one) - distance(other))[0]! };
      },
    },
  };

  const openWindow = () => windows.findLast((each) => !each.isDestroyed())!;

  return {
    /** The module to pass to `startApp`. */
    electron: electron as unknown as ElectronModule,
    recorder,
    app,
    windows,
    trays,
    notifications,
    session,
    theme,
    power: powerMonitor,
    machine,
    menu: () => menu,
    /** The context menu that was shown last. */
    contextMenu: () => contextMenu,
    /** The reasons why the system must not suspend the app. */
    blockers,
    window: openWindow,
    protocolHandler: (scheme: string) => protocols.get(scheme)!,
    channels: () => [...handlers.keys()],
    handler: (channel: string) => handlers.get(channel)!,
    /** Sends a message as the page of the window, or as another sender. The input and the answer are cloned, as in Electron. */
    async invoke(channel: string, input?: unknown, sender: FakeSender = openWindow().asSender()): Promise<unknown> {
      return structuredClone(await handlers.get(channel)!(sender, structuredClone(input)));
    },
  };
}
