import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { unavailable } from '../errors.ts';
import type { Sessions } from './sessions.ts';

/** What is told on a channel of the database. */
export interface Listener {
  /**
   * Hears what is told on the channel from the moment the promise resolves.
   *
   * @param hear Called with each payload, and with `null` whenever something may have been missed: then it has to look for
   *   itself. Must not throw.
   * @returns Ends it.
   * @throws when the database cannot be reached, or the listener is closed.
   */
  listen(hear: (payload: string | null) => void): Promise<() => void>;
  /**
   * Everything that was committed until then has been told: a time by `performance.now()`, `-Infinity` while there is no
   * connection. It moves on by {@link catchUp} alone.
   */
  readonly confirmedAt: number;
  /**
   * Waits until everything that is committed by now has been told. PostgreSQL hands a session its notifications before it
   * answers its next query, so one query on the listening connection is enough.
   *
   * @returns False when that cannot be said within a second, or nobody listens.
   */
  catchUp(): Promise<boolean>;
  /** Ends the connection; nobody hears anything any more. Calling it again is no error. */
  close(): Promise<void>;
}

const MIN_PAUSE_MS = 100;
const MAX_PAUSE_MS = 1_000;
/** A connection that died without a word is noticed by asking. */
const PROBE_MS = 30_000;
const PROBE_TIMEOUT_MS = 10_000;
const END_TIMEOUT_MS = 1_000;
const SETTLE_TIMEOUT_MS = 1_000;

/**
 * Listens on one channel of PostgreSQL, with one connection for any number of hearers. It is opened for the first of them
 * and kept. When it is lost it is opened again, after growing pauses, and every hearer is told that it may have missed
 * something.
 *
 * @param channel A plain name.
 */
export function openListener(Session: Sessions['Session'], channel: string): Listener {
  const hearers = new Set<(payload: string | null) => void>();
  const closing = new AbortController();
  let line: Promise<Line> | null = null;
  let keeping: Promise<void> = Promise.resolve();
  /** The connection that listens right now. */
  let open: Line | null = null;
  let toldUntil = -Infinity;
  let asking: Promise<boolean> | null = null;
  let askingNext: Promise<boolean> | null = null;

  /** Asks the open line once. What does not answer may have been silent for long. @returns Whether it answered. */
  async function ask(): Promise<boolean> {
    const [asked, start] = [open, performance.now()];
    if (!asked) return false;
    try {
      await asked.client.query('select 1');
    } catch {
      if (asked === open) toldUntil = -Infinity;
      return false;
    }
    if (asked !== open) return false;
    toldUntil = start;
    return true;
  }

  /** One question at a time; who comes while one is asked needs the next one. */
  function askOnce(): Promise<boolean> {
    if (asking)
      return (askingNext ??= asking.then(() => {
        askingNext = null;
        return askOnce();
      }));
    asking = ask().finally(() => (asking = null));
    return asking;
  }

  const tell = (payload: string | null) => {
    for (const hear of hearers) hear(payload);
  };

  /** Keeps a line until the listener is closed; after each loss another one. */
  async function keep(first: Line): Promise<void> {
    let current: Line | null = first;
    for (let pauseMs = MIN_PAUSE_MS; ;) {
      if (current) {
        open = current;
        await holdLine(current, closing.signal);
        open = null;
        toldUntil = -Infinity;
        pauseMs = MIN_PAUSE_MS;
      } else {
        await sleep(pauseMs, undefined, { signal: closing.signal, ref: false }).catch(() => {});
        pauseMs = Math.min(2 * pauseMs, MAX_PAUSE_MS);
      }
      if (closing.signal.aborted) return;
      line = openLine(Session, channel, tell);
      current = await line.catch(() => null);
      if (current) tell(null);
    }
  }

  return {
    async listen(hear) {
      if (closing.signal.aborted) throw unavailable('The service is stopping.');
      if (!line) {
        line = openLine(Session, channel, tell);
        line.then(
          (opened) => (keeping = keep(opened)),
          () => (line = null),
        );
      }
      hearers.add(hear);
      try {
        await line;
      } catch (error) {
        hearers.delete(hear);
        throw error;
      }
      return () => void hearers.delete(hear);
    },
    get confirmedAt() {
      return toldUntil;
    },
    async catchUp() {
      if (!open) return false;
      const { promise: tooLate, resolve } = Promise.withResolvers<boolean>();
      const timer = setTimeout(resolve, SETTLE_TIMEOUT_MS, false).unref();
      const settled = await Promise.race([askOnce(), tooLate]);
      clearTimeout(timer);
      return settled;
    },
    async close() {
      closing.abort();
      hearers.clear();
      await line?.catch(() => {});
      await keeping;
    },
  };
}

/** A connection that listens, and the promise that ends with it. */
interface Line {
  client: pg.Client;
  gone: Promise<void>;
}

async function openLine(Session: Sessions['Session'], channel: string, tell: (payload: string) => void): Promise<Line> {
  const client = new Session({ query_timeout: PROBE_TIMEOUT_MS });
  const gone = new Promise<void>((resolve) => void client.once('end', resolve));
  client.on('error', () => {});
  client.on('notification', ({ payload }) => tell(payload ?? ''));
  try {
    await client.connect();
    await client.query(`listen "${channel}"`);
    return { client, gone };
  } catch (error) {
    await endLine(client);
    throw error;
  }
}

/** Waits until a line is gone, answers no more, or is to be given up; then it is ended. */
async function holdLine({ client, gone }: Line, giveUp: AbortSignal): Promise<void> {
  const { promise: over, resolve } = Promise.withResolvers<void>();
  const probe = setInterval(() => void client.query('select 1').catch(() => resolve()), PROBE_MS).unref();
  giveUp.addEventListener('abort', () => resolve());
  if (!giveUp.aborted) await Promise.race([gone, over]);
  clearInterval(probe);
  await endLine(client);
}

/** Ends a line, without waiting long for a server that answers no more. */
async function endLine(client: pg.Client): Promise<void> {
  const patience = new AbortController();
  await Promise.race([
    client.end().catch(() => {}),
    sleep(END_TIMEOUT_MS, undefined, { signal: patience.signal, ref: false }).catch(() => {}),
  ]);
  patience.abort();
}
