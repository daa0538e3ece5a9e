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
  /** Whether the log is polled as long as the subscription lasts. Default: false; it is polled while {@link ChangeLog.keepPolling} is called. */
  always?: boolean;
}

/** The interval of polls. Other processes must see a change within 300 ms. Source: api §14. */
const POLL_MS = 100;
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
  #alwaysCount = 0;
  #pollUntil = -Infinity;
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
   * the log is not polled.
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
  async subscribe(onChange: Subscriber, { always = false }: SubscribeOptions = {}): Promise<() => void> {
    if (this.#closing.signal.aborted) throw unavailable('The service is stopping.');
    await this.#open();
    this.#subscribers.add(onChange);
    if (!(await this.#readOnce())) {
      this.#subscribers.delete(onChange);
      throw unavailable('The change log of the database cannot be read.', this.#fault);
    }
    this.#alwaysCount += Number(always);
    this.#startPolling();
    return () => {
      if (this.#subscribers.delete(onChange)) this.#alwaysCount -= Number(always);
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
    if (this.#isPollNeeded) this.#polling ??= this.#poll().finally(() => (this.#polling = null));
  }

  get #isPollNeeded(): boolean {
    return !this.#closing.signal.aborted && (this.#alwaysCount > 0 || performance.now() < this.#pollUntil);
  }

  async #poll(): Promise<void> {
    for (let pauseMs = MIN_PAUSE_MS; this.#isPollNeeded;) {
      const isRead = await this.#open().then(
        () => this.#readOnce(),
        () => false,
      );
      pauseMs = isRead ? MIN_PAUSE_MS : Math.min(2 * pauseMs, MAX_PAUSE_MS);
      const waitMs = isRead ? POLL_MS : pauseMs;
      await sleep(waitMs, undefined, { signal: this.#closing.signal, ref: false }).catch(() => {});
    }
    this.#confirmedAt = -Infinity;
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
    if (session === this.#session && this.#polling) this.#confirmedAt = start;
    return true;
  }
}
