import { join } from 'node:path';
import type { AppOptions, ElectronModule } from './app-options.ts';
import { openApp } from './open-app.ts';
import { APP_SCHEME_PRIVILEGES } from './shell/app-protocol.ts';
import { APP_ID, DESKTOP_NAME } from './shell/identity.ts';
import { createLaunches, readLaunch } from './shell/launches.ts';
import { Log } from './shell/log.ts';
import { refuseNavigation } from './shell/navigation.ts';

/** Errors that nothing handles. Without a listener, Electron shows each in a dialog. */
const UNHANDLED = ['uncaughtException', 'unhandledRejection'] as const;

/**
 * Starts the app. Makes all calls that Electron requires before it is ready synchronously, before the first `await`. Loads no page
 * before all protections are in place. A failed start shows the error and exits.
 *
 * @returns Resolves when the window is open and its data is loaded, or when another instance will show its window.
 * Source: desktop §2, §6, §8.
 */
export async function startApp(electron: ElectronModule, options: AppOptions): Promise<void> {
  const { app, dialog, protocol } = electron;
  const { platform: system } = options.process;
  // All systems other than macOS and Windows are treated as Linux.
  const platform = system === 'darwin' || system === 'win32' ? system : 'linux';
  // Where the system allows no sandbox, an AppImage starts with this switch. Enabling the sandbox later would end in a blank window.
  if (!app.commandLine.hasSwitch('no-sandbox')) app.enableSandbox();
  useOwnProfile(app);
  if (platform === 'linux') app.setDesktopName(DESKTOP_NAME);
  if (platform === 'win32') app.setAppUserModelId(APP_ID);
  protocol.registerSchemesAsPrivileged([APP_SCHEME_PRIVILEGES]);
  if (!app.requestSingleInstanceLock()) return app.quit();

  const log = startLog(electron, options);
  refuseNavigation(app);
  const launch = readLaunch(options.process.argv, options.process.cwd(), app.getAppPath());
  const onLaunch = createLaunches(app, launch);
  await app.whenReady();
  try {
    await openApp(electron, options, { platform, hidden: launch.hidden, onLaunch, log });
  } catch (error) {
    log.error('The app cannot start', error);
    dialog.showErrorBox('Berth cannot start', error instanceof Error ? error.message : String(error));
    app.exit(1);
  }
}

/** Separates an app that runs from its sources from the installed app: their data, and the lock of their single instance. */
function useOwnProfile(app: ElectronModule['app']): void {
  if (app.isPackaged || app.commandLine.hasSwitch('user-data-dir')) return;
  app.setPath('userData', `${app.getPath('userData')}-development`);
}

/** Logs the start, and errors that nothing has handled, until the app quits. */
function startLog({ app }: ElectronModule, { process }: AppOptions): Log {
  const log = new Log(join(app.getPath('userData'), 'logs', 'berth.log'));
  log.info(`Berth ${app.getVersion()} starts on ${process.platform}`);
  for (const name of UNHANDLED) {
    const listener = (error: unknown) => log.error('Unhandled', error);
    process.on(name, listener);
    app.once('will-quit', () => process.off(name, listener));
  }
  return log;
}
