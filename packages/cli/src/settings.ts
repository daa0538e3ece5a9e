import { randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { UsageError } from '@berth/terminal';

/** The stored settings. A key is stored for one server, and is never sent to another one. */
export interface Settings {
  /** The default server. */
  server?: string;
  /** The keys, by the origin of their server. */
  keys?: Readonly<Record<string, string>>;
}

/** The origin of a value. */
export type SettingOrigin = 'option' | 'environment' | 'settings' | 'default';

/** Formats the address of a server as people write it. */
export function formatServer(server: URL): string {
  return server.href.replace(/\/$/, '');
}

export const DEFAULT_SERVER = 'http://localhost:4000';

/** Environment variables. */
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
    return checkSettings(JSON.parse(text));
  } catch (error) {
    throw new UsageError(`The settings in ${file} are damaged. Repair or delete the file.`, { cause: error });
  }
}

/** Replaces the settings atomically. Only their owner can read the file. */
export async function writeSettings(file: string, settings: Settings): Promise<void> {
  const draft = `${file}.${randomUUID()}`;
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  try {
    await writeFile(draft, `${JSON.stringify(settings, null, 2)}\n`, { mode: 0o600, flag: 'wx' });
    await rename(draft, file);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}

/** Chooses the server: the option, `BERTH_SERVER`, the settings, or the default, in this order. @throws UsageError. */
export function chooseServer(
  option: string | undefined,
  env: Environment,
  { server }: Settings,
): { server: URL; from: SettingOrigin } {
  if (option !== undefined) return { server: parseServerUrl(option), from: 'option' };
  if (env['BERTH_SERVER']) return { server: parseServerUrl(env['BERTH_SERVER']), from: 'environment' };
  if (server !== undefined) return { server: parseServerUrl(server), from: 'settings' };
  return { server: parseServerUrl(DEFAULT_SERVER), from: 'default' };
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

/** Parses the address of a server. @throws UsageError. */
export function parseServerUrl(text: string): URL {
  const url = /^\s*https?:\/\//i.test(text) ? URL.parse(text.trim()) : null;
  if (!url || url.username || url.password || url.search || url.hash)
    throw new UsageError(`${JSON.stringify(text)} is not a server address. It must be like ${DEFAULT_SERVER}.`);
  return url;
}

function checkSettings(value: unknown): Settings {
  const { server, keys } = Object(value) as Record<string, unknown>;
  const isText = (text: unknown) => typeof text === 'string';
  if (typeof value !== 'object' || value === null) throw new TypeError('the settings must be an object');
  if (server !== undefined && !isText(server)) throw new TypeError('server must be a string');
  if (keys !== undefined && !(Object(keys) === keys && Object.values(keys as object).every(isText)))
    throw new TypeError('keys must be strings');
  return value as Settings;
}
