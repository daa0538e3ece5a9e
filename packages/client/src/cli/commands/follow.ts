import type { Activity } from '@berth/contract';
import type { AppRouter } from '@berth/core';
import { createTRPCClient, httpSubscriptionLink } from '@trpc/client';
import { EventSource } from 'eventsource';
import type { BerthClient } from '../../client.ts';
import { ClientError } from '../../errors.ts';

/** Whose activities, and until when. */
export interface Following {
  client: BerthClient;
  key: string | null;
  signal: AbortSignal;
}

/**
 * What happens in an account from now on. A line that drops is taken up again, without a gap.
 *
 * @throws ClientError `aborted` when the signal says so, the only way in which it ends but for a key that is revoked.
 */
export async function* followActivities({ client, key, signal }: Following): AsyncGenerator<Activity> {
  const arrived: Activity[] = [];
  let wake = Promise.withResolvers<void>();
  let ended: ClientError | null = null;
  const end = (error: ClientError) => {
    ended ??= error;
    wake.resolve();
  };
  const api = createTRPCClient<AppRouter>({
    links: [
      httpSubscriptionLink({
        url: new URL('trpc', client.server).href,
        EventSource,
        eventSourceOptions: {
          fetch: (url, init) => fetch(url, { ...init, headers: { ...init.headers, Authorization: `Bearer ${key}` } }),
        },
      }),
    ],
  });
  const { unsubscribe } = api.activities.watch.subscribe(undefined, {
    onData: ({ data }) => {
      arrived.push(data as Activity);
      wake.resolve();
    },
    onError: (cause) => end(new ClientError('network', `The line to the server broke: ${cause.message}`, { cause })),
    onComplete: () => end(new ClientError('network', 'The server ended the line')),
  });
  const abort = () => end(new ClientError('aborted', 'Interrupted'));
  signal.addEventListener('abort', abort, { once: true });
  if (signal.aborted) abort();
  try {
    for (;;) {
      yield* arrived.splice(0);
      if (ended) throw ended as ClientError;
      await wake.promise;
      wake = Promise.withResolvers();
    }
  } finally {
    signal.removeEventListener('abort', abort);
    unsubscribe();
  }
}
