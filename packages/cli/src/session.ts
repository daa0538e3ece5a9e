import { type BerthClient, defaultCacheDir } from '@berth/client';
import type { ErrorContext } from './failure.ts';
import type { Parts } from './parts.ts';
import {
  chooseKey,
  chooseServer,
  type Environment,
  readSettings,
  type Settings,
  settingsFile,
  type SettingOrigin,
} from './settings.ts';
import type { Line, Terminal } from './terminal.ts';

/** The environment of a command line. */
export interface CliRuntime {
  env: Environment;
  terminal: Terminal;
  parts: Parts;
  /** Aborted by Ctrl-C. */
  signal: AbortSignal;
}

/** The options that every command has. */
export interface GlobalOptions {
  server?: string;
  json?: boolean;
  quiet?: boolean;
}

/** What a command needs to do its work. */
export interface Session extends CliRuntime {
  client: BerthClient;
  /** Creates a client for another server or key. */
  connect(server: URL, key: string | null): BerthClient;
  server: { server: URL; from: SettingOrigin };
  key: { key: string | null; from: SettingOrigin };
  settings: { file: string; stored: Settings };
  json: boolean;
  quiet: boolean;
  /** Where the engine remembers hashes and the last deployments. */
  cacheDir: string;
  /** Prints the result: as JSON with `--json`, otherwise as lines. */
  printResult(value: unknown, lines: () => readonly string[]): void;
  /** Prints a note for people on standard error. Does nothing with `--json` or `--quiet`. */
  note(line: Line): void;
}

/**
 * Determines the server and the key to use.
 *
 * @param errorContext Receives both, for error messages.
 * @throws UsageError if a setting is invalid.
 */
export async function openSession(
  runtime: CliRuntime,
  { server: option, json = false, quiet = false }: GlobalOptions,
  errorContext: ErrorContext,
): Promise<Session> {
  const { env, terminal, parts, signal } = runtime;
  const file = settingsFile(env);
  const stored = await readSettings(file);
  const server = chooseServer(option, env, stored);
  const key = chooseKey(server.server, env, stored);
  Object.assign(errorContext, { server: server.server, key } satisfies ErrorContext);
  const connect = (address: URL, key: string | null) =>
    parts.createClient({ server: address.href, key, fetch: createAbortableFetch(signal) });
  return {
    ...runtime,
    client: connect(server.server, key.key),
    connect,
    server,
    key,
    settings: { file, stored },
    json,
    quiet,
    cacheDir: defaultCacheDir(env),
    printResult: (value, lines) => terminal.out(json ? [JSON.stringify(value)] : lines()),
    note: (line) => void (json || quiet || terminal.err([line])),
  };
}

function createAbortableFetch(signal: AbortSignal): typeof fetch {
  return (input, init) =>
    fetch(input, { ...init, signal: init?.signal ? AbortSignal.any([signal, init.signal]) : signal });
}
