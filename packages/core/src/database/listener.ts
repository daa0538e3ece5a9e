import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { unavailable } from '../errors.ts';
import type { Sessions } from './sessions.ts';

/** A function that receives the payload of a notification, or `null` if notifications may have been lost. */
type Subscriber = (payload: string | null) => void;

/** Subscriptions to one notification channel of the database. */
export type Listener = Pick<ChannelListener, 'subscribe' | 'confirmedAt' | 'isConnected' | 'catchUp' | 'close'>;

const MIN_PAUSE_MS = 100;
const MAX_PAUSE_MS = 1_000;
/** The interval of the queries that detect a dead connection. */
const PROBE_MS = 30_000;
const PROBE_TIMEOUT_MS = 10_000;
const END_TIMEOUT_MS = 1_000;
const CATCH_UP_TIMEOUT_MS = 1_000;

/**
 * Listens on one channel of PostgreSQL, with one connection for any number of subscribers. The first subscriber opens the
 * connection. A lost connection is replaced after growing pauses, and all subscribers learn that notifications may be lost.
 */
export class ChannelListener {
  readonly #Session: Sessions['Session'];
  readonly #channel: string;
  readonly #subscribers = new Set<Subscriber>();
  readonly #closing = new AbortController();
  #connecting: Promise<Connection> | null = null;
  #current: Connection | null = null;
  #keeping: Promise<void> = Promise.resolve();
  #confirmedAt = -Infinity;
  #confirming: Promise<boolean> | null = null;
  #confirmingNext: Promise<boolean> | null = null;

  constructor(Session: Sessions['Session'], channel: string) {
    this.#Session = Session;
    this.#channel = channel;
  }

  /**
   * The time, as of `performance.now()`, until which all notifications have been delivered; `-Infinity` without a connection.
   * Only {@link catchUp} advances this time.
   */
  get confirmedAt(): number {
    return this.#confirmedAt;
  }

  /** Whether the connection is open, or no subscriber has needed one yet. */
  get isConnected(): boolean {
    return this.#current !== null || this.#connecting === null;
  }

  /**
   * Subscribes to the channel. Notifications arrive from the moment the promise resolves.
   *
   * @param onChange Receives each payload, and `null` when the subscriber must read the data again. Must not throw.
   * @returns A function that unsubscribes.
   * @throws if the database cannot be reached, or the listener is closed.
   */
  async subscribe(onChange: Subscriber): Promise<() => void> {
    if (this.#closing.signal.aborted) throw unavailable('The service is stopping.');
    this.#subscribers.add(onChange);
    try {
      await (this.#connecting ?? this.#start());
    } catch (error) {
      this.#subscribers.delete(onChange);
      throw error;
    }
    return () => void this.#subscribers.delete(onChange);
  }

  /**
   * Waits until the notifications of all current commits have been delivered. One query on the listening connection is enough,
   * because PostgreSQL sends a session its notifications before the result of the next query.
   *
   * @returns False if there is no connection, or the query has no result within a second.
   */
  async catchUp(): Promise<boolean> {
    if (!this.#current) return false;
    const { promise: tooLate, resolve } = Promise.withResolvers<boolean>();
    const timer = setTimeout(resolve, CATCH_UP_TIMEOUT_MS, false).unref();
    const isConfirmed = await Promise.race([this.#confirmOnce(), tooLate]);
    clearTimeout(timer);
    return isConfirmed;
  }

  /** Ends the connection and all subscriptions. Safe to call again. */
  async close(): Promise<void> {
    this.#closing.abort();
    this.#subscribers.clear();
    await this.#connecting?.catch(() => {});
    await this.#keeping;
  }

  #start(): Promise<Connection> {
    const connecting = this.#connect();
    connecting.then(
      (opened) => (this.#keeping = this.#keepConnected(opened)),
      () => (this.#connecting = null),
    );
    return connecting;
  }

  #connect(): Promise<Connection> {
    this.#connecting = openConnection(this.#Session, this.#channel, (payload) => this.#publish(payload));
    return this.#connecting;
  }

  #publish(payload: string | null): void {
    for (const onChange of this.#subscribers) onChange(payload);
  }

  async #keepConnected(first: Connection): Promise<void> {
    let openedConnection: Connection | null = first;
    for (let pauseMs = MIN_PAUSE_MS; ;) {
      if (openedConnection) {
        this.#current = openedConnection;
        await useConnection(openedConnection, this.#closing.signal);
        this.#current = null;
        this.#confirmedAt = -Infinity;
        pauseMs = MIN_PAUSE_MS;
      } else {
        await sleep(pauseMs, undefined, { signal: this.#closing.signal, ref: false }).catch(() => {});
        pauseMs = Math.min(2 * pauseMs, MAX_PAUSE_MS);
      }
      if (this.#closing.signal.aborted) return;
      openedConnection = await this.#connect().catch(() => null);
      if (openedConnection) this.#publish(null);
    }
  }

  /** Runs one confirmation at a time. A call during one waits for the next, because the commit of the call may be newer. */
  #confirmOnce(): Promise<boolean> {
    if (this.#confirming)
      return (this.#confirmingNext ??= this.#confirming.then(() => {
        this.#confirmingNext = null;
        return this.#confirmOnce();
      }));
    this.#confirming = this.#confirm().finally(() => (this.#confirming = null));
    return this.#confirming;
  }

  async #confirm(): Promise<boolean> {
    const [connection, start] = [this.#current, performance.now()];
    if (!connection) return false;
    try {
      await connection.client.query('select 1');
    } catch {
      if (connection === this.#current) this.#confirmedAt = -Infinity;
      return false;
    }
    if (connection !== this.#current) return false;
    this.#confirmedAt = start;
    return true;
  }
}

interface Connection {
  client: pg.Client;
  ended: Promise<void>;
}

async function openConnection(
  Session: Sessions['Session'],
  channel: string,
  onNotification: (payload: string) => void,
): Promise<Connection> {
  const client = new Session({ query_timeout: PROBE_TIMEOUT_MS });
  const clientEnded = new Promise<void>((resolve) => void client.once('end', resolve));
  client.on('error', () => {});
  client.on('notification', ({ payload }) => onNotification(payload ?? ''));
  try {
    await client.connect();
    await client.query(`listen "${channel}"`);
    return { client, ended: clientEnded };
  } catch (error) {
    await endConnection(client);
    throw error;
  }
}

/** Waits until a connection has ended, no longer responds, or is no longer needed, and then ends the connection. */
async function useConnection({ client, ended }: Connection, stop: AbortSignal): Promise<void> {
  const { promise: over, resolve } = Promise.withResolvers<void>();
  const probe = setInterval(() => void client.query('select 1').catch(() => resolve()), PROBE_MS).unref();
  stop.addEventListener('abort', () => resolve());
  if (!stop.aborted) await Promise.race([ended, over]);
  clearInterval(probe);
  await endConnection(client);
}

/** Ends a connection. Waits at most a second for a server that does not respond. */
async function endConnection(client: pg.Client): Promise<void> {
  const waitAbort = new AbortController();
  await Promise.race([
    client.end().catch(() => {}),
    sleep(END_TIMEOUT_MS, undefined, { signal: waitAbort.signal, ref: false }).catch(() => {}),
  ]);
  waitAbort.abort();
}
