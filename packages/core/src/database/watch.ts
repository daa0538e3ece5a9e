import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { Log } from '../log.ts';
import { databaseOutages } from '../metrics.ts';
import { toUnavailable } from './outages.ts';

/** The states of server processes by process id: those of `pg_stat_activity`, such as `idle`, or `gone`. */
type SessionStates = ReadonlyMap<number, string>;

interface WatchedSession {
  /** Returns the id of the server process of the session; `null` until the session is connected. */
  serverProcess(): number | null;
  /** Ends the session at once, so that its pending queries fail. */
  cut(): void;
}

interface SessionReporter {
  /** Starts a wait for the database. @returns A function that ends the wait, and takes whether the database responded. */
  begin(): (responded: boolean) => void;
  /** Reports that the session has ended. */
  forget(): void;
}

/** The interval of the checks for long waits. */
const TICK_MS = 100;
/** The length of a wait that triggers a probe. */
const SUSPICION_DELAY_MS = 250;
/** The pause before the second probe of a suspected session, and the minimum pause for any other wait. */
const RECHECK_MS = 300;
/** The maximum pause between two probes for a long statement. */
const MAX_RECHECK_MS = 10_000;
/** The maximum length of a probe, in ticks. A busy process counts fewer ticks. */
const MAX_WAIT_TICKS = 9;
/** The pause between two probes of an unavailable database. */
const RETRY_MS = 250;
/** If the database refuses new sessions for this long, the existing sessions are cut, too. */
const MAX_REFUSED_MS = 1_000;

interface Wait {
  since: number;
  nextProbe: number;
  /** Whether the server process was idle at the last probe. */
  suspected: boolean;
}

interface Entry {
  session: WatchedSession;
  waiting: Set<Wait>;
}

/**
 * Detects within two seconds that a database does not respond, or that a single connection is dead, however long statements take.
 *
 * After a long wait, the watch probes the database over a new connection. If the probe fails, too, and no session receives
 * anything, the database is unavailable: all sessions are cut, and none is opened until a probe succeeds. If two probes in a row
 * find the server process of a waiting session idle, the connection is dead, and all idle sessions are cut.
 */
export class DatabaseWatch {
  readonly #config: pg.ClientConfig;
  readonly #log: Log;
  readonly #entries = new Set<Entry>();
  readonly #closing = new AbortController();
  #isAway = false;
  #lastResponse = -Infinity;
  #isChecking = false;
  #ticking: NodeJS.Timeout | null = null;

  constructor(config: pg.ClientConfig, log: Log) {
    this.#config = config;
    this.#log = log;
  }

  /** Whether the database is known to be unavailable. */
  get isAway(): boolean {
    return this.#isAway;
  }

  /** Adds a session. @returns The functions with which the session reports its waits. */
  add(session: WatchedSession): SessionReporter {
    const entry: Entry = { session, waiting: new Set() };
    return {
      begin: () => this.#beginWait(entry),
      forget: () => {
        entry.waiting.clear();
        this.#entries.delete(entry);
      },
    };
  }

  /** Ends the watch. Safe to call again. */
  close(): void {
    this.#closing.abort();
    this.#stopTicking();
  }

  #beginWait(entry: Entry): (responded: boolean) => void {
    const startedMs = performance.now();
    const wait: Wait = { since: startedMs, nextProbe: startedMs + SUSPICION_DELAY_MS, suspected: false };
    this.#entries.add(entry);
    entry.waiting.add(wait);
    this.#startTicking();
    return (responded) => {
      if (responded) this.#lastResponse = performance.now();
      entry.waiting.delete(wait);
    };
  }

  #startTicking(): void {
    this.#ticking ??= setInterval(() => this.#tick(), TICK_MS).unref();
  }

  #stopTicking(): void {
    if (this.#ticking) clearInterval(this.#ticking);
    this.#ticking = null;
  }

  #tick(): void {
    const now = performance.now();
    let isDue = false;
    let isIdle = true;
    for (const { waiting } of this.#entries)
      for (const { nextProbe } of waiting) {
        isIdle = false;
        isDue ||= nextProbe <= now;
      }
    if (isIdle) this.#stopTicking();
    else if (isDue) void this.check();
  }

  /** Probes the database, unless a probe is running or the database is known to be unavailable. */
  async check(): Promise<void> {
    if (this.#isChecking || this.#isAway || this.#closing.signal.aborted) return;
    this.#isChecking = true;
    const start = performance.now();
    const probeAbort = new AbortController();
    try {
      const processes = [...this.#entries].map(({ session }) => session.serverProcess()).filter((pid) => pid !== null);
      const states = await this.#probeWithTimeout(processes, probeAbort);
      if (states) this.#cutDead(states, start);
    } catch (error) {
      const isSilent = probeAbort.signal.aborted;
      // An error without a code does not prove that no session can be opened.
      const isRefused = (error as { code?: string }).code !== undefined && toUnavailable(error) !== null;
      const isGone = (isSilent || isRefused) && this.#lastResponse < start;
      if (isGone && !this.#closing.signal.aborted) await this.#waitUntilBack((error as Error).message, isSilent);
    } finally {
      this.#postpone();
      this.#isChecking = false;
    }
  }

  async #probeWithTimeout(
    serverProcesses: readonly number[],
    patience = new AbortController(),
  ): Promise<SessionStates | null> {
    let ticks = 0;
    const timer = setInterval(() => {
      ticks += 1;
      if (ticks >= MAX_WAIT_TICKS || this.#closing.signal.aborted) patience.abort();
    }, TICK_MS).unref();
    try {
      return await probeDatabase(this.#config, serverProcesses, patience.signal);
    } finally {
      clearInterval(timer);
    }
  }

  /** Schedules the next probe of each due wait, after a pause that grows with the wait. */
  #postpone(): void {
    const now = performance.now();
    for (const { waiting } of this.#entries)
      for (const wait of waiting) {
        if (wait.nextProbe > now) continue;
        const pauseMs = wait.suspected ? RECHECK_MS : Math.min((now - wait.since) / 2, MAX_RECHECK_MS);
        wait.nextProbe = now + Math.max(pauseMs, RECHECK_MS);
      }
  }

  /** Cuts all idle sessions if a session waits for a server process that is idle. */
  #cutDead(states: SessionStates, start: number): void {
    const isIdle = ({ session, waiting }: Entry) => {
      const state = states.get(session.serverProcess() ?? 0);
      return state === 'idle' || state === 'gone' || (waiting.size > 0 && state?.startsWith('idle') === true);
    };
    let isDead = false;
    for (const entry of this.#entries)
      for (const wait of entry.waiting) {
        const isSuspect = wait.since < start - SUSPICION_DELAY_MS && isIdle(entry);
        isDead ||= isSuspect && wait.suspected;
        wait.suspected = isSuspect;
      }
    if (!isDead) return;
    const lostEntries = [...this.#entries].filter(
      (entry) => isIdle(entry) && [...entry.waiting].every((wait) => wait.suspected),
    );
    this.#log.warn({ sessions: lostEntries.length }, 'Connections to the database were dead; they are replaced');
    cutConnections(lostEntries);
  }

  async #waitUntilBack(reason: string, isSilent: boolean): Promise<void> {
    this.#isAway = true;
    const start = performance.now();
    // If the database has never responded, the start of the server fails with an error instead of a warning.
    const isOutage = this.#lastResponse > -Infinity;
    if (isOutage) databaseOutages.value += 1;
    if (isOutage) this.#log.warn({ reason }, 'The database does not answer; requests get 503 until it does');
    this.#stopTicking();
    if (isSilent) cutConnections([...this.#entries]);
    while (!this.#closing.signal.aborted) {
      await sleep(RETRY_MS, undefined, { signal: this.#closing.signal, ref: false }).catch(() => {});
      const isBack = await this.#probeWithTimeout([]).then(
        () => true,
        () => false,
      );
      if (!isBack && performance.now() - start > MAX_REFUSED_MS) cutConnections([...this.#entries]);
      if (!isBack) continue;
      this.#isAway = false;
      this.#startTicking();
      if (isOutage) this.#log.warn({ afterMs: Math.round(performance.now() - start) }, 'The database answers again');
      return;
    }
  }
}

function cutConnections(entries: readonly Entry[]): void {
  for (const { session } of entries) session.cut();
}

const STATES = 'select pid, state from pg_stat_activity where pid = any($1)';
/** The SQL state of a server that is starting or stopping. Any other SQL state proves that the server responds. */
const NOT_READY_CODE = '57P03';

/**
 * Probes the database over a new connection, and reads the states of server processes.
 *
 * @param patience Aborted when the probe takes too long.
 * @returns `null` if the database responds but accepts no new sessions.
 * @throws if the database does not respond.
 */
async function probeDatabase(
  config: pg.ClientConfig,
  serverProcesses: readonly number[],
  patience: AbortSignal,
): Promise<SessionStates | null> {
  const client = new pg.Client({ ...config, connectionTimeoutMillis: 0 });
  client.on('error', () => {});
  const giveUp = () => client.connection.stream.destroy(new Error('the database does not answer'));
  patience.addEventListener('abort', giveUp, { once: true });
  try {
    await client.connect();
    const { rows } = await client.query<{ pid: number; state: string | null }>(STATES, [serverProcesses]);
    const states = new Map(serverProcesses.map((pid) => [pid, 'gone']));
    for (const { pid, state } of rows) states.set(pid, state ?? 'unknown');
    return states;
  } catch (error) {
    if (error instanceof pg.DatabaseError && error.code !== NOT_READY_CODE) return null;
    throw error;
  } finally {
    patience.removeEventListener('abort', giveUp);
    void client.end().catch(() => {});
    if (patience.aborted) client.connection.stream.destroy();
  }
}
