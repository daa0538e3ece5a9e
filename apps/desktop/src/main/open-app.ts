import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { defaultCacheDir } from '@berth/client';
import type { App, IpcMain, PowerMonitor } from 'electron';
import { type About, DEFAULT_SETTINGS, type Settings, type Update } from '../shared/settings.ts';
import type { AppOptions, ElectronModule } from './app-options.ts';
import type { Backend, Emit } from './backend.ts';
import { registerIpc } from './ipc/register-ipc.ts';
import { createPageEvents, type PageEvents } from './ipc/page-events.ts';
import { type Actions, createActions } from './shell/actions.ts';
import { APP_SCHEME, createAppProtocol } from './shell/app-protocol.ts';
import type { createLaunches } from './shell/launches.ts';
import { LINK_SCHEME } from './shell/deep-link.ts';
import { openKeychain } from './shell/keychain.ts';
import { createLoginItem } from './shell/login-item.ts';
import { followMachine } from './shell/machine.ts';
import { menuTemplate } from './shell/menu.ts';
import { createNative } from './shell/native.ts';
import { refusePermissions } from './shell/navigation.ts';
import { createNotifier } from './shell/notifier.ts';
import { stopBeforeQuit } from './shell/quit.ts';
import { hasTrayHost } from './shell/tray-host.ts';
import { createTray } from './shell/tray.ts';
import { createUpdates } from './shell/updates.ts';
import { createMainWindow, type MainWindow } from './shell/window.ts';

/** The parameters of the start that are known when Electron is ready. */
interface Start {
  platform: About['platform'];
  /** True if the app must start without showing its window. */
  hidden: boolean;
  /** Subscribes to links and folders that are opened with the app. */
  onLaunch: ReturnType<typeof createLaunches>;
}

/** How many times to ask for a tray after login, one second apart, because the desktop may still be starting. */
const LOGIN_ATTEMPTS = 10;

/**
 * Builds the app once Electron is ready: the protection of the page, the backend, the IPC handlers, and then the menu, the tray
 * and the window.
 *
 * @throws The errors of opening the backend.
 */
export async function openApp(electron: ElectronModule, options: AppOptions, start: Start): Promise<void> {
  const { app, protocol, session } = electron;
  protocol.handle(APP_SCHEME, createAppProtocol(join(options.dist, 'renderer')));
  refusePermissions(session.defaultSession);
  if (app.isPackaged) app.setAsDefaultProtocolClient(LINK_SCHEME);
  const system = await openSystem(electron, options, start);
  await new RunningApp(electron, options, system).open(start.onLaunch);
}

type System = Awaited<ReturnType<typeof openSystem>>;

/** Opens what the app uses of the system. */
async function openSystem({ app, safeStorage }: ElectronModule, options: AppOptions, start: Start) {
  const { platform } = start;
  const home = join(app.getPath('userData'), 'berth');
  const startsHidden = start.hidden || (platform === 'darwin' && app.getLoginItemSettings().wasOpenedAtLogin);
  const findTray = options.hasTray ?? ((attempts: number) => hasTrayHost(platform, attempts));
  const [keychain, canTray] = await Promise.all([
    openKeychain(safeStorage, join(home, 'keys'), platform),
    findTray(startsHidden ? LOGIN_ATTEMPTS : 1),
  ]);
  const { env, execPath, resourcesPath: resources } = options.process;
  // The program inside an AppImage vanishes when the app quits, so the image must be started instead.
  const program = env['APPIMAGE'] || execPath;
  const loginItem = createLoginItem(app, { platform, env, program });
  const updates = options.updates ?? createUpdates({ app, resources, program });
  return { platform, home, hidden: startsHidden, keychain, canTray, loginItem, updates };
}

/** The app from its start until it quits. */
class RunningApp {
  readonly #electron: ElectronModule;
  readonly #options: AppOptions;
  readonly #system: System;
  readonly #assets: string;
  readonly #quitting: ReturnType<typeof stopBeforeQuit>;
  readonly #window: MainWindow;
  readonly #pageEvents: PageEvents;
  #settings: Settings = DEFAULT_SETTINGS;
  #update: Update = { is: 'none' };
  #opening: Promise<Backend> | null = null;
  #tray: ReturnType<typeof createTray> | null = null;
  #stopFollowing = () => {};

  constructor(electron: ElectronModule, options: AppOptions, system: System) {
    const { platform, home } = system;
    this.#electron = electron;
    this.#options = options;
    this.#system = system;
    this.#assets = join(options.dist, 'assets');
    this.#quitting = stopBeforeQuit(electron.app, () => this.#close());
    // Only Linux needs the icon. macOS and Windows use the icon of the program.
    const icon = join(this.#assets, 'icon.png');
    this.#window = createMainWindow({
      ...electron,
      platform,
      preload: join(options.dist, 'preload', 'index.cjs'),
      icon: platform === 'linux' && existsSync(icon) ? icon : null,
      stateFile: join(home, 'window.json'),
      staysWhenClosed: () => this.#staysWhenClosed(),
      onFocus: () => void this.#opening?.then((backend) => backend.onWake()),
      onLoading: () => this.#pageEvents.reset(),
    });
    this.#pageEvents = createPageEvents(() => this.#window.current());
  }

  async open(onLaunch: Start['onLaunch']): Promise<void> {
    const { app, ipcMain, net, powerMonitor } = this.#electron;
    const { platform, hidden, canTray, updates } = this.#system;
    this.#opening = this.#openBackend();
    const backend = await this.#opening;
    ({ settings: this.#settings } = await backend.handlers.readState(undefined));

    registerHandlers(ipcMain, this.#window, backend, this.#pageEvents);
    const actions = createActions(backend, this.#window, this.#emit, () => app.quit());
    this.#addMenu(actions);
    quitAtShutdown(powerMonitor, app);
    const icons = join(this.#assets, 'tray');
    const summary = () => backend.summary();
    if (canTray) this.#tray = createTray({ ...this.#electron, platform, icons, actions, summary });
    // Without a tray, a hidden window could not be opened, so the window is minimized instead.
    const hiddenAppearance = canTray ? 'hidden' : 'minimized';
    this.#window.open(hidden ? hiddenAppearance : 'shown');
    this.#stopFollowing = followMachine(powerMonitor, net, backend);
    updates.start((next) => {
      this.#update = next;
      backend.setUpdate(next);
    });
    onLaunch(actions.receive);
  }

  readonly #emit: Emit = (name, data) => {
    if (name === 'settings') this.#settings = data as Settings;
    this.#pageEvents.emit(name, data);
    this.#tray?.update();
  };

  #openBackend(): Promise<Backend> {
    const { platform, home, keychain, canTray, loginItem, updates } = this.#system;
    return this.#options.openBackend({
      dataDir: join(home, 'data'),
      cacheDir: defaultCacheDir(this.#options.process.env, platform),
      ...this.#options.backend,
      about: { version: this.#electron.app.getVersion(), platform, tray: canTray, canOpenAtLogin: loginItem.available },
      native: createNative({
        electron: this.#electron,
        window: this.#window,
        keychain,
        loginItem,
        notify: createNotifier(this.#electron.Notification),
        restartToUpdate: () => {
          if (this.#update.is === 'ready') void this.#quitting.stop().then(() => updates.restart());
        },
      }),
      emit: this.#emit,
    });
  }

  #addMenu(actions: Actions): void {
    const { app, Menu } = this.#electron;
    const { platform } = this.#system;
    Menu.setApplicationMenu(Menu.buildFromTemplate(menuTemplate({ platform, packaged: app.isPackaged }, actions)));
    app.on('activate', () => this.#window.show());
    app.on('window-all-closed', () => {
      // An update closes the windows before it quits the app, so the app must not quit a second time.
      if (!this.#staysWhenClosed() && !this.#quitting.begun()) app.quit();
    });
  }

  #staysWhenClosed(): boolean {
    return this.#tray !== null && this.#settings.closeToTray && !this.#quitting.begun();
  }

  async #close(): Promise<void> {
    this.#stopFollowing();
    await (await this.#opening)?.close();
    this.#tray?.close();
  }
}

/** Registers the handlers of the page's commands. The page gets the queued events after it has read the state. */
function registerHandlers(ipcMain: IpcMain, window: MainWindow, backend: Backend, pageEvents: PageEvents): void {
  const readState = async () => {
    const state = await backend.handlers.readState(undefined);
    // The page must get the state before the queued events.
    setImmediate(() => pageEvents.ready());
    return state;
  };
  registerIpc({
    ipcMain,
    window: () => window.current(),
    backend: { give: (paths) => backend.give(paths), handlers: { ...backend.handlers, readState } },
  });
}

/** Delays a shutdown for a few seconds on Linux and macOS so that the app can quit. Windows does not wait and kills the app. */
function quitAtShutdown(powerMonitor: PowerMonitor, app: Pick<App, 'quit'>): void {
  const quit = (event: Pick<Event, 'preventDefault'>) => {
    event.preventDefault();
    app.quit();
  };
  // Electron's types lack the argument of this event.
  powerMonitor.on('shutdown', quit as () => void);
}
