import { readFile, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { App } from 'electron';
import type { LoginItem } from '../native.ts';
import { replaceFile } from '../storage/replace-file.ts';
import { DESKTOP_NAME, PROGRAM } from './identity.ts';
import { HIDDEN } from './launches.ts';

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
      set: (on) => (on ? writeAutostart(file, program, [HIDDEN]) : rm(file, { force: true })),
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

/** The path of the autostart entry on Linux. @param home The user's home folder. */
function autostartFile(env: NodeJS.ProcessEnv, home: string): string {
  return join(env['XDG_CONFIG_HOME'] || join(home, '.config'), 'autostart', DESKTOP_NAME);
}

/**
 * Writes the entry that starts a program at login.
 *
 * @throws Error when the path of the program has a control character, which an entry cannot contain.
 * Source: https://specifications.freedesktop.org/desktop-entry-spec/latest/exec-variables.html.
 */
async function writeAutostart(file: string, program: string, args: readonly string[]): Promise<void> {
  const entry = [
    '[Desktop Entry]',
    'Type=Application',
    'Name=Berth',
    'Comment=Publishes watched folders',
    `Exec=${[program, ...args].map(quote).join(' ')}`,
    `Icon=${PROGRAM}`,
    'Terminal=false',
    'X-GNOME-Autostart-enabled=true',
    '',
  ].join('\n');
  await replaceFile(file, entry);
}

/** True if the entry exists and the settings of the desktop have not disabled it. */
async function isAutostartOn(file: string): Promise<boolean> {
  const entry = await readFile(file, 'utf8').catch(() => null);
  return entry !== null && !entry.split('\n').some(disablesEntry);
}

function disablesEntry(line: string): boolean {
  const [key, value] = line.split('=').map((part) => part.trim());
  return key === 'Hidden' ? value === 'true' : key === 'X-GNOME-Autostart-enabled' && value === 'false';
}

/** Quotes an argument: first by the shell-like rules of the Exec key, then by the rules of all values. */
function quote(arg: string): string {
  // oxlint-disable-next-line no-control-regex -- a path may have them, an entry may not
  if (/[\u0000-\u001f\u007f]/.test(arg)) throw new Error(`The path must not contain control characters: ${arg}`);
  const quoted = `"${arg.replaceAll(/["`$\\]/g, String.raw`\$&`)}"`;
  return quoted.replaceAll('\\', '\\\\').replaceAll('%', '%%');
}
