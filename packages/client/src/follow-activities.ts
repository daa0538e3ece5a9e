import { setTimeout as sleep } from 'node:timers/promises';
import type { Activity } from '@berth/contract';
import type { AppRouter } from '@berth/core';
import { createTRPCClient, httpSubscriptionLink } from '@trpc/client';
import { EventSource } from 'eventsource';
import { AnswerTooLarge, MAX_EVENT_LENGTH } from './answer-limits.ts';
import { toClientError } from './answers.ts';
import type { BerthClient } from './client.ts';
import { aborted, ClientError } from './errors.ts';
import { withEvents } from './progress.ts';
import { pauseBefore, type RetryPolicy } from './retry.ts';

/** A line is taken up again for as long as it is wanted. */
const FOR_EVER: RetryPolicy = { attempts: Infinity, firstMs: 1_000, longestMs: 15_000, withinMs: Infinity };

/** Of a caller who takes them more slowly than they come, no more than about this many are held: the server holds the rest. */
const MOST_HELD = 1_000;

/** Where to begin, and who hears of it. */
export interface FollowOptions {
  /** How many of what happened already come first; `Infinity` for all. Default: none. */
  last?: number | undefined;
  /** Called once, before the first activity: everything that happens from now on will be told. */
  onBegin?: (() => void) | undefined;
}

/**
 * What happened in an account, if that is wanted, and then what happens: each activity once, the oldest first. A line that
 * breaks is taken up again behind the last activity that was told, as often as it has to be.
 *
 * @throws ClientError when there is no line to begin with; later `aborted` when the signal says so, and what the server says
 *   when it does not take the key any more.
 */
export async function* followActivities(
  client: BerthClient,
  signal: AbortSignal,
  { last = 0, onBegin = () => {} }: FollowOptions = {},
): AsyncGenerator<Activity, never, undefined> {
  let from: Place = { last: Math.min(last, Number.MAX_SAFE_INTEGER) };
  for (let failures = 0; ; failures += 1) {
    try {
      for await (const { id, activity } of heardOn(client, from, signal)) {
        failures = 0;
        if (!('lastEventId' in from)) onBegin();
        from = { lastEventId: id };
        if (activity !== null) yield activity;
      }
    } catch (failure) {
      if (!('lastEventId' in from) || !mayPass(failure)) throw failure;
      const pauseMs = pauseBefore(failures + 1, 0, failure, FOR_EVER) ?? 0;
      await sleep(pauseMs, undefined, { signal }).catch((cause: unknown) => {
        throw aborted(cause);
      });
    }
  }
}

/** Behind the activity of an id, or that many before the end. */
type Place = { lastEventId: string } | { last: number };

/** An activity with its id, or, at the beginning of a line, the id that stands before them. */
interface Heard {
  id: string;
  activity: Activity | null;
}

/**
 * What comes on one line. It ends without an error when its reader is too far behind.
 *
 * @throws ClientError when the line breaks, or there is none; `aborted`.
 */
function heardOn(client: BerthClient, from: Place, given: AbortSignal): AsyncGenerator<Heard, void, undefined> {
  return withEvents<Heard, void>(given, async (tell, signal) => {
    const ended = Promise.withResolvers<void>();
    const fail = (thrown: unknown) => ended.reject(toClientError(thrown, client.server, signal));
    signal.addEventListener('abort', () => fail(signal.reason), { once: true });

    /** Says at its beginning where it begins, so that nothing is lost when it breaks before the first activity. */
    class Line extends EventSource {
      constructor(...given: ConstructorParameters<typeof EventSource>) {
        super(...given);
        this.addEventListener('begin', ({ lastEventId }) => void tell({ id: lastEventId, activity: null }));
        this.addEventListener('error', ({ message }) => {
          if (message?.includes('max buffer size') === true)
            fail(new AnswerTooLarge(client.server, `an event has at most ${MAX_EVENT_LENGTH} characters`));
        });
      }
    }
    const link = httpSubscriptionLink<AppRouter, typeof Line>({
      url: new URL('trpc', client.server).href,
      EventSource: Line,
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
        if (tell({ id, activity: data as Activity }) >= MOST_HELD) ended.resolve();
      },
      // It would come again by itself, but without the pauses of a crowd.
      onConnectionStateChange: ({ error }) => void (error && fail(error)),
      onError: fail,
      onComplete: () => fail(new Error('it ended the line')),
    });
    try {
      await ended.promise;
    } finally {
      unsubscribe();
    }
  });
}

/** True for what a later attempt may not meet: a gateway gives many answers while the server behind it starts. */
function mayPass(failure: unknown): failure is ClientError {
  if (failure instanceof AnswerTooLarge) return false;
  return failure instanceof ClientError && ['network', 'unavailable', 'server'].includes(failure.kind);
}
