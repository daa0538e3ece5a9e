import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '../log.ts';
import type { SessionStates } from './probe.ts';

/** A session, as the watch sees it. */
export interface WatchedSession {
  /** The id of the process that serves it; `null` until it is connected. */
  serverProcess(): number | null;
  /** Ends it at once: whatever waits for an answer fails. */
  cut(): void;
}

/** What a session reports of itself. */
export interface Reporter {
  /**
   * Something is waited for from now on: a connection, or the answer to a query.
   *
   * @returns Ends that, and says whether the database was heard.
   */
  begin(): (answered: boolean) => void;
  /** The session has ended. */
  forget(): void;
}

export interface Watch {
  /** Whether the database is known not to answer. */
  readonly isAway: boolean;
  add(session: WatchedSession): Reporter;
  /** Asks the database now whether it answers: something failed. */
  check(): void;
  /** Ends the watch. Calling it again is no error. */
  close(): void;
}

export interface WatchParts {
  /** Asks the database whether it answers, and what server processes do; see `probeDatabase`. */
  probe(serverProcesses: readonly number[], patience: AbortSignal): Promise<SessionStates | null>;
  log: Log;
}

/** How often it is checked whether something waits too long. */
const TICK_MS = 100;
/** An answer that takes longer makes us ask whether there is anybody to give it. */
const SUSPICIOUS_MS = 300;
/** The pause between two questions while something goes on waiting. */
const RECHECK_MS = 500;
/** How long a database may take to answer, in ticks. A process that is held up itself counts fewer of them. */
const PATIENCE_TICKS = 11;
/** The pause between two tries to reach a database that is away. */
const RETRY_MS = 250;
/** A database that refuses new sessions for so long is not going to answer those that it has. */
const REFUSED_MS = 1_000;

interface Entry {
  session: WatchedSession;
  /** What is waited for, by when it began. */
  waiting: Set<{ since: number; suspected: boolean }>;
}

/**
 * Finds out within two seconds that a database does not answer, or that a single connection to it is dead, however long
 * statements may take.
 *
 * When an answer takes long, the database is asked over a fresh connection. If it does not answer either, and nothing else is
 * heard from it, it is away: all sessions are cut and none is opened until it answers again. If it answers that a session for
 * which something is waited works on nothing, twice in a row, the way to that session is dead: it is cut, and so is every
 * other session that is idle, since what swallowed one connection may have swallowed them all.
 */
export function createWatch({ probe, log }: WatchParts): Watch {
  const entries = new Set<Entry>();
  const closing = new AbortController();
  let isAway = false;
  let heard = -Infinity;
  let checked = -Infinity;
  let checking = false;
  let ticking: NodeJS.Timeout | null = null;

  function tick(): void {
    const now = performance.now();
    let oldest = Infinity;
    for (const { waiting } of entries) for (const { since } of waiting) oldest = Math.min(oldest, since);
    if (oldest === Infinity) stopTicking();
    else if (now - oldest > SUSPICIOUS_MS && now - checked > RECHECK_MS) void check();
  }

  function stopTicking(): void {
    if (ticking) clearInterval(ticking);
    ticking = null;
  }

  async function ask(
    serverProcesses: readonly number[],
    patience = new AbortController(),
  ): Promise<SessionStates | null> {
    let ticks = 0;
    const timer = setInterval(() => {
      ticks += 1;
      if (ticks >= PATIENCE_TICKS || closing.signal.aborted) patience.abort();
    }, TICK_MS).unref();
    try {
      return await probe(serverProcesses, patience.signal);
    } finally {
      clearInterval(timer);
    }
  }

  async function check(): Promise<void> {
    if (checking || isAway || closing.signal.aborted) return;
    checking = true;
    const start = performance.now();
    const patience = new AbortController();
    try {
      const processes = [...entries].map(({ session }) => session.serverProcess()).filter((pid) => pid !== null);
      const states = await ask(processes, patience);
      if (states) cutDead(states, start);
    } catch (error) {
      if (heard < start && !closing.signal.aborted) await waitUntilBack(error as Error, patience.signal.aborted);
    } finally {
      checked = performance.now();
      checking = false;
    }
  }

  /** Cuts the sessions for which something is waited of which the server knows nothing. */
  function cutDead(states: SessionStates, start: number): void {
    const idles = ({ session, waiting }: Entry) => {
      const state = states.get(session.serverProcess() ?? -1) ?? 'idle';
      return waiting.size > 0 ? state.startsWith('idle') : state === 'idle';
    };
    let dead = false;
    for (const entry of entries)
      for (const wait of entry.waiting) {
        const isSuspect = wait.since < start - SUSPICIOUS_MS && idles(entry);
        dead ||= isSuspect && wait.suspected;
        wait.suspected = isSuspect;
      }
    if (!dead) return;
    const lost = [...entries].filter((entry) => idles(entry) && [...entry.waiting].every(({ suspected }) => suspected));
    log.warn({ sessions: lost.length }, 'Connections to the database were dead; they are replaced');
    cut(lost);
  }

  const cut = (lost: readonly Entry[]) => lost.forEach(({ session }) => session.cut());

  async function waitUntilBack(error: Error, isSilent: boolean): Promise<void> {
    isAway = true;
    const start = performance.now();
    log.warn({ err: error }, 'The database does not answer; requests get 503 until it does');
    stopTicking();
    if (isSilent) cut([...entries]);
    while (!closing.signal.aborted) {
      await sleep(RETRY_MS, undefined, { signal: closing.signal, ref: false }).catch(() => {});
      const answered = await ask([]).then(
        () => true,
        () => false,
      );
      if (!answered && performance.now() - start > REFUSED_MS) cut([...entries]);
      if (!answered) continue;
      isAway = false;
      ticking ??= setInterval(tick, TICK_MS).unref();
      log.warn({ afterMs: Math.round(performance.now() - start) }, 'The database answers again');
      return;
    }
  }

  return {
    get isAway() {
      return isAway;
    },
    add(session) {
      const entry: Entry = { session, waiting: new Set() };
      return {
        begin() {
          const wait = { since: performance.now(), suspected: false };
          entries.add(entry);
          entry.waiting.add(wait);
          ticking ??= setInterval(tick, TICK_MS).unref();
          return (answered) => {
            if (answered) heard = performance.now();
            entry.waiting.delete(wait);
          };
        },
        forget() {
          entry.waiting.clear();
          entries.delete(entry);
        },
      };
    },
    check: () => void check(),
    close() {
      closing.abort();
      stopTicking();
    },
  };
}
