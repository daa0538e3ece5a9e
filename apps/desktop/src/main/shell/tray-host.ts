import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const TIMEOUT_MS = 2_000;
const RETRY_AFTER_MS = 1_000;

/** Runs a program. @returns The program's output. */
type Run = (program: string, args: readonly string[]) => Promise<string>;

/** The bus name of the program that shows tray icons on a Linux desktop. */
const TRAY_HOST = 'org.kde.StatusNotifierWatcher';

/** The commands that ask D-Bus if the program is running. */
const QUERIES = [
  `gdbus call --session --dest org.freedesktop.DBus --object-path /org/freedesktop/DBus --method org.freedesktop.DBus.NameHasOwner ${TRAY_HOST}`,
  `dbus-send --session --print-reply=literal --dest=org.freedesktop.DBus /org/freedesktop/DBus org.freedesktop.DBus.NameHasOwner string:${TRAY_HOST}`,
];

/**
 * True if the desktop shows tray icons, as macOS and Windows always do. Many Linux desktops show none and report no error, so this
 * function asks D-Bus if a tray is running. Returns false if D-Bus cannot be asked.
 *
 * @param attempts How many times to ask, one second apart, because the desktop may still be starting after login.
 */
export async function hasTrayHost(platform: string, attempts = 1, run: Run = runProgram): Promise<boolean> {
  if (platform !== 'linux') return true;
  for (let attempt = 1; ; attempt += 1) {
    if (await hasHost(run)) return true;
    if (attempt >= attempts) return false;
    await new Promise((resolve) => setTimeout(resolve, RETRY_AFTER_MS));
  }
}

async function hasHost(run: Run): Promise<boolean> {
  for (const query of QUERIES) {
    const [program = '', ...args] = query.split(' ');
    const output = await run(program, args).catch(() => null);
    if (output !== null) return /\btrue\b/.test(output);
  }
  return false;
}

/** The environment without what an AppImage adds for itself, so that programs of the system do not load its libraries. */
export function systemEnvironment(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const { APPDIR, PATH = '', LD_LIBRARY_PATH: _added, ...rest } = env;
  if (!APPDIR) return env;
  const isAdded = (path: string) => path === APPDIR || path.startsWith(`${APPDIR}/`);
  const systemPath = PATH.split(':').filter((path) => !isAdded(path));
  return { ...rest, APPDIR, PATH: systemPath.join(':') };
}

async function runProgram(program: string, args: readonly string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(program, [...args], {
    timeout: TIMEOUT_MS,
    env: systemEnvironment(process.env),
  });
  return stdout;
}
