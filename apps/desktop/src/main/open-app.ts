import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { defaultCacheDir } from '@berth/client';
import type { App, IpcMain, PowerMonitor } from 'electron';
import { type About, DEFAULT_SETTINGS, type Settings, type Update } from '../shared/settings.ts';
import type { AppOptions, ElectronModule } from './app-options.ts';
import type { Backend, Emit } from './backend.ts';
import { registerIpc } from './ipc/register-ipc.ts';
import { createPageEvents, type PageEvents } from './ipc/page-events.ts';
import { createActions } from './shell/actions.ts';
import { APP_SCHEME, createAppProtocol } from './shell/app-protocol.ts';
import type { Launches } from './shell/launches.ts';
import { LINK_SCHEME } from './shell/deep-link.ts';
import { createUpdates } from './shell/electron-updater.ts';
import { openKeychain } from './shell/keychain.ts';
import { createLoginItem } from './shell/login-item.ts';
import { followMachine } from './shell/machine.ts';
import { menuTemplate } from './shell/menu.ts';
import { createNative } from './shell/native.ts';
import { refusePermissions } from './shell/navigation.ts';
import { createNotifier } from './shell/notifier.ts';
import { programOf } from './shell/program.ts';
import { stopBeforeQuit } from './shell/quit.ts';
import { hasTrayHost } from './shell/tray-host.ts';
import { type AppTray, createTray } from './shell/tray.ts';
import { type Appearance, createMainWindow, type MainWindow } from './shell/window.ts';

/** The parameters of the start that are known when Electron is ready. */
export interface Start {
  platform: About['platform'];
  /** True if the app must start without showing its window. */
  hidden: boolean;
  launches: Launches;
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
  const { app, Menu, net, powerMonitor } = electron;
  const { platform, launches } = start;
  const home = join(app.getPath('userData'), 'berth');
  const assets = join(options.dist, 'assets');
  const isHidden = start.hidden || (platform === 'darwin' && app.getLoginItemSettings().wasOpenedAtLogin);

  guardPage(electron, options.dist);
  if (app.isPackaged) app.setAsDefaultProtocolClient(LINK_SCHEME);

  const findTray = options.hasTray ?? ((attempts: number) => hasTrayHost(platform, attempts));
  const [keychain, canTray] = await Promise.all([
    openKeychain(electron.safeStorage, join(home, 'keys'), platform),
    findTray(isHidden ? LOGIN_ATTEMPTS : 1),
  ]);
  const { env, execPath, resourcesPath: resources } = options.process;
  const program = programOf(env, execPath);
  const loginItem = createLoginItem(app, { platform, env, program });
  const updates = options.updates ?? createUpdates({ app, resources, program });

  let settings: Settings = DEFAULT_SETTINGS;
  let update: Update = { is: 'none' };
  let opening: Promise<Backend> | null = null;
  let tray: AppTray | null = null;
  let leaveMachine = () => {};

  const quitting = stopBeforeQuit(app, async () => {
    leaveMachine();
    await (await opening)?.close();
    tray?.close();
  });
  const staysWhenClosed = () => tray !== null && settings.closeToTray && !quitting.begun();
  const window = createMainWindow({
    ...electron,
    platform,
    preload: join(options.dist, 'preload', 'index.cjs'),
    icon: windowIcon(assets, platform),
    stateFile: join(home, 'window.json'),
    staysWhenClosed,
    onFocus: () => void opening?.then((backend) => backend.onWake()),
    onLoading: () => pageEvents.reset(),
  });
  const pageEvents = createPageEvents(() => window.current());
  const emit: Emit = (name, data) => {
    if (name === 'settings') settings = data as Settings;
    pageEvents.emit(name, data);
    tray?.update();
  };
  opening = options.openBackend({
    dataDir: join(home, 'data'),
    cacheDir: defaultCacheDir(env, platform),
    ...options.backend,
    about: { version: app.getVersion(), platform, tray: canTray, canOpenAtLogin: loginItem.available },
    native: createNative({
      electron,
      window,
      keychain,
      loginItem,
      notify: createNotifier(electron.Notification),
      restartToUpdate: () => {
        if (update.is === 'ready') void quitting.stop().then(() => updates.restart());
      },
    }),
    emit,
  });
  const backend = await opening;
  ({ settings } = await backend.handlers.readState(undefined));

  answerPage(electron.ipcMain, window, backend, pageEvents);
  const actions = createActions(backend, window, emit, () => app.quit());
  Menu.setApplicationMenu(Menu.buildFromTemplate(menuTemplate({ platform, packaged: app.isPackaged }, actions)));
  app.on('activate', () => window.show());
  app.on('window-all-closed', () => {
    // If the app is quitting already, do not quit again: an update closes the windows first.
    if (!staysWhenClosed() && !quitting.begun()) app.quit();
  });
  quitAtShutdown(powerMonitor, app);

  if (canTray) {
    const icons = join(assets, 'tray');
    tray = createTray({ ...electron, platform, icons, actions, summary: () => backend.summary() });
  }
  window.open(appearanceOf(isHidden, canTray));
  leaveMachine = followMachine(powerMonitor, net, backend);
  updates.start((next) => {
    update = next;
    backend.setUpdate(next);
  });
  launches.subscribe(actions.receive);
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
