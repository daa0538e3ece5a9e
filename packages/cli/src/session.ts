import {
  type BerthClient,
  createClient,
  defaultCacheDir,
  deployArchive,
  deployFolder,
  planFolder,
  requestKey,
  watchFolder,
} from '@berth/client';
import open from 'open';
import { Declined, type ErrorContext } from './failure.ts';
import { chooseKey, chooseServer, type Environment, readSettings, settingsFile } from './settings.ts';
import type { Line, Terminal } from './terminal.ts';

/** The functions that the commands use. Tests replace them to cause rare situations. */
export const PARTS = {
  createClient,
  deployArchive,
  deployFolder,
  planFolder,
  requestKey,
  watchFolder,
  openPage: async (url: string): Promise<void> => void (await open(url)),
};
export type Parts = typeof PARTS;

export interface CliRuntime {
  env: Environment;
  terminal: Terminal;
  parts: Parts;
  /** The signal that Ctrl-C aborts. */
  signal: AbortSignal;
}

/** The options that every command has. */
export interface GlobalOptions {
  server?: string;
  json?: boolean;
  quiet?: boolean;
  yes?: boolean;
}

/** What a command needs to do its work. */
export type Session = Awaited<ReturnType<typeof openSession>>;

/**
 * Determines the server and the key to use.
 *
 * @param errorContext Receives the server and the key, for error messages.
 * @throws UsageError if a setting is invalid.
 */
export async function openSession(
  runtime: CliRuntime,
  { server: option, json = false, quiet = false, yes = false }: GlobalOptions,
  errorContext: ErrorContext,
) {
  const { env, terminal, parts, signal } = runtime;
  const file = settingsFile(env);
  const stored = await readSettings(file);
  const server = chooseServer(option, env, stored);
  const key = chooseKey(server.server, env, stored);
  Object.assign(errorContext, { server: server.server, key } satisfies ErrorContext);
  const abortableFetch: typeof fetch = (input, init) =>
    fetch(input, { ...init, signal: AbortSignal.any([signal, init?.signal ?? signal]) });
  const asks = terminal.isInteractive && !yes && !json;
  /** Creates a client for another server or key. */
  const connectTo = (address: URL, key: string | null): BerthClient =>
    parts.createClient({ server: address.href, key, fetch: abortableFetch });
  return {
    ...runtime,
    client: connectTo(server.server, key.key),
    connect: connectTo,
    server,
    key,
    settings: { file, stored },
    json,
    quiet,
    yes,
    /** The folder in which the engine remembers hashes and the last deployments. */
    cacheDir: defaultCacheDir(env),
    /** Prints the result: as JSON with `--json`, otherwise as lines. */
    printResult: (value: unknown, lines: () => readonly Line[]): void =>
      terminal.out(json ? [JSON.stringify(value)] : lines()),
    /** Whether {@link confirm} asks: only a person on a terminal, and not with `--yes` or `--json`. */
    asks,
    /** Asks before something is deleted, replaced or made public by mistake. @throws Declined. */
    confirm: async (question: string): Promise<void> => {
      if (!asks) return;
      const answer = await terminal.ask(`${question} [y/N]: `, { signal });
      if (!/^y(es)?$/i.test(answer)) throw new Declined();
    },
    /** Prints a note for people on standard error. Does nothing with `--json` or `--quiet`. */
    note: (line: Line): void => void (json || quiet || terminal.err([line])),
  };
}
