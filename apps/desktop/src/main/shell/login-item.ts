import { homedir } from 'node:os';
import type { App } from 'electron';
import type { LoginItem } from '../native.ts';
import { autostartFile, isAutostartOn, removeAutostart, writeAutostart } from './autostart.ts';
import { HIDDEN } from './launch.ts';

/** The system that it is about. */
export interface LoginItemOptions {
  platform: string;
  env: NodeJS.ProcessEnv;
  /** What starts the app. */
  program: string;
  /** The user's home folder. Default: that of this process. */
  home?: string | undefined;
}

/**
 * Starting at login, without a window: by macOS and Windows themselves, on Linux by an autostart entry. A start from the
 * sources is not started again, so it has none.
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
  // macOS tells a program that it was started at login; Windows has to be given an argument.
  const how = platform === 'win32' ? { path: program, args: [HIDDEN] } : {};
  return {
    available: true,
    isOn: async () => {
      const { openAtLogin, executableWillLaunchAtLogin } = app.getLoginItemSettings(how);
      // In its task manager Windows keeps the entry, and starts it no more.
      return openAtLogin && (platform !== 'win32' || executableWillLaunchAtLogin);
    },
    set: async (on) => app.setLoginItemSettings({ ...how, openAtLogin: on }),
  };
}

const UNAVAILABLE: LoginItem = {
  available: false,
  isOn: async () => false,
  set: async (on) => {
    if (on) throw new Error('Only an installed app can be started at login');
  },
};
