import type { Activity, ActivityFilter, ApiRouter } from '@berth/contract';
import { createTRPCClient, httpSubscriptionLink } from '@trpc/client';
import { EventSource } from 'eventsource';
import type { BerthClient } from './client.ts';
import { abortedError, ClientError } from './errors.ts';
import { yieldEvents } from './progress.ts';
import { MAX_EVENT_LENGTH, ResponseTooLarge, toClientError } from './responses.ts';
import { retryPauseMs, type RetryPolicy } from './retry.ts';
import { sleep } from './sleep.ts';

const RECONNECT_POLICY: RetryPolicy = { attempts: Infinity, firstMs: 1_000, longestMs: 15_000, withinMs: Infinity };

/** The approximate number of activities to buffer for a slow caller. The server keeps all further activities. */
const MAX_BUFFERED_EVENTS = 1_000;

/** Options of {@link followActivities}. */
export interface FollowOptions {
  /** Which activities to yield, as the query parameters of `GET /activities`. Default: all. */
  filter?: ActivityFilter | undefined;
  /** How many past activities to yield first; `Infinity` for all. Default: 0. */
  last?: number | undefined;
  /** Called once, before the first activity. All later activities are yielded. */
  onBegin?: (() => void) | undefined;
  /** Called with false when the connection breaks, and with true when it is back. No activity is lost in between. */
  onConnection?: ((isConnected: boolean) => void) | undefined;
}

/**
 * Yields past activities of an account, if requested, and then new activities: each activity once, the oldest first. If the
 * connection breaks, the function reconnects and resumes after the last activity, without limit.
 *
 * @throws ClientError if the first connection fails, if the signal is aborted, or if the server no longer accepts the key.
 */
export async function* followActivities(
  client: BerthClient,
  signal: AbortSignal,
  { filter = {}, last = 0, onBegin = () => {}, onConnection = () => {} }: FollowOptions = {},
): AsyncGenerator<Activity, never, undefined> {
  let streamPosition: StreamPosition = { last: Math.min(last, Number.MAX_SAFE_INTEGER) };
  let isBroken = false;
  for (let failures = 0; ; failures += 1) {
    try {
      for await (const { id, activity } of readConnection(client, { ...filter, ...streamPosition }, signal)) {
        failures = 0;
        if (isBroken) onConnection(true);
        isBroken = false;
        if (!('lastEventId' in streamPosition)) onBegin();
        streamPosition = { lastEventId: id };
        if (activity !== null) yield activity;
      }
    } catch (failure) {
      if (!('lastEventId' in streamPosition) || !isRecoverable(failure)) throw failure;
      if (!isBroken) onConnection(false);
      isBroken = true;
      const pauseMs = retryPauseMs(failures + 1, 0, failure, RECONNECT_POLICY) ?? 0;
      await sleep(pauseMs, signal).catch((cause: unknown) => {
        throw abortedError(cause);
      });
    }
  }
}

/** Where a connection starts: after the activity with an id, or a number of activities before the newest. */
type StreamPosition = { lastEventId: string } | { last: number };

/** An activity and its id. The first event of a connection has the id of its start position, and no activity. */
interface ReceivedActivity {
  id: string;
  activity: Activity | null;
}

/** Yields the activities of one connection. Returns if the caller is too slow, and throws if the connection breaks. */
function readConnection(
  client: BerthClient,
  input: ActivityFilter & StreamPosition,
  callerSignal: AbortSignal,
): AsyncGenerator<ReceivedActivity, void, undefined> {
  return yieldEvents<ReceivedActivity, void>(callerSignal, async (emit, signal) => {
    const streamEnded = Promise.withResolvers<void>();
    const failStream = (thrown: unknown) => streamEnded.reject(toClientError(thrown, client.server, signal));
    signal.addEventListener('abort', () => failStream(signal.reason), { once: true });

    /** Emits the start position, so that no activity is lost if the connection breaks before the first activity. */
    class ActivityEventSource extends EventSource {
      constructor(...options: ConstructorParameters<typeof EventSource>) {
        super(...options);
        this.addEventListener('begin', ({ lastEventId }) => void emit({ id: lastEventId, activity: null }));
        this.addEventListener('error', ({ message }) => {
          if (message?.includes('max buffer size') === true)
            failStream(
              new ResponseTooLarge(client.server, `an event must have at most ${MAX_EVENT_LENGTH} characters`),
            );
        });
      }
    }
    const link = httpSubscriptionLink<ApiRouter, typeof ActivityEventSource>({
      url: new URL('trpc', client.server).href,
      EventSource: ActivityEventSource,
      eventSourceOptions: {
        maxBufferSize: MAX_EVENT_LENGTH,
        fetch: async (url, init) => {
          try {
            return await client.request(String(url), init as RequestInit);
          } catch (failure) {
            failStream(failure);
            throw failure;
          }
        },
      },
    });
    const { unsubscribe } = createTRPCClient<ApiRouter>({ links: [link] }).activities.watch.subscribe(input, {
      onData: ({ id, data }) => {
        if (emit({ id, activity: data as Activity }) >= MAX_BUFFERED_EVENTS) streamEnded.resolve();
      },
      // The subscription would reconnect, but without the random pauses that spread the load of many clients.
      onConnectionStateChange: ({ error }) => void (error && failStream(error)),
      onError: failStream,
      onComplete: () => failStream(new Error('the server closed the connection')),
    });
    try {
      await streamEnded.promise;
    } finally {
      unsubscribe();
    }
  });
}

/** Returns true if a later attempt may succeed. While a server starts, a gateway may send any server error. */
function isRecoverable(failure: unknown): failure is ClientError {
  if (failure instanceof ResponseTooLarge) return false;
  return failure instanceof ClientError && ['network', 'unavailable', 'server'].includes(failure.kind);
}
