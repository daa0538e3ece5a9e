import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from 'pg';
import { unavailable } from '../errors.ts';
import { type Change, ChangeReader } from './change-reader.ts';
import type { Sessions } from './sessions.ts';

/** A function that receives a change, or `null` if changes may have been missed. Must not throw. */
type Subscriber = (change: Change | null) => void;

/** Subscriptions to the committed changes of the database. */
export type Changes = Pick<
  ChangeLog,
  'subscribe' | 'confirmedAt' | 'isConnected' | 'catchUp' | 'keepPolling' | 'close'
>;

interface SubscribeOptions {
  /**
   * How the log is polled as long as the subscription lasts: every 100 ms (`fast`), or every 5 s (`slow`), which costs an idle server
   * little. Default: it is polled only while {@link ChangeLog.keepPolling} is called.
   */
  poll?: PollRate;
}

type PollRate = 'fast' | 'slow';

/** The interval of polls. Other processes must see a change within 300 ms. Source: api §14. */
const POLL_MS = 100;
const SLOW_POLL_MS = 5_000;
/** How long the log is polled after the last call of `keepPolling`. */
const KEEP_POLLING_MS = 5_000;
const MIN_PAUSE_MS = 100;
const MAX_PAUSE_MS = 1_000;
const POLL_TIMEOUT_MS = 10_000;
const CATCH_UP_TIMEOUT_MS = 1_000;
const END_TIMEOUT_MS = 1_000;

/**
 * Follows the change log of the database with one connection for any number of subscribers. The first subscriber opens the
 * connection. A lost connection is replaced after growing pauses, and no change is missed. Source: storage §12.
 */
export class ChangeLog {
  readonly #Session: Sessions['Session'];
  readonly #subscribers = new Set<Subscriber>();
  readonly #closing = new AbortController();
  readonly #reader = new ChangeReader();
  #session: Client | null = null;
  #opening: Promise<void> | null = null;
  /** The number of subscriptions that need polls. */
  readonly #pollers: Record<PollRate, number> = { fast: 0, slow: 0 };
  #pollUntil = -Infinity;
  /** Aborted when slow polls are no longer enough. */
  #slowPause = new AbortController();
  #polling: Promise<void> | null = null;
  #confirmedAt = -Infinity;
  /** Why the log could not be read the last time. */
  #fault: unknown;
  #reading: Promise<boolean> | null = null;
  #readingNext: Promise<boolean> | null = null;

  constructor(Session: Sessions['Session']) {
    this.#Session = Session;
  }

  /**
   * The time, as of `performance.now()`, until which all changes have been delivered; `-Infinity` without a connection, or while
   * the log is not polled every 100 ms.
   */
  get confirmedAt(): number {
    return this.#confirmedAt;
  }

  /** Whether the connection is open, or no subscriber needs it. */
  get isConnected(): boolean {
    return this.#session !== null || this.#polling === null;
  }

  /**
   * Subscribes to the changes that commit from the moment the promise resolves.
   *
   * @returns A function that unsubscribes.
   * @throws if the database cannot be reached, or the log is closed.
   */
  async subscribe(onChange: Subscriber, { poll }: SubscribeOptions = {}): Promise<() => void> {
    if (this.#closing.signal.aborted) throw unavailable('The service is stopping.');
    await this.#open();
    this.#subscribers.add(onChange);
    if (!(await this.#readOnce())) {
      this.#subscribers.delete(onChange);
      throw unavailable('The change log of the database cannot be read.', this.#fault);
    }
    if (poll) this.#pollers[poll] += 1;
    this.#startPolling();
    return () => {
      if (this.#subscribers.delete(onChange) && poll) this.#pollers[poll] -= 1;
    };
  }

  /** Polls the log for the next 5 s. */
  keepPolling(): void {
    this.#pollUntil = performance.now() + KEEP_POLLING_MS;
    this.#startPolling();
  }

  /**
   * Waits until all changes have been delivered that are committed now.
   *
   * @returns False if there is no connection, or the log was not read within a second.
   */
  async catchUp(): Promise<boolean> {
    if (!this.#session) return false;
    const { promise: tooLate, resolve } = Promise.withResolvers<boolean>();
    const timer = setTimeout(resolve, CATCH_UP_TIMEOUT_MS, false).unref();
    const isConfirmed = await Promise.race([this.#readOnce(), tooLate]);
    clearTimeout(timer);
    return isConfirmed;
  }

  /** Ends the connection and all subscriptions. Safe to call again. */
  async close(): Promise<void> {
    this.#closing.abort();
    this.#subscribers.clear();
    await this.#opening?.catch(() => {});
    if (this.#session) await this.#end(this.#session);
    await this.#polling;
  }

  /** Opens the connection, unless it is open. @throws if the database cannot be reached. */
  #open(): Promise<void> {
    if (this.#session) return Promise.resolve();
    return (this.#opening ??= this.#connect().finally(() => (this.#opening = null)));
  }

  async #connect(): Promise<void> {
    const session = new this.#Session({ query_timeout: POLL_TIMEOUT_MS });
    session.once('end', () => this.#drop(session));
    await session.connect();
    if (this.#closing.signal.aborted) await this.#end(session);
    else this.#session = session;
  }

  #drop(session: Client): void {
    if (session !== this.#session) return;
    this.#session = null;
    this.#confirmedAt = -Infinity;
  }

  /** Ends a connection. Waits at most a second for a server that does not respond. */
  async #end(session: Client): Promise<void> {
    this.#drop(session);
    const waitAbort = new AbortController();
    await Promise.race([
      session.end().catch(() => {}),
      sleep(END_TIMEOUT_MS, undefined, { signal: waitAbort.signal, ref: false }).catch(() => {}),
    ]);
    waitAbort.abort();
  }

  #startPolling(): void {
    if (this.#pollRate !== null) this.#polling ??= this.#poll().finally(() => (this.#polling = null));
    if (this.#pollRate === 'fast') this.#slowPause.abort();
  }

  get #pollRate(): PollRate | null {
    if (this.#closing.signal.aborted) return null;
    if (this.#pollers.fast > 0 || performance.now() < this.#pollUntil) return 'fast';
    return this.#pollers.slow > 0 ? 'slow' : null;
  }

  async #poll(): Promise<void> {
    for (let pauseMs = MIN_PAUSE_MS; this.#pollRate !== null;) {
      const isRead = await this.#open().then(
        () => this.#readOnce(),
        () => false,
      );
      pauseMs = isRead ? MIN_PAUSE_MS : Math.min(2 * pauseMs, MAX_PAUSE_MS);
      if (isRead && this.#pollRate === 'slow') await this.#pauseSlowly();
      else await this.#pause(isRead ? POLL_MS : pauseMs, this.#closing.signal);
    }
    this.#confirmedAt = -Infinity;
  }

  /** Waits for the next slow poll, or until slow polls are no longer enough. */
  async #pauseSlowly(): Promise<void> {
    this.#confirmedAt = -Infinity;
    this.#slowPause = new AbortController();
    await this.#pause(SLOW_POLL_MS, AbortSignal.any([this.#closing.signal, this.#slowPause.signal]));
  }

  async #pause(ms: number, signal: AbortSignal): Promise<void> {
    await sleep(ms, undefined, { signal, ref: false }).catch(() => {});
  }

  /** Reads once at a time. A call during a read waits for the next one, because the commit of the call may be newer. */
  #readOnce(): Promise<boolean> {
    if (this.#reading)
      return (this.#readingNext ??= this.#reading.then(() => {
        this.#readingNext = null;
        return this.#readOnce();
      }));
    this.#reading = this.#read().finally(() => (this.#reading = null));
    return this.#reading;
  }

  async #read(): Promise<boolean> {
    const [session, start] = [this.#session, performance.now()];
    if (!session) return false;
    try {
      const changes = (await this.#reader.read(session)) ?? [null];
      for (const change of changes) for (const onChange of this.#subscribers) onChange(change);
    } catch (error) {
      this.#fault = error;
      void this.#end(session);
      return false;
    }
    // Without polls, later changes would be unknown for longer than they may be.
    if (session === this.#session && this.#polling && this.#pollRate === 'fast') this.#confirmedAt = start;
    return true;
  }
}
