import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { defaultCacheDir } from '@berth/client';
import { type About, DEFAULT_SETTINGS, type Settings, type Update } from '../shared/settings.ts';
import type { Backend, Tell } from './backend.ts';
import { registerIpc } from './ipc/register-ipc.ts';
import { createTeller } from './ipc/teller.ts';
import { createActions } from './shell/actions.ts';
import { APP_SCHEME, createAppProtocol } from './shell/app-protocol.ts';
import type { Arrivals } from './shell/arrivals.ts';
import { LINK_SCHEME } from './shell/deep-link.ts';
import { createUpdates } from './shell/electron-updater.ts';
import { openKeychain } from './shell/keychain.ts';
import { createLoginItem } from './shell/login-item.ts';
import { followMachine } from './shell/machine.ts';
import { menuTemplate } from './shell/menu.ts';
import { createNative } from './shell/native.ts';
import { refusePermissions } from './shell/navigation.ts';
import { createNotifier } from './shell/notifier.ts';
import { settleBeforeQuit } from './shell/quit.ts';
import { hasTrayHost } from './shell/tray-host.ts';
import { type AppTray, createTray } from './shell/tray.ts';
import { type Appearance, createMainWindow } from './shell/window.ts';
import type { AppOptions, ElectronModule } from './start.ts';

/** What is known of a start by the time Electron is ready. */
export interface Start {
  platform: About['platform'];
  /** Whether the window is not to be shown yet. */
  hidden: boolean;
  arrivals: Arrivals;
}

/** A desktop that is only starting shows its tray within this many seconds. */
const LOGIN_PATIENCE = 10;

/**
 * Puts the app together, once Electron is ready: what guards the page, what answers it, the backend, and then the window, the
 * menu and the tray.
 *
 * @throws whatever the backend throws when it cannot be backend.
 */
export async function openApp(electron: ElectronModule, options: AppOptions, start: Start): Promise<void> {
  const { app, Menu, net, powerMonitor, protocol, session } = electron;
  const { platform, arrivals } = start;
  const home = join(app.getPath('userData'), 'berth');
  const assets = join(options.dist, 'assets');
  const isHidden = start.hidden || (platform === 'darwin' && app.getLoginItemSettings().wasOpenedAtLogin);

  protocol.handle(APP_SCHEME, createAppProtocol(join(options.dist, 'renderer')));
  refusePermissions(session.defaultSession);
  if (app.isPackaged) app.setAsDefaultProtocolClient(LINK_SCHEME);

  const askTray = options.hasTray ?? ((patience: number) => hasTrayHost(platform, patience));
  const [keychain, canTray] = await Promise.all([
    openKeychain(electron.safeStorage, join(home, 'keys'), platform),
    askTray(isHidden ? LOGIN_PATIENCE : 1),
  ]);
  const loginItem = createLoginItem(app, { ...options.process, platform, program: options.process.execPath });
  const updates = options.updates ?? createUpdates(app, options.process.resourcesPath);

  let settings: Settings = DEFAULT_SETTINGS;
  let update: Update = { is: 'none' };
  let opening: Promise<Backend> | null = null;
  let tray: AppTray | null = null;
  let leaveMachine = () => {};

  const quitting = settleBeforeQuit(app, async () => {
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
    onFocus: () => void opening?.then((backend) => backend.awake()),
    onLoading: () => teller.reset(),
  });
  const teller = createTeller(() => window.current());
  const tell: Tell = (name, data) => {
    if (name === 'settings') settings = data as Settings;
    teller.tell(name, data);
    tray?.update();
  };
  opening = options.openBackend({
    dataDir: join(home, 'data'),
    cacheDir: defaultCacheDir(options.process.env, platform),
    ...options.backend,
    about: { version: app.getVersion(), platform, tray: canTray, canOpenAtLogin: loginItem.available },
    native: createNative({
      electron,
      window,
      keychain,
      loginItem,
      notify: createNotifier(electron.Notification),
      restartToUpdate: () => {
        if (update.is === 'ready') void quitting.settle().then(() => updates.restart());
      },
    }),
    tell,
  });
  const backend = await opening;
  ({ settings } = await backend.handlers.readState(undefined));

  const readState = async () => {
    const state = await backend.handlers.readState(undefined);
    // The page has its answer first, and then what it missed.
    setImmediate(() => teller.ready());
    return state;
  };
  registerIpc({
    ipcMain: electron.ipcMain,
    window: () => window.current(),
    backend: { give: (paths) => backend.give(paths), handlers: { ...backend.handlers, readState } },
  });
  const actions = createActions(backend, window, tell, () => app.quit());
  Menu.setApplicationMenu(Menu.buildFromTemplate(menuTemplate({ platform, packaged: app.isPackaged }, actions)));
  app.on('activate', () => window.show());
  app.on('window-all-closed', () => {
    if (!staysWhenClosed()) app.quit();
  });
  // The system waits for nobody when it is switched off: what is under way comes to its end as it would by quitting.
  powerMonitor.on('shutdown', () => app.quit());

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
  arrivals.listen(actions.receive);
}

/** Without a tray, a window that nobody sees could not be found. */
function appearanceOf(hidden: boolean, tray: boolean): Appearance {
  if (!hidden) return 'shown';
  return tray ? 'hidden' : 'minimized';
}

/** macOS and Windows take the picture from the program. */
function windowIcon(assets: string, platform: string): string | null {
  const icon = join(assets, 'icon.png');
  return platform === 'linux' && existsSync(icon) ? icon : null;
}
