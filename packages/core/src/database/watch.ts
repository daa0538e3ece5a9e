import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { Log } from '../log.ts';
import { toUnavailable } from './outages.ts';

/** The states of server processes by pid, as in `pg_stat_activity`: `active`, `idle`, `idle in transaction`; or `gone`. */
type SessionStates = ReadonlyMap<number, string>;

/** A session, as the watch sees it. */
interface WatchedSession {
  /** The id of the server process of the session; `null` until it is connected. */
  serverProcess(): number | null;
  /** Ends the session at once. Its pending queries fail. */
  cut(): void;
}

/** How a session reports its state to the watch. */
interface SessionReporter {
  /**
   * Starts a wait for a connection or for the answer to a query.
   *
   * @returns Ends the wait. `answered` says whether the database answered.
   */
  begin(): (answered: boolean) => void;
  /** The session has ended. */
  forget(): void;
}

/** The interval of the check for waits that take too long. */
const TICK_MS = 100;
/** A wait that takes longer triggers a probe. */
const SUSPICIOUS_MS = 250;
/** The pause before a suspected session is probed again, and the minimum pause for any other wait. */
const RECHECK_MS = 300;
/** The maximum pause between two probes for a long statement. */
const MAX_RECHECK_MS = 10_000;
/** How long a probe may take, in ticks. A process that is busy itself counts fewer ticks. */
const PATIENCE_TICKS = 9;
/** The pause between two attempts to reach an unavailable database. */
const RETRY_MS = 250;
/** If the database refuses new sessions for longer, the existing ones are cut too. */
const REFUSED_MS = 1_000;

interface Wait {
  since: number;
  /** When the next probe for this wait is due. */
  due: number;
  /** True if the server process was idle at the last probe. */
  suspected: boolean;
}

interface Entry {
  session: WatchedSession;
  waiting: Set<Wait>;
}

/**
 * Detects within two seconds that a database does not answer, or that a single connection to it is dead, however long statements
 * may take.
 *
 * When an answer takes long, the database is probed over a fresh connection. If the probe fails too, and no other session receives
 * anything, the database is unavailable: all sessions are cut, and none is opened until it answers again. If the probe shows twice in a
 * row that the server process of a waiting session is idle, the connection of that session is dead. It is cut together with every
 * other idle session, because the same network fault may have hit them all.
 */
export class DatabaseWatch {
  readonly #config: pg.ClientConfig;
  readonly #log: Log;
  readonly #entries = new Set<Entry>();
  readonly #closing = new AbortController();
  #isAway = false;
  #answeredAt = -Infinity;
  #isChecking = false;
  #ticking: NodeJS.Timeout | null = null;

  /** @param config Connects to the database. */
  constructor(config: pg.ClientConfig, log: Log) {
    this.#config = config;
    this.#log = log;
  }

  /** True while the database is known not to answer. */
  get isAway(): boolean {
    return this.#isAway;
  }

  /** Adds a session, which reports its waits to the returned reporter. */
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

  /** Probes the database now, because something failed. */
  check(): void {
    void this.#check();
  }

  /** Ends the watch. Safe to call again. */
  close(): void {
    this.#closing.abort();
    this.#stopTicking();
  }

  #beginWait(entry: Entry): (answered: boolean) => void {
    const since = performance.now();
    const wait: Wait = { since, due: since + SUSPICIOUS_MS, suspected: false };
    this.#entries.add(entry);
    entry.waiting.add(wait);
    this.#startTicking();
    return (answered) => {
      if (answered) this.#answeredAt = performance.now();
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
      for (const { due } of waiting) {
        isIdle = false;
        isDue ||= due <= now;
      }
    if (isIdle) this.#stopTicking();
    else if (isDue) this.check();
  }

  async #check(): Promise<void> {
    if (this.#isChecking || this.#isAway || this.#closing.signal.aborted) return;
    this.#isChecking = true;
    const start = performance.now();
    const patience = new AbortController();
    try {
      const processes = [...this.#entries].map(({ session }) => session.serverProcess()).filter((pid) => pid !== null);
      const states = await this.#probeWithTimeout(processes, patience);
      if (states) this.#cutDead(states, start);
    } catch (error) {
      const isSilent = patience.signal.aborted;
      // A new session that ended without an error code does not prove that no session can be opened.
      const isRefused = (error as { code?: string }).code !== undefined && toUnavailable(error) !== null;
      const isGone = (isSilent || isRefused) && this.#answeredAt < start;
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
      if (ticks >= PATIENCE_TICKS || this.#closing.signal.aborted) patience.abort();
    }, TICK_MS).unref();
    try {
      return await probeDatabase(this.#config, serverProcesses, patience.signal);
    } finally {
      clearInterval(timer);
    }
  }

  /** Schedules the next probe of each due wait. The longer the wait, the longer the pause. */
  #postpone(): void {
    const now = performance.now();
    for (const { waiting } of this.#entries)
      for (const wait of waiting) {
        if (wait.due > now) continue;
        const pauseMs = wait.suspected ? RECHECK_MS : Math.min((now - wait.since) / 2, MAX_RECHECK_MS);
        wait.due = now + Math.max(pauseMs, RECHECK_MS);
      }
  }

  /** Cuts sessions that wait for an answer although their server process is idle. */
  #cutDead(states: SessionStates, start: number): void {
    const isIdle = ({ session, waiting }: Entry) => {
      const state = states.get(session.serverProcess() ?? 0);
      return state === 'idle' || state === 'gone' || (waiting.size > 0 && state?.startsWith('idle') === true);
    };
    let dead = false;
    for (const entry of this.#entries)
      for (const wait of entry.waiting) {
        const isSuspect = wait.since < start - SUSPICIOUS_MS && isIdle(entry);
        dead ||= isSuspect && wait.suspected;
        wait.suspected = isSuspect;
      }
    if (!dead) return;
    const lost = [...this.#entries].filter(
      (entry) => isIdle(entry) && [...entry.waiting].every((wait) => wait.suspected),
    );
    this.#log.warn({ sessions: lost.length }, 'Connections to the database were dead; they are replaced');
    cut(lost);
  }

  async #waitUntilBack(reason: string, isSilent: boolean): Promise<void> {
    this.#isAway = true;
    const start = performance.now();
    // A database that has never answered is reported as an error of the start instead.
    const isOutage = this.#answeredAt > -Infinity;
    if (isOutage) this.#log.warn({ reason }, 'The database does not answer; requests get 503 until it does');
    this.#stopTicking();
    if (isSilent) cut([...this.#entries]);
    while (!this.#closing.signal.aborted) {
      await sleep(RETRY_MS, undefined, { signal: this.#closing.signal, ref: false }).catch(() => {});
      const answered = await this.#probeWithTimeout([]).then(
        () => true,
        () => false,
      );
      if (!answered && performance.now() - start > REFUSED_MS) cut([...this.#entries]);
      if (!answered) continue;
      this.#isAway = false;
      this.#startTicking();
      if (isOutage) this.#log.warn({ afterMs: Math.round(performance.now() - start) }, 'The database answers again');
      return;
    }
  }
}

function cut(entries: readonly Entry[]): void {
  for (const { session } of entries) session.cut();
}

const STATES = 'select pid, state from pg_stat_activity where pid = any($1)';
/** The error of a server that is starting or stopping. Any other one shows that it answers. */
const NOT_UP = '57P03';

/**
 * Checks over a separate connection whether the database answers, and reads the states of server processes.
 *
 * @param patience Aborted when the answer takes too long.
 * @returns `null` if the database answers but accepts no new sessions.
 * @throws if it does not answer.
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
    if (error instanceof pg.DatabaseError && error.code !== NOT_UP) return null;
    throw error;
  } finally {
    patience.removeEventListener('abort', giveUp);
    void client.end().catch(() => {});
    if (patience.aborted) client.connection.stream.destroy();
  }
}
