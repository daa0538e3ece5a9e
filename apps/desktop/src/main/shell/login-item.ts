import { readFile, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { App } from 'electron';
import type { LoginItem } from '../native.ts';
import { replaceFile } from '@berth/client/replace-file';
import { DESKTOP_NAME, PROGRAM } from './identity.ts';
import { HIDDEN_FLAG } from './launches.ts';

interface LoginItemOptions {
  platform: string;
  env: NodeJS.ProcessEnv;
  /** The path of the program that starts the app. */
  program: string;
  /** The user's home folder. Default: the home folder of this process. */
  home?: string | undefined;
}

/**
 * Creates the switch that starts the app at login without a window. Uses the API of macOS and Windows, and an autostart entry on
 * Linux. The switch is not available when the app runs from its sources.
 */
export function createLoginItem(
  app: Pick<App, 'getLoginItemSettings' | 'isPackaged' | 'setLoginItemSettings'>,
  { platform, env, program, home = homedir() }: LoginItemOptions,
): LoginItem {
  if (!app.isPackaged) return UNAVAILABLE_LOGIN_ITEM;
  if (platform === 'linux') {
    const file = join(env['XDG_CONFIG_HOME'] || join(home, '.config'), 'autostart', DESKTOP_NAME);
    return {
      available: true,
      isOn: () => isAutostartOn(file),
      set: (on) => (on ? writeAutostart(file, program) : rm(file, { force: true })),
    };
  }
  // macOS reports that the app was started at login. Windows does not, so the app gets an argument there.
  const startOptions = platform === 'win32' ? { path: program, args: [HIDDEN_FLAG] } : {};
  return {
    available: true,
    isOn: async () => {
      const { openAtLogin, executableWillLaunchAtLogin } = app.getLoginItemSettings(startOptions);
      // The Windows task manager can disable the login item without removing it.
      return openAtLogin && (platform !== 'win32' || executableWillLaunchAtLogin);
    },
    set: async (on) => app.setLoginItemSettings({ ...startOptions, openAtLogin: on }),
  };
}

const UNAVAILABLE_LOGIN_ITEM: LoginItem = {
  available: false,
  isOn: async () => false,
  set: async (on) => {
    if (on) throw new Error('The app must be installed to start at login');
  },
};

/**
 * Writes the entry that starts a program at login.
 *
 * @throws Error when the program's path contains a control character, which an entry cannot contain.
 * Source: https://specifications.freedesktop.org/desktop-entry-spec/latest/exec-variables.html.
 */
async function writeAutostart(file: string, program: string): Promise<void> {
  const entry = [
    '[Desktop Entry]',
    'Type=Application',
    'Name=Berth',
    'Comment=Publishes watched folders',
    `Exec=${quote(program)} ${quote(HIDDEN_FLAG)}`,
    `Icon=${PROGRAM}`,
    'Terminal=false',
    'X-GNOME-Autostart-enabled=true',
    '',
  ].join('\n');
  await replaceFile(file, entry);
}

/** The lines by which the settings of a desktop disable an entry, without white space. */
const DISABLING_SETTINGS: ReadonlySet<string> = new Set(['Hidden=true', 'X-GNOME-Autostart-enabled=false']);

/** True if the entry exists and the desktop's settings have not disabled the entry. */
async function isAutostartOn(file: string): Promise<boolean> {
  const entry = await readFile(file, 'utf8').catch(() => null);
  const settings = entry?.split('\n').map((line) => line.replaceAll(/[ \t\r]/g, ''));
  return settings?.every((setting) => !DISABLING_SETTINGS.has(setting)) ?? false;
}

/** Quotes an argument by the shell-like rules of the `Exec` key, then escapes the result by the rules of all values. */
function quote(arg: string): string {
  // oxlint-disable-next-line no-control-regex -- a path may have control characters, an entry may not
  if (/[\u0000-\u001f\u007f]/.test(arg)) throw new Error(`The path must not contain control characters: ${arg}`);
  const quotedArg = `"${arg.replaceAll(/["`$\\]/g, String.raw`\$&`)}"`;
  return quotedArg.replaceAll('\\', '\\\\').replaceAll('%', '%%');
}
