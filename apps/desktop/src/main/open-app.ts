import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { defaultCacheDir } from '@berth/client';
import type { App, ContextMenuParams, PowerMonitor } from 'electron';
import { COMMANDS } from '../shared/channels.ts';
import { type About, DEFAULT_SETTINGS, type Settings, type Update } from '../shared/settings.ts';
import type { AppOptions, ElectronModule } from './app-options.ts';
import type { Backend, Emit, Handlers } from './backend.ts';
import { registerIpc } from './ipc/register-ipc.ts';
import { createPageEvents, type PageEvents } from './ipc/page-events.ts';
import { type Actions, createActions } from './shell/actions.ts';
import { APP_SCHEME, createAppProtocol } from './shell/app-protocol.ts';
import { createChromiumFetch } from './shell/chromium-fetch.ts';
import { contextMenuTemplate } from './shell/context-menu.ts';
import type { createLaunches } from './shell/launches.ts';
import { LINK_SCHEME } from './shell/deep-link.ts';
import { DropWindow } from './shell/drop-window.ts';
import { SystemKeychain } from './shell/keychain.ts';
import type { Log } from './shell/log.ts';
import { createLoginItem } from './shell/login-item.ts';
import { followMachine } from './shell/machine.ts';
import { menuTemplate } from './shell/menu.ts';
import { createNative } from './shell/native.ts';
import { refusePermissions } from './shell/navigation.ts';
import { Notifier } from './shell/notifier.ts';
import { stopBeforeQuit } from './shell/quit.ts';
import { hasTrayHost } from './shell/tray-host.ts';
import { createTray } from './shell/tray.ts';
import { createUpdates } from './shell/updates.ts';
import { createMainWindow, type MainWindow } from './shell/window.ts';
import { WorkSigns } from './shell/work-signs.ts';

/** The parameters of the start that are known when Electron is ready. */
interface Start {
  platform: About['platform'];
  /** True if the app must start without showing its window. */
  hidden: boolean;
  /** Subscribes to links and folders that are opened with the app. */
  onLaunch: ReturnType<typeof createLaunches>;
  log: Log;
}

/** How many times to ask for a tray after login, one second apart, because the desktop may still be starting. */
const LOGIN_ATTEMPTS = 10;

/** The session of the requests to servers. It is kept in memory, and the page cannot use it. */
const SERVERS_SESSION = 'servers';

/**
 * Builds the app once Electron is ready. The window opens first: it shows that the app starts while the backend loads its data and
 * the system is asked for a tray.
 *
 * @throws The errors of opening the backend.
 */
export async function openApp(electron: ElectronModule, options: AppOptions, start: Start): Promise<void> {
  const { app, protocol, session } = electron;
  protocol.handle(APP_SCHEME, createAppProtocol(join(options.dist, 'renderer')));
  refusePermissions(session.defaultSession);
  await new RunningApp(electron, options, start).open();
  // Asks the system only once the window is open: Linux starts a program for the answer.
  if (app.isPackaged && !app.isDefaultProtocolClient(LINK_SCHEME)) app.setAsDefaultProtocolClient(LINK_SCHEME);
}

/** What the app uses of the system. */
type System = ReturnType<typeof createSystem>;

function createSystem({ app, safeStorage }: ElectronModule, options: AppOptions, { platform, hidden, log }: Start) {
  const home = join(app.getPath('userData'), 'berth');
  const { env, execPath, resourcesPath: resources } = options.process;
  // The program inside an AppImage vanishes when the app quits, so the image must be started instead.
  const program = env['APPIMAGE'] || execPath;
  return {
    platform,
    home,
    hidden: hidden || (platform === 'darwin' && app.getLoginItemSettings().wasOpenedAtLogin),
    keychain: new SystemKeychain(safeStorage, join(home, 'keys'), platform),
    loginItem: createLoginItem(app, { platform, env, program }),
    updates: options.updates ?? createUpdates({ app, resources, program, log }),
    log,
  };
}

/** The app from its start until it quits. */
class RunningApp {
  readonly #electron: ElectronModule;
  readonly #options: AppOptions;
  readonly #start: Start;
  readonly #system: System;
  readonly #assets: string;
  readonly #quitting: ReturnType<typeof stopBeforeQuit>;
  readonly #window: MainWindow;
  readonly #dropWindow: DropWindow;
  readonly #pageEvents: PageEvents;
  readonly #actions: Actions;
  readonly #workSigns: WorkSigns;
  readonly #opening = Promise.withResolvers<Backend>();
  #opened: Backend | null = null;
  #isOpening = false;
  #settings: Settings = DEFAULT_SETTINGS;
  #update: Update = { is: 'none' };
  #tray: ReturnType<typeof createTray> | null = null;
  #stopFollowing = () => {};

  constructor(electron: ElectronModule, options: AppOptions, start: Start) {
    this.#electron = electron;
    this.#options = options;
    this.#start = start;
    this.#system = createSystem(electron, options, start);
    this.#assets = join(options.dist, 'assets');
    this.#quitting = stopBeforeQuit(electron.app, () => this.#close());
    this.#window = this.#createWindow();
    this.#dropWindow = new DropWindow({ ...electron, ...this.#windowParts() });
    this.#pageEvents = createPageEvents(this.#window.current, this.#dropWindow.current);
    const { app, powerSaveBlocker, shell } = electron;
    this.#actions = createActions(this.#calls, this.#window, this.#emit, {
      quit: () => app.quit(),
      showLogs: () => shell.showItemInFolder(start.log.path),
    });
    this.#workSigns = new WorkSigns({ powerSaveBlocker, window: () => this.#window.current() });
    // Each caller that waits for the backend gets the error, and so does `open`.
    this.#opening.promise.catch(() => {});
  }

  async open(): Promise<void> {
    const { app, powerMonitor, net } = this.#electron;
    const { platform, hidden, updates } = this.#system;
    this.#registerHandlers();
    this.#addMenu();
    quitAtShutdown(powerMonitor, app);
    if (!hidden) this.#window.open('shown');

    const findTray = this.#options.hasTray ?? ((attempts: number) => hasTrayHost(platform, attempts));
    const canTray = await findTray(hidden ? LOGIN_ATTEMPTS : 1);
    // Without a tray, a hidden window could not be opened, so the window is minimized instead.
    if (hidden && this.#window.current() === null) this.#window.open(canTray ? 'hidden' : 'minimized');
    if (this.#quitting.begun()) return;
    const backend = await this.#openBackend(canTray);
    if (canTray) this.#tray = this.#createTray(backend);
    this.#stopFollowing = followMachine(powerMonitor, net, backend);
    updates.start((next) => {
      this.#update = next;
      backend.setUpdate(next);
    });
    this.#start.onLaunch(this.#actions.receive);
  }

  readonly #emit: Emit = (name, data) => {
    if (name === 'settings') this.#settings = data as Settings;
    this.#pageEvents.emit(name, data);
    this.#tray?.update();
    if (this.#opened) this.#workSigns.update(this.#opened.summary());
  };

  /** The backend for callers that do not wait until it is open. Their calls wait instead. */
  readonly #calls: Pick<Backend, 'give' | 'handlers'> = {
    give: async (paths) => (await this.#opening.promise).give(paths),
    handlers: Object.fromEntries(
      COMMANDS.map((name) => [
        name,
        async (input: never) => ((await this.#opening.promise).handlers[name] as (input: never) => unknown)(input),
      ]),
    ) as unknown as Handlers,
  };

  async #openBackend(canTray: boolean): Promise<Backend> {
    this.#isOpening = true;
    try {
      const backend = await this.#options.openBackend(this.#optionsOfBackend(canTray));
      ({ settings: this.#settings } = await backend.handlers.readState(undefined));
      this.#opened = backend;
      this.#system.log.info('The engine is ready');
      this.#opening.resolve(backend);
      return backend;
    } catch (error) {
      this.#opening.reject(error);
      throw error;
    }
  }

  #optionsOfBackend(canTray: boolean): Parameters<AppOptions['openBackend']>[0] {
    const { app, net, Notification, session } = this.#electron;
    const { platform, home, keychain, loginItem, updates, log } = this.#system;
    const { copyLink, openLink, showTarget, showWindow } = this.#actions;
    const isFocused = () => this.#window.isFocused() || this.#dropWindow.isFocused();
    const notifier = new Notifier({ Notification, isFocused, copyLink, openLink, show: showTarget });
    return {
      dataDir: join(home, 'data'),
      cacheDir: defaultCacheDir(this.#options.process.env, platform),
      fetch: createChromiumFetch(net, session.fromPartition(SERVERS_SESSION, { cache: false })),
      ...this.#options.backend,
      about: { version: app.getVersion(), platform, tray: canTray, canOpenAtLogin: loginItem.available },
      native: createNative({
        electron: this.#electron,
        window: this.#window,
        keychain,
        loginItem,
        notify: notifier.notify,
        showWindow,
        restartToUpdate: () => {
          if (this.#update.is === 'ready') void this.#quitting.stop().then(() => updates.restart());
        },
      }),
      emit: this.#emit,
      onCrash: (error) => log.error('The engine failed', error),
    };
  }

  #createWindow(): MainWindow {
    return createMainWindow({
      ...this.#electron,
      ...this.#windowParts(),
      stateFile: join(this.#system.home, 'window.json'),
      staysWhenClosed: () => this.#staysWhenClosed(),
      onFocus: () => this.#opened?.onWake(),
      onLoading: () => {
        this.#pageEvents.reset();
        this.#system.log.info('The window loads its page');
      },
      onContextMenu: (params) => this.#showContextMenu(params),
    });
  }

  #windowParts(): { platform: string; preload: string; icon: string | null } {
    const { platform } = this.#system;
    // Only Linux needs the icon. macOS and Windows use the icon of the program.
    const icon = join(this.#assets, 'icon.png');
    return {
      platform,
      preload: join(this.#options.dist, 'preload', 'index.cjs'),
      icon: platform === 'linux' && existsSync(icon) ? icon : null,
    };
  }

  #showContextMenu(params: ContextMenuParams): void {
    const template = contextMenuTemplate(params, this.#actions);
    const window = this.#window.current();
    if (template.length > 0 && window !== null) this.#electron.Menu.buildFromTemplate(template).popup({ window });
  }

  #createTray(backend: Backend): ReturnType<typeof createTray> {
    const { platform } = this.#system;
    const icons = join(this.#assets, 'tray');
    return createTray({
      ...this.#electron,
      platform,
      icons,
      actions: this.#actions,
      dropWindow: this.#dropWindow,
      summary: () => backend.summary(),
    });
  }

  #addMenu(): void {
    const { app, Menu } = this.#electron;
    const { platform } = this.#system;
    Menu.setApplicationMenu(
      Menu.buildFromTemplate(menuTemplate({ platform, packaged: app.isPackaged }, this.#actions)),
    );
    app.on('activate', () => this.#window.show());
    app.on('window-all-closed', () => {
      // An update closes the windows before it quits the app, so the app must not quit a second time.
      if (!this.#staysWhenClosed() && !this.#quitting.begun()) app.quit();
    });
  }

  /** Registers the handlers of the commands of the pages. The main window gets the queued events after it has read the state. */
  #registerHandlers(): void {
    registerIpc({
      ipcMain: this.#electron.ipcMain,
      windows: () => [this.#window.current(), this.#dropWindow.current()],
      backend: this.#calls,
      onStateRead: (page) => this.#pageEvents.ready(page),
      onBug: (error) => this.#system.log.error('A command failed', error),
    });
  }

  #staysWhenClosed(): boolean {
    return this.#tray !== null && this.#settings.closeToTray && !this.#quitting.begun();
  }

  async #close(): Promise<void> {
    this.#stopFollowing();
    this.#workSigns.close();
    if (this.#isOpening) await (await this.#opening.promise.catch(() => null))?.close();
    this.#tray?.close();
  }
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
