import type { Log } from '@berth/core';
import { CachedCheck, type Check, type CheckOptions, type CheckResult, CheckTimeoutError } from './check.ts';

/** What the checks of a server examine. */
export type Dependency = 'database' | 'storage' | 'workers';

/** Whether a server is ready, and per dependency `ok` or the reason why not. `server` is present if no check ran. */
export interface Readiness {
  isReady: boolean;
  states: Partial<Record<Dependency | 'server', string>>;
}

const STARTING = 'The server is starting.';
const DRAINING = 'The server is stopping.';

/** The reasons that are shown, by error code. Other errors could contain paths or SQL. Source: security T42. */
const REASONS: Readonly<Record<string, string>> = {
  ENOSPC: 'No space is left on the disk.',
  EDQUOT: 'The disk quota is used up.',
  EROFS: 'The disk is read-only.',
  EACCES: 'The server may not write to the folder.',
  EPERM: 'The server may not write to the folder.',
  ENOENT: 'The folder is missing.',
  EIO: 'The disk reports errors.',
};
const GENERAL_REASONS: Readonly<Record<Dependency, string>> = {
  database: 'The database cannot be used.',
  storage: 'The storage cannot be used.',
  workers: 'No worker is serving.',
};

/**
 * The state of a server, for probes: it starts, then serves, and may drain before it stops. Source: api §12; security T42.
 */
export class Health {
  readonly #log: Log;
  readonly #options: CheckOptions;
  #checks: ReadonlyMap<Dependency, CachedCheck> | null = null;
  #isDraining = false;
  readonly #failed = new Set<Dependency>();

  constructor(log: Log, options: CheckOptions = {}) {
    this.#log = log;
    this.#options = options;
  }

  /** Ends the start. From now on the checks decide whether the server is ready. */
  serve(checks: Partial<Record<Dependency, Check>>): void {
    this.#checks = new Map(
      Object.entries(checks).map(([name, check]) => [name as Dependency, new CachedCheck(check, this.#options)]),
    );
  }

  /** Makes the server not ready, although it still serves requests. */
  drain(): void {
    this.#isDraining = true;
  }

  /** Returns whether requests should be sent to this server. Takes about as long as the slowest check, at most 2 s. */
  async readiness(): Promise<Readiness> {
    if (this.#isDraining) return { isReady: false, states: { server: DRAINING } };
    if (!this.#checks) return { isReady: false, states: { server: STARTING } };
    const results = await Promise.all(
      Array.from(this.#checks, async ([name, check]) => [name, await check.result()] as const),
    );
    for (const [name, result] of results) this.#logChange(name, result);
    return {
      isReady: results.every(([, result]) => result === null),
      states: Object.fromEntries(results.map(([name, result]) => [name, describe(name, result)])),
    };
  }

  #logChange(dependency: Dependency, result: CheckResult): void {
    if ((result !== null) === this.#failed.has(dependency)) return;
    if (result === null) {
      this.#failed.delete(dependency);
      this.#log.info({ dependency }, 'A dependency can be used again');
    } else {
      this.#failed.add(dependency);
      this.#log.warn({ dependency, err: result }, 'A dependency cannot be used, so the server is not ready');
    }
  }
}

function describe(dependency: Dependency, result: CheckResult): string {
  if (result === null) return 'ok';
  if (result instanceof CheckTimeoutError) return 'The check takes too long.';
  const { code = '' } = result as NodeJS.ErrnoException;
  return (dependency === 'storage' && REASONS[code]) || GENERAL_REASONS[dependency];
}
