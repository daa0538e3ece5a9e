import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '../log.ts';
import { asUnavailable } from './outages.ts';
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
   * @returns Ends that, and says whether the database answered.
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
const SUSPICIOUS_MS = 250;
/** The pause before the second question about a session that seems dead, and the shortest one about any other. */
const RECHECK_MS = 300;
/** The longest pause between two questions about a statement that takes long. */
const LONGEST_RECHECK_MS = 10_000;
/** How long a database may take to answer, in ticks. A process that is held up itself counts fewer of them. */
const PATIENCE_TICKS = 9;
/** The pause between two tries to reach a database that is away. */
const RETRY_MS = 250;
/** A database that refuses new sessions for so long is not going to answer those that it has. */
const REFUSED_MS = 1_000;

interface Wait {
  since: number;
  /** When the database is asked about it. */
  due: number;
  /** Whether the server worked on nothing when it was asked last. */
  suspected: boolean;
}

interface Entry {
  session: WatchedSession;
  waiting: Set<Wait>;
}

/**
 * Finds out within two seconds that a database does not answer, or that a single connection to it is dead, however long
 * statements may take.
 *
 * When an answer takes long, the database is asked over a fresh connection. If it does not answer either, and nothing else is
 * received from it, it is away: all sessions are cut and none is opened until it answers again. If it answers that a session for
 * which something is waited works on nothing, twice in a row, the way to that session is dead: it is cut, and so is every
 * other session that is idle, since what swallowed one connection may have swallowed them all.
 */
export function createWatch({ probe, log }: WatchParts): Watch {
  const entries = new Set<Entry>();
  const closing = new AbortController();
  let isAway = false;
  let answeredAt = -Infinity;
  let checking = false;
  let ticking: NodeJS.Timeout | null = null;

  function tick(): void {
    const now = performance.now();
    let isDue = false;
    let isIdle = true;
    for (const { waiting } of entries)
      for (const { due } of waiting) {
        isIdle = false;
        isDue ||= due <= now;
      }
    if (isIdle) stopTicking();
    else if (isDue) void check();
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
      const isSilent = patience.signal.aborted;
      // A session that was made and then ended, without an error code, is no proof that no other one can be made.
      const isRefused = (error as { code?: string }).code !== undefined && asUnavailable(error) !== null;
      const isGone = (isSilent || isRefused) && answeredAt < start;
      if (isGone && !closing.signal.aborted) await waitUntilBack((error as Error).message, isSilent);
    } finally {
      postpone();
      checking = false;
    }
  }

  /** Sets when the database is asked again about what was waited for: the longer it has taken, the later. */
  function postpone(): void {
    const now = performance.now();
    for (const { waiting } of entries)
      for (const wait of waiting) {
        if (wait.due > now) continue;
        const pauseMs = wait.suspected ? RECHECK_MS : Math.min((now - wait.since) / 2, LONGEST_RECHECK_MS);
        wait.due = now + Math.max(pauseMs, RECHECK_MS);
      }
  }

  /** Cuts the sessions for which something is waited of which the server knows nothing. */
  function cutDead(states: SessionStates, start: number): void {
    const isIdle = ({ session, waiting }: Entry) => {
      const state = states.get(session.serverProcess() ?? 0);
      return state === 'idle' || state === 'gone' || (waiting.size > 0 && state?.startsWith('idle') === true);
    };
    let dead = false;
    for (const entry of entries)
      for (const wait of entry.waiting) {
        const isSuspect = wait.since < start - SUSPICIOUS_MS && isIdle(entry);
        dead ||= isSuspect && wait.suspected;
        wait.suspected = isSuspect;
      }
    if (!dead) return;
    const lost = [...entries].filter((entry) => isIdle(entry) && [...entry.waiting].every((wait) => wait.suspected));
    log.warn({ sessions: lost.length }, 'Connections to the database were dead; they are replaced');
    cut(lost);
  }

  const cut = (lost: readonly Entry[]) => lost.forEach(({ session }) => session.cut());

  async function waitUntilBack(reason: string, isSilent: boolean): Promise<void> {
    isAway = true;
    const start = performance.now();
    // One that has never answered is an error of the start.
    const isNews = answeredAt > -Infinity;
    if (isNews) log.warn({ reason }, 'The database does not answer; requests get 503 until it does');
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
      if (isNews) log.warn({ afterMs: Math.round(performance.now() - start) }, 'The database answers again');
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
          const since = performance.now();
          const wait: Wait = { since, due: since + SUSPICIOUS_MS, suspected: false };
          entries.add(entry);
          entry.waiting.add(wait);
          ticking ??= setInterval(tick, TICK_MS).unref();
          return (answered) => {
            if (answered) answeredAt = performance.now();
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
