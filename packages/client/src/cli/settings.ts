import { randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { UsageError } from './usage-error.ts';

/** What is kept between commands. A key is kept for one server, and is never sent to another. */
export interface Settings {
  /** The server that is meant when none is named. */
  server?: string;
  /** The keys, by the origin of their server. */
  keys?: Readonly<Record<string, string>>;
}

/** Where a value comes from. */
export type Source = 'option' | 'environment' | 'settings' | 'default';

/** The address of a server as people write it. */
export function addressOf(server: URL): string {
  return server.href.replace(/\/$/, '');
}

export const DEFAULT_SERVER = 'http://localhost:4000';

/** Variables by name. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The file of the settings: in the user's folder for such files, as the system has it. */
export function settingsFile(env: Environment, platform: NodeJS.Platform = process.platform): string {
  const folder =
    env['XDG_CONFIG_HOME'] || (platform === 'win32' ? env['APPDATA'] : '') || join(env['HOME'] || homedir(), '.config');
  return join(folder, 'berth', 'config.json');
}

/** The settings; none when the file is missing. @throws UsageError when the file cannot be used. */
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

/** Replaces the settings at once, readable by their owner alone. */
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

/** The server that is meant: the option, else `BERTH_SERVER`, else the settings, else the default. @throws UsageError. */
export function chooseServer(
  option: string | undefined,
  env: Environment,
  { server }: Settings,
): { server: URL; from: Source } {
  if (option !== undefined) return { server: serverUrl(option), from: 'option' };
  if (env['BERTH_SERVER']) return { server: serverUrl(env['BERTH_SERVER']), from: 'environment' };
  if (server !== undefined) return { server: serverUrl(server), from: 'settings' };
  return { server: serverUrl(DEFAULT_SERVER), from: 'default' };
}

/** The key for a server: `BERTH_KEY`, else the one that was stored for this very server; none deploys anonymously. */
export function chooseKey(
  server: URL,
  env: Environment,
  { keys = {} }: Settings,
): { key: string | null; from: Source } {
  if (env['BERTH_KEY']) return { key: env['BERTH_KEY'].trim(), from: 'environment' };
  const key = Object.hasOwn(keys, server.origin) ? keys[server.origin]! : null;
  return { key, from: key === null ? 'default' : 'settings' };
}

/** The address of a server. @throws UsageError. */
export function serverUrl(text: string): URL {
  const url = /^\s*https?:\/\//i.test(text) ? URL.parse(text.trim()) : null;
  if (!url || url.username || url.password || url.search || url.hash)
    throw new UsageError(`${JSON.stringify(text)} is not the address of a server, such as ${DEFAULT_SERVER}.`);
  return url;
}

function checkSettings(value: unknown): Settings {
  const { server, keys } = Object(value) as Record<string, unknown>;
  const isText = (text: unknown) => typeof text === 'string';
  if (typeof value !== 'object' || value === null) throw new TypeError('not an object');
  if (server !== undefined && !isText(server)) throw new TypeError('server is not a text');
  if (keys !== undefined && !(Object(keys) === keys && Object.values(keys as object).every(isText)))
    throw new TypeError('keys are not texts');
  return value as Settings;
}
