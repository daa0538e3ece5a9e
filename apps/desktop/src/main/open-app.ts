import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { defaultCacheDir } from '@berth/client';
import type { App, IpcMain, PowerMonitor } from 'electron';
import { type About, DEFAULT_SETTINGS, type Settings, type Update } from '../shared/settings.ts';
import type { AppOptions, ElectronModule } from './app-options.ts';
import type { Backend, Emit } from './backend.ts';
import { registerIpc } from './ipc/register-ipc.ts';
import { PageEvents } from './ipc/page-events.ts';
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
import { type Quitting, stopBeforeQuit } from './shell/quit.ts';
import { hasTrayHost } from './shell/tray-host.ts';
import { AppTray } from './shell/tray.ts';
import { createUpdates } from './shell/updates.ts';
import { type Appearance, MainWindow } from './shell/window.ts';

/** The parameters of the start that are known when Electron is ready. */
export interface Start {
  platform: About['platform'];
  /** True if the app must start without showing its window. */
  hidden: boolean;
  /** Subscribes to links and folders that are opened with the app. */
  onLaunch: ReturnType<typeof createLaunches>;
}

/** How many seconds a desktop may take after login until it shows its tray. */
const LOGIN_ATTEMPTS = 10;

/**
 * Builds the app once Electron is ready: the protection of the page, the backend, the IPC handlers, and then the menu, the tray
 * and the window.
 *
 * @throws The errors of opening the backend.
 */
export async function openApp(electron: ElectronModule, options: AppOptions, start: Start): Promise<void> {
  guardPage(electron, options.dist);
  if (electron.app.isPackaged) electron.app.setAsDefaultProtocolClient(LINK_SCHEME);
  const system = await openSystem(electron, options, start);
  await new RunningApp(electron, options, system).open(start.onLaunch);
}

/** Opens what the app uses of the computer it runs on. */
async function openSystem(
  { app, safeStorage }: Pick<ElectronModule, 'app' | 'safeStorage'>,
  options: AppOptions,
  { platform, hidden }: Start,
) {
  const home = join(app.getPath('userData'), 'berth');
  const isHidden = hidden || (platform === 'darwin' && app.getLoginItemSettings().wasOpenedAtLogin);
  const findTray = options.hasTray ?? ((attempts: number) => hasTrayHost(platform, attempts));
  const [keychain, canTray] = await Promise.all([
    openKeychain(safeStorage, join(home, 'keys'), platform),
    findTray(isHidden ? LOGIN_ATTEMPTS : 1),
  ]);
  const { env, execPath, resourcesPath: resources } = options.process;
  // The program inside an AppImage vanishes when the app ends, so start the image.
  const program = env['APPIMAGE'] || execPath;
  const loginItem = createLoginItem(app, { platform, env, program });
  const updates = options.updates ?? createUpdates({ app, resources, program });
  return { platform, home, keychain, loginItem, updates, canTray, isHidden };
}

type System = Awaited<ReturnType<typeof openSystem>>;

/** The app from its start until it quits. */
class RunningApp {
  readonly #electron: ElectronModule;
  readonly #options: AppOptions;
  readonly #system: System;
  readonly #assets: string;
  readonly #quitting: Quitting;
  readonly #window: MainWindow;
  readonly #pageEvents: PageEvents;
  #settings: Settings = DEFAULT_SETTINGS;
  #update: Update = { is: 'none' };
  #opening: Promise<Backend> | null = null;
  #tray: AppTray | null = null;
  #leaveMachine = () => {};

  constructor(electron: ElectronModule, options: AppOptions, system: System) {
    this.#electron = electron;
    this.#options = options;
    this.#system = system;
    this.#assets = join(options.dist, 'assets');
    this.#quitting = stopBeforeQuit(electron.app, () => this.#close());
    this.#window = new MainWindow({
      ...electron,
      platform: system.platform,
      preload: join(options.dist, 'preload', 'index.cjs'),
      icon: windowIcon(this.#assets, system.platform),
      stateFile: join(system.home, 'window.json'),
      staysWhenClosed: () => this.#staysWhenClosed(),
      onFocus: () => void this.#opening?.then((backend) => backend.onWake()),
      onLoading: () => this.#pageEvents.reset(),
    });
    this.#pageEvents = new PageEvents(() => this.#window.current());
  }

  async open(onLaunch: Start['onLaunch']): Promise<void> {
    const { app, ipcMain, powerMonitor, net } = this.#electron;
    const { updates, canTray, isHidden } = this.#system;
    this.#opening = this.#openBackend();
    const backend = await this.#opening;
    this.#settings = (await backend.handlers.readState(undefined)).settings;

    answerPage(ipcMain, this.#window, backend, this.#pageEvents);
    const actions = createActions(backend, this.#window, this.#emit, () => app.quit());
    this.#addMenu(actions);
    quitAtShutdown(powerMonitor, app);
    if (canTray) this.#addTray(actions, backend);
    this.#window.open(appearanceOf(isHidden, canTray));
    this.#leaveMachine = followMachine(powerMonitor, net, backend);
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
    const { app, Notification } = this.#electron;
    const { platform, home, keychain, loginItem, updates, canTray } = this.#system;
    return this.#options.openBackend({
      dataDir: join(home, 'data'),
      cacheDir: defaultCacheDir(this.#options.process.env, platform),
      ...this.#options.backend,
      about: { version: app.getVersion(), platform, tray: canTray, canOpenAtLogin: loginItem.available },
      native: createNative({
        electron: this.#electron,
        window: this.#window,
        keychain,
        loginItem,
        notify: createNotifier(Notification),
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
      // If the app is quitting already, do not quit again: an update closes the windows first.
      if (!this.#staysWhenClosed() && !this.#quitting.begun()) app.quit();
    });
  }

  #addTray(actions: Actions, backend: Backend): void {
    const { platform } = this.#system;
    const icons = join(this.#assets, 'tray');
    this.#tray = new AppTray({ ...this.#electron, platform, icons, actions, summary: () => backend.summary() });
  }

  #staysWhenClosed(): boolean {
    return this.#tray !== null && this.#settings.closeToTray && !this.#quitting.begun();
  }

  async #close(): Promise<void> {
    this.#leaveMachine();
    await (await this.#opening)?.close();
    this.#tray?.close();
  }
}

/** Serves only the page. Grants no permission and lets no request out. */
function guardPage({ protocol, session }: Pick<ElectronModule, 'protocol' | 'session'>, dist: string): void {
  protocol.handle(APP_SCHEME, createAppProtocol(join(dist, 'renderer')));
  refusePermissions(session.defaultSession);
}

/** Answers the commands of the page. After the page has read the state, it gets the queued events. */
function answerPage(ipcMain: IpcMain, window: MainWindow, backend: Backend, pageEvents: PageEvents): void {
  const readState = async () => {
    const state = await backend.handlers.readState(undefined);
    // The page must get the answer before the queued events.
    setImmediate(() => pageEvents.ready());
    return state;
  };
  registerIpc({
    ipcMain,
    window: () => window.current(),
    backend: { give: (paths) => backend.give(paths), handlers: { ...backend.handlers, readState } },
  });
}

/** Delays a shutdown for a few seconds on Linux and macOS so that the app can quit. Windows does not wait: the app is killed. */
function quitAtShutdown(powerMonitor: PowerMonitor, app: Pick<App, 'quit'>): void {
  const quit = (event: Pick<Event, 'preventDefault'>) => {
    event.preventDefault();
    app.quit();
  };
  // Electron's types lack the argument of this event.
  powerMonitor.on('shutdown', quit as () => void);
}

/** Minimizes instead of hiding the window if there is no tray to open it from. */
function appearanceOf(hidden: boolean, tray: boolean): Appearance {
  if (!hidden) return 'shown';
  return tray ? 'hidden' : 'minimized';
}

/** The icon of the window. Only Linux needs it; macOS and Windows use the icon of the program. */
function windowIcon(assets: string, platform: string): string | null {
  const icon = join(assets, 'icon.png');
  return platform === 'linux' && existsSync(icon) ? icon : null;
}
