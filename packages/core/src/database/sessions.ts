import pg from 'pg';
import { parseIntoClientConfig } from 'pg-connection-string';
import type { Log } from '../log.ts';
import { queryDurations, queryFailures } from '../metrics.ts';
import type { Tracer } from '../tracing.ts';
import { copyDataOf, CopyIn, sendCopy } from './copy.ts';
import { breaksSession, DatabaseAwayError } from './outages.ts';
import { beginStatement } from './statement-span.ts';
import { DatabaseWatch } from './watch.ts';

/** The address of a database: a URL, or a Unix socket. */
export type DatabaseAddress = { url: string } | { socketDir: string; user: string; database: string };

/** How long a statement waits for a lock before it fails. Source: storage §2. */
export const LOCK_TIMEOUT = '8s';
const OPTIONS = `-c lock_timeout=${LOCK_TIMEOUT} -c timezone=UTC`;
/** How long opening a connection may take, including TLS and authentication. */
const CONNECT_TIMEOUT_MS = 2_000;

/** Returns the configuration of every connection. All parameters of the URL apply. @throws Error if the URL is invalid. */
function connectionConfig(address: DatabaseAddress): pg.ClientConfig {
  const config: pg.ClientConfig =
    'url' in address
      ? parseIntoClientConfig(withClearTlsMode(address.url))
      : {
          host: address.socketDir,
          port: 5432,
          user: address.user,
          password: '',
          ssl: false,
          database: address.database,
        };
  return {
    ...config,
    options: [config.options, OPTIONS].filter(Boolean).join(' '),
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    keepAlive: true,
  };
}

/** Replaces the TLS modes that `pg` treats as `verify-full`, to avoid its warning. Keeps them with `uselibpqcompat`. */
function withClearTlsMode(url: string): string {
  if (/[?&]uselibpqcompat=true(?:&|$)/.test(url)) return url;
  return url.replace(/([?&]sslmode=)(?:prefer|require|verify-ca)(?=&|$)/g, '$1verify-full');
}

/** The sessions with one database. While the database is unavailable, no session is open. */
export interface Sessions {
  /** The client class of the pool and the listeners. `connect` rejects with a {@link DatabaseAwayError} during an outage. */
  readonly Session: new (options?: pg.ClientConfig) => pg.Client;
  /** Stops watching the database. Sessions stay open. Safe to call again. */
  close(): void;
}

/** @throws Error if the address is invalid. */
export function createSessions(address: DatabaseAddress, log: Log, tracer: Tracer): Sessions {
  const config = connectionConfig(address);
  const watch = new DatabaseWatch(config, log);

  class Session extends pg.Client {
    readonly #watched = watch.add({
      serverProcess: () => (this as unknown as { processID: number | null }).processID,
      cut: () => this.connection.stream.destroy(new DatabaseAwayError()),
    });

    constructor(options: pg.ClientConfig = {}) {
      const { types, query_timeout } = options;
      super({ ...config, ...(types && { types }), ...(query_timeout && { query_timeout }) });
      this.once('end', () => this.#watched.forget());
      // An error before the owner listens for errors must not end the process.
      this.on('error', () => {});
    }

    override connect(...args: never[]): never {
      const newConnection = watch.isAway ? Promise.reject(new DatabaseAwayError()) : this.#connect();
      const [settle] = args as ((error?: Error) => void)[];
      if (settle) newConnection.then(() => settle(), settle);
      return newConnection as never;
    }

    async #connect(): Promise<this> {
      const endWait = this.#watched.begin();
      try {
        await super.connect();
        endWait(true);
        return this;
      } catch (error) {
        endWait(isResponse(error));
        this.#watched.forget();
        void watch.check();
        throw error;
      }
    }

    /** Supports all forms of `pg`: either the last argument is a callback, or the result is a promise. */
    override query(...args: never[]): never {
      const endWait = this.#watched.begin();
      const endSpan = beginStatement(tracer, args[0]);
      const startedMs = performance.now();
      const endQuery = (fault: unknown) => {
        endSpan?.(fault ?? undefined);
        endWait(!fault || isResponse(fault));
        queryDurations.observe((performance.now() - startedMs) / 1000);
        if (fault) queryFailures.value += 1;
        if (fault && breaksSession(fault)) void this.end().catch(() => {});
      };
      const callback: unknown = args.at(-1);
      if (typeof callback === 'function')
        args[args.length - 1] = ((error: unknown, result: unknown) => {
          endQuery(error);
          callback(error, result);
        }) as never;
      const [statement, parameters] = args as unknown as [string, unknown?];
      const copyData = copyDataOf(parameters);
      const result: unknown = copyData
        ? sendCopy(new CopyIn({ query: (copy) => super.query(copy) }, statement), copyData)
        : super.query(...(args as unknown as [string]));
      if (typeof callback !== 'function') Promise.resolve(result).then(() => endQuery(null), endQuery);
      return result as never;
    }
  }

  return { Session, close: () => watch.close() };
}

/** Whether the database itself sent the error, which proves that it responds. */
function isResponse(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code !== '57P03';
}
