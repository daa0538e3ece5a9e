import { homedir } from 'node:os';
import type { App } from 'electron';
import type { LoginItem } from '../native.ts';
import { autostartFile, isAutostartOn, removeAutostart, writeAutostart } from './autostart.ts';
import { HIDDEN } from './launch.ts';

/** The system and the program to start. */
export interface LoginItemOptions {
  platform: string;
  env: NodeJS.ProcessEnv;
  /** The path of the program that starts the app. */
  program: string;
  /** The user's home folder. Default: that of this process. */
  home?: string | undefined;
}

/**
 * Starts the app at login without showing a window. Uses the API of macOS and Windows, and an autostart entry on Linux. Not
 * available when the app runs from its sources.
 */
export function createLoginItem(
  app: Pick<App, 'getLoginItemSettings' | 'isPackaged' | 'setLoginItemSettings'>,
  { platform, env, program, home = homedir() }: LoginItemOptions,
): LoginItem {
  if (!app.isPackaged) return UNAVAILABLE;
  if (platform === 'linux') {
    const file = autostartFile(env, home);
    return {
      available: true,
      isOn: () => isAutostartOn(file),
      set: (on) => (on ? writeAutostart(file, program, [HIDDEN]) : removeAutostart(file)),
    };
  }
  // macOS reports that the app was started at login. Windows does not, so the app gets an argument there.
  const how = platform === 'win32' ? { path: program, args: [HIDDEN] } : {};
  return {
    available: true,
    isOn: async () => {
      const { openAtLogin, executableWillLaunchAtLogin } = app.getLoginItemSettings(how);
      // The Windows task manager can disable the entry without removing it.
      return openAtLogin && (platform !== 'win32' || executableWillLaunchAtLogin);
    },
    set: async (on) => app.setLoginItemSettings({ ...how, openAtLogin: on }),
  };
}

const UNAVAILABLE: LoginItem = {
  available: false,
  isOn: async () => false,
  set: async (on) => {
    if (on) throw new Error('The app must be installed to start at login');
  },
};
