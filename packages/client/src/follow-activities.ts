import { setTimeout as sleep } from 'node:timers/promises';
import type { Activity } from '@berth/contract';
import type { AppRouter } from '@berth/core';
import { createTRPCClient, httpSubscriptionLink } from '@trpc/client';
import { EventSource } from 'eventsource';
import type { BerthClient } from './client.ts';
import { abortedError, ClientError } from './errors.ts';
import { yieldEvents } from './progress.ts';
import { MAX_EVENT_LENGTH, ResponseTooLarge, toClientError } from './responses.ts';
import { retryPauseMs, type RetryPolicy } from './retry.ts';

/** Reconnects are retried without limit. */
const RECONNECT_POLICY: RetryPolicy = { attempts: Infinity, firstMs: 1_000, longestMs: 15_000, withinMs: Infinity };

/** The approximate maximum of activities to buffer for a slow caller. The rest stays on the server. */
const MAX_BUFFERED = 1_000;

/** Options of {@link followActivities}. */
export interface FollowOptions {
  /** How many past activities to return first; `Infinity` for all. Default: none. */
  last?: number | undefined;
  /** Called once, before the first activity. From then on, no activity is missed. */
  onBegin?: (() => void) | undefined;
}

/**
 * Yields past activities of an account, if requested, and then new ones: each activity once, the oldest first. If the
 * connection breaks, it reconnects after the last activity that was yielded, without limit.
 *
 * @throws ClientError if the first connection fails; later `aborted` if the signal is aborted, and the error of the server if
 *   it no longer accepts the key.
 */
export async function* followActivities(
  client: BerthClient,
  signal: AbortSignal,
  { last = 0, onBegin = () => {} }: FollowOptions = {},
): AsyncGenerator<Activity, never, undefined> {
  let from: StreamPosition = { last: Math.min(last, Number.MAX_SAFE_INTEGER) };
  for (let failures = 0; ; failures += 1) {
    try {
      for await (const { id, activity } of readConnection(client, from, signal)) {
        failures = 0;
        if (!('lastEventId' in from)) onBegin();
        from = { lastEventId: id };
        if (activity !== null) yield activity;
      }
    } catch (failure) {
      if (!('lastEventId' in from) || !isRecoverable(failure)) throw failure;
      const pauseMs = retryPauseMs(failures + 1, 0, failure, RECONNECT_POLICY) ?? 0;
      await sleep(pauseMs, undefined, { signal }).catch((cause: unknown) => {
        throw abortedError(cause);
      });
    }
  }
}

/** The start of a connection: after the activity with an id, or that many activities before the end. */
type StreamPosition = { lastEventId: string } | { last: number };

/**
 * An activity and its id. The first one of a connection has no activity, only the id of the position where the connection
 * starts.
 */
interface ReceivedActivity {
  id: string;
  activity: Activity | null;
}

/**
 * Yields the activities of one connection. Ends without an error if its reader is too far behind.
 *
 * @throws ClientError if the connection breaks or cannot be opened; `aborted`.
 */
function readConnection(
  client: BerthClient,
  from: StreamPosition,
  callerSignal: AbortSignal,
): AsyncGenerator<ReceivedActivity, void, undefined> {
  return yieldEvents<ReceivedActivity, void>(callerSignal, async (emit, signal) => {
    const ended = Promise.withResolvers<void>();
    const fail = (thrown: unknown) => ended.reject(toClientError(thrown, client.server, signal));
    signal.addEventListener('abort', () => fail(signal.reason), { once: true });

    /** Reports its position at the start, so that nothing is lost if the connection breaks before the first activity. */
    class ActivityEventSource extends EventSource {
      constructor(...options: ConstructorParameters<typeof EventSource>) {
        super(...options);
        this.addEventListener('begin', ({ lastEventId }) => void emit({ id: lastEventId, activity: null }));
        this.addEventListener('error', ({ message }) => {
          if (message?.includes('max buffer size') === true)
            fail(new ResponseTooLarge(client.server, `an event may have at most ${MAX_EVENT_LENGTH} characters`));
        });
      }
    }
    const link = httpSubscriptionLink<AppRouter, typeof ActivityEventSource>({
      url: new URL('trpc', client.server).href,
      EventSource: ActivityEventSource,
      eventSourceOptions: {
        maxBufferSize: MAX_EVENT_LENGTH,
        fetch: async (url, init) => {
          try {
            return await client.request(String(url), init as RequestInit);
          } catch (failure) {
            fail(failure);
            throw failure;
          }
        },
      },
    });
    const { unsubscribe } = createTRPCClient<AppRouter>({ links: [link] }).activities.watch.subscribe(from, {
      onData: ({ id, data }) => {
        if (emit({ id, activity: data as Activity }) >= MAX_BUFFERED) ended.resolve();
      },
      // It would reconnect automatically, but without the random pauses that spread many clients.
      onConnectionStateChange: ({ error }) => void (error && fail(error)),
      onError: fail,
      onComplete: () => fail(new Error('the server ended the connection')),
    });
    try {
      await ended.promise;
    } finally {
      unsubscribe();
    }
  });
}

/**
 * Returns true if a later attempt may succeed. Includes server errors: a gateway gives various responses while the server
 * behind it starts.
 */
function isRecoverable(failure: unknown): failure is ClientError {
  if (failure instanceof ResponseTooLarge) return false;
  return failure instanceof ClientError && ['network', 'unavailable', 'server'].includes(failure.kind);
}
