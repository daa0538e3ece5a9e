import type { Activity } from '@berth/contract';
import type { AppRouter } from '@berth/core';
import { createTRPCClient, httpSubscriptionLink } from '@trpc/client';
import { EventSource } from 'eventsource';
import type { BerthClient } from './client.ts';
import { aborted, ClientError } from './errors.ts';
import { withEvents } from './progress.ts';

/**
 * What happens in an account from now on. A line that drops is taken up again, without a gap.
 *
 * @throws ClientError `aborted` when the signal says so, the only way in which it ends but for a key that is revoked.
 */
export function followActivities(client: BerthClient, given: AbortSignal): AsyncGenerator<Activity, never, undefined> {
  return withEvents<Activity, never>(given, async (tell, signal) => {
    const ended = Promise.withResolvers<never>();
    const end = (message: string, cause?: Error) => ended.reject(new ClientError('network', message, { cause }));
    signal.addEventListener('abort', () => ended.reject(aborted(signal.reason)), { once: true });
    const { unsubscribe } = subscriptionsOf(client).activities.watch.subscribe(undefined, {
      onData: ({ data }) => tell(data as Activity),
      onError: (cause) => end(`The line to the server broke: ${cause.message}`, cause),
      onComplete: () => end('The server ended the line'),
    });
    try {
      return await ended.promise;
    } finally {
      unsubscribe();
    }
  });
}

function subscriptionsOf({ server, key }: BerthClient) {
  return createTRPCClient<AppRouter>({
    links: [
      httpSubscriptionLink({
        url: new URL('trpc', server).href,
        EventSource,
        eventSourceOptions: {
          fetch: (url, init) => fetch(url, { ...init, headers: { ...init.headers, Authorization: `Bearer ${key}` } }),
        },
      }),
    ],
  });
}
