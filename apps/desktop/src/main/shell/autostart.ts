import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { DESKTOP_NAME, PROGRAM } from './identity.ts';

/** The path of the autostart entry on Linux. @param home The user's home folder. */
export function autostartFile(env: NodeJS.ProcessEnv, home: string): string {
  return join(env['XDG_CONFIG_HOME'] || join(home, '.config'), 'autostart', DESKTOP_NAME);
}

/**
 * Writes the entry that starts a program at login.
 *
 * @throws Error when the path of the program has a control character, which an entry cannot contain.
 * Source: https://specifications.freedesktop.org/desktop-entry-spec/latest/exec-variables.html.
 */
export async function writeAutostart(file: string, program: string, args: readonly string[]): Promise<void> {
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
  const fresh = `${file}.new`;
  await mkdir(dirname(file), { recursive: true });
  await writeFile(fresh, entry);
  await rename(fresh, file);
}

export const removeAutostart = (file: string) => rm(file, { force: true });

/** True if the entry exists and the settings of the desktop have not disabled it. */
export async function isAutostartOn(file: string): Promise<boolean> {
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
