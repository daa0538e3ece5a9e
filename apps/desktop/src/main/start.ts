import type { About } from '../shared/settings.ts';
import type { AppOptions, ElectronModule } from './app-options.ts';
import { openApp } from './open-app.ts';
import { APP_SCHEME_PRIVILEGES } from './shell/app-protocol.ts';
import { APP_ID, DESKTOP_NAME } from './shell/identity.ts';
import { createLaunches, readLaunch } from './shell/launches.ts';
import { refuseNavigation } from './shell/navigation.ts';

/**
 * Starts the app. Everything that Electron requires before it is ready happens synchronously, before the first `await`. No page
 * is loaded until all its protections are in place.
 *
 * @returns Resolves when the window is open, or when another instance will show it. A failed start shows the error and exits.
 *
 * Source: desktop §2, §6, §8.
 */
export async function startApp(electron: ElectronModule, options: AppOptions): Promise<void> {
  const { app, dialog, protocol } = electron;
  const platform = platformOf(options.process.platform);
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

/** Treats other Unixes as Linux. */
function platformOf(platform: string): About['platform'] {
  return platform === 'darwin' || platform === 'win32' ? platform : 'linux';
}
