import { existsSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { replaceFile } from '@berth/client/replace-file';
import { UsageError } from '@berth/terminal';
import { z } from 'zod';

/** The stored settings: the default server, and the keys by the origin of their server. A key is never sent to another server. */
const Settings = z.looseObject({ server: z.string().optional(), keys: z.record(z.string(), z.string()).optional() });
export type Settings = z.infer<typeof Settings>;

/** Where the server or the key was set. */
export type SettingOrigin = 'option' | 'environment' | 'project' | 'settings' | 'default';

/** Formats the address of a server without a slash at the end. */
export function formatServer(server: URL): string {
  return server.href.replace(/\/$/, '');
}

export const DEFAULT_SERVER = 'http://localhost:4000';

/** The file beside the program in a package that a server handed out: `{ "server": "https://berth.example" }`. */
const ORIGIN_FILE = new URL('server.json', import.meta.url);

/** Returns the server that handed out this program; the {@link DEFAULT_SERVER} if the program is from elsewhere. */
function serverOfOrigin(): string {
  if (!existsSync(ORIGIN_FILE)) return DEFAULT_SERVER;
  return z.object({ server: z.string() }).parse(JSON.parse(readFileSync(ORIGIN_FILE, 'utf8'))).server;
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** Returns the path of the settings file, in the system's folder for settings of the user. */
export function settingsFile(env: Environment, platform: NodeJS.Platform = process.platform): string {
  const folder =
    env['XDG_CONFIG_HOME'] || (platform === 'win32' ? env['APPDATA'] : '') || join(env['HOME'] || homedir(), '.config');
  return join(folder, 'berth', 'config.json');
}

/** Reads the settings; empty if the file does not exist. @throws UsageError if the file is invalid. */
export async function readSettings(file: string): Promise<Settings> {
  let text;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return {};
    throw new UsageError(`The settings in ${file} cannot be read: ${message}.`, { cause: error });
  }
  try {
    return Settings.parse(JSON.parse(text));
  } catch (error) {
    throw new UsageError(`The settings in ${file} are damaged. Repair or delete the file.`, { cause: error });
  }
}

/** Replaces the settings atomically. Only their owner can read the file. */
export async function writeSettings(file: string, settings: Settings): Promise<void> {
  await replaceFile(file, `${JSON.stringify(settings, null, 2)}\n`);
}

/** Chooses the server: the option, `BERTH_SERVER`, the settings, or the default, in this order. @throws UsageError. */
export function chooseServer(
  option: string | undefined,
  env: Environment,
  { server }: Settings,
): { server: URL; from: SettingOrigin } {
  const serverFrom = (address: string, from: SettingOrigin) => ({ server: parseServerUrl(address), from });
  if (option !== undefined) return serverFrom(option, 'option');
  if (env['BERTH_SERVER']) return serverFrom(env['BERTH_SERVER'], 'environment');
  return server === undefined ? serverFrom(serverOfOrigin(), 'default') : serverFrom(server, 'settings');
}

/**
 * Chooses the key for a server: `BERTH_KEY`, or else the key stored for exactly this server. Without a key, deploys are
 * anonymous.
 */
export function chooseKey(
  server: URL,
  env: Environment,
  { keys = {} }: Settings,
): { key: string | null; from: SettingOrigin } {
  if (env['BERTH_KEY']) return { key: env['BERTH_KEY'].trim(), from: 'environment' };
  const key = Object.hasOwn(keys, server.origin) ? keys[server.origin]! : null;
  return { key, from: key === null ? 'default' : 'settings' };
}

const LOCAL_HOST = /^(?:localhost|127\.0\.0\.1|\[::1\])(?::|\/|$)/i;
const BARE_HOST = /^[a-z\d[][^/\\\s@]*(?:\/|$)/i;

/**
 * Parses the address of a server. A host without a scheme gets `https://`, and `http://` on this machine, so that a key is
 * never sent over a network without encryption by mistake.
 *
 * @throws UsageError.
 */
export function parseServerUrl(text: string): URL {
  const typed = text.trim();
  const isBareHost = !typed.includes('://') && BARE_HOST.test(typed);
  const address = isBareHost ? `${LOCAL_HOST.test(typed) ? 'http' : 'https'}://${typed}` : typed;
  const url = /^https?:\/\//i.test(address) ? URL.parse(address) : null;
  if (!url || url.username || url.password || url.search || url.hash)
    throw new UsageError(`${JSON.stringify(text)} is not a server address. It must be like ${DEFAULT_SERVER}.`);
  return url;
}
