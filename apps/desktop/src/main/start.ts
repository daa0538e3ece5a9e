import type { AppOptions, ElectronModule } from './app-options.ts';
import { openApp } from './open-app.ts';
import { APP_SCHEME_PRIVILEGES } from './shell/app-protocol.ts';
import { APP_ID, DESKTOP_NAME } from './shell/identity.ts';
import { createLaunches, readLaunch } from './shell/launches.ts';
import { refuseNavigation } from './shell/navigation.ts';

/**
 * Starts the app. Makes all calls that Electron requires before it is ready synchronously, before the first `await`. Loads no page
 * before all protections are in place. A failed start shows the error and exits.
 *
 * @returns Resolves when the window is open, or when another instance will show its window. Source: desktop §2, §6, §8.
 */
export async function startApp(electron: ElectronModule, options: AppOptions): Promise<void> {
  const { app, dialog, protocol } = electron;
  const { platform: system } = options.process;
  // All systems other than macOS and Windows are treated as Linux.
  const platform = system === 'darwin' || system === 'win32' ? system : 'linux';
  app.enableSandbox();
  if (platform === 'linux') app.setDesktopName(DESKTOP_NAME);
  if (platform === 'win32') app.setAppUserModelId(APP_ID);
  protocol.registerSchemesAsPrivileged([APP_SCHEME_PRIVILEGES]);
  if (!app.requestSingleInstanceLock()) return app.quit();

  refuseNavigation(app);
  const launch = readLaunch(options.process.argv, options.process.cwd(), app.getAppPath());
  const onLaunch = createLaunches(app, launch);
  await app.whenReady();
  try {
    await openApp(electron, options, { platform, hidden: launch.hidden, onLaunch });
  } catch (error) {
    dialog.showErrorBox('Berth cannot start', error instanceof Error ? error.message : String(error));
    app.exit(1);
  }
}
