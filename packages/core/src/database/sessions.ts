import pg from 'pg';
import type { Log } from '../log.ts';
import { connectionConfig, type DatabaseAddress } from './connection-config.ts';
import { DatabaseAwayError, breaksSession } from './outages.ts';
import { probeDatabase } from './probe.ts';
import { DatabaseWatch } from './watch.ts';

/** The sessions with one database. While the database is unavailable, they are closed and no new ones are opened. */
export interface Sessions {
  /**
   * The client class for the pool and the listeners. While the database is known to be away, `connect` rejects at once with a
   * {@link DatabaseAwayError}.
   */
  readonly Session: new (options?: pg.ClientConfig) => pg.Client;
  /** Stops watching the database. Sessions stay open. Idempotent. */
  close(): void;
}

/**
 * @param log Logs when the database goes away and when it is back.
 * @throws Error if the address is invalid.
 */
export function createSessions(address: DatabaseAddress, log: Log): Sessions {
  const config = connectionConfig(address);
  const watch = new DatabaseWatch({ probe: (sessions, patience) => probeDatabase(config, sessions, patience), log });

  class Session extends pg.Client {
    readonly #watched = watch.add({
      serverProcess: () => (this as unknown as { processID: number | null }).processID,
      cut: () => this.connection.stream.destroy(new DatabaseAwayError()),
    });

    constructor(options: pg.ClientConfig = {}) {
      const { types, query_timeout } = options;
      super({ ...config, ...(types && { types }), ...(query_timeout && { query_timeout }) });
      this.once('end', () => this.#watched.forget());
      // A session that ends before its owner listens to it must not end the process.
      this.on('error', () => {});
    }

    override connect(...args: never[]): never {
      const connected = watch.isAway ? Promise.reject(new DatabaseAwayError()) : this.#connect();
      const [settle] = args as ((error?: Error) => void)[];
      if (settle) connected.then(() => settle(), settle);
      return connected as never;
    }

    async #connect(): Promise<this> {
      const done = this.#watched.begin();
      try {
        await super.connect();
        done(true);
        return this;
      } catch (error) {
        done(isAnswer(error));
        this.#watched.forget();
        watch.check();
        throw error;
      }
    }

    /** In every form of `pg`: the last argument is a callback, or a promise is returned. */
    override query(...args: never[]): never {
      const done = this.#watched.begin();
      const finish = (fault: unknown) => {
        done(!fault || isAnswer(fault));
        if (fault && breaksSession(fault)) void this.end().catch(() => {});
      };
      const callback: unknown = args.at(-1);
      if (typeof callback === 'function')
        args[args.length - 1] = ((error: unknown, result: unknown) => {
          finish(error);
          callback(error, result);
        }) as never;
      const result: unknown = super.query(...(args as unknown as [string]));
      if (typeof callback !== 'function') Promise.resolve(result).then(() => finish(null), finish);
      return result as never;
    }
  }

  return { Session, close: () => watch.close() };
}

/** True if the database itself sent the error, which proves that it answers. */
function isAnswer(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code !== '57P03';
}
