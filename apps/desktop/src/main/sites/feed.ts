import { setTimeout as sleep } from 'node:timers/promises';
import { backoffMs, type BerthClient, followActivities } from '@berth/client';
import { Activity } from '@berth/contract';
import type { Accounts } from '../account/accounts.ts';
import type { Pauses } from '../account/known-server.ts';

/** How long a connection must last to reset the backoff, in milliseconds. */
const STABLE_CONNECTION_MS = 30_000;

interface FeedOptions {
  accounts: Pick<Accounts, 'session' | 'client' | 'onChange' | 'reportFailure'>;
  /** Called with each activity of the account on the current server, while the user is signed in. */
  onActivity(activity: Activity): void;
  /** Called when a connection is open, so that no later activity is missed. */
  onConnected(): void;
  pauses: Pauses;
}

/** Subscribes to the activities of the account on the current server. Reconnects when the server or the account changes. */
export function openFeed({ accounts, onActivity, onConnected, pauses }: FeedOptions): { close(): Promise<void> } {
  let subscription: { client: BerthClient; controller: AbortController; finished: Promise<void> } | null = null;
  let isClosed = false;

  const syncSubscription = (): void => {
    const { current, servers } = accounts.session();
    const isSignedIn = servers.find(({ origin }) => origin === current)?.signIn.is === 'signed-in';
    const client = isSignedIn && !isClosed ? accounts.client(current) : null;
    if (client === (subscription?.client ?? null)) return;
    subscription?.controller.abort();
    const controller = new AbortController();
    subscription = client && { client, controller, finished: run(client, current, controller.signal) };
  };

  const run = async (client: BerthClient, origin: string, signal: AbortSignal): Promise<void> => {
    for (let failures = 0; !signal.aborted; failures += 1) {
      const startedAt = performance.now();
      try {
        for await (const activity of followActivities(client, signal, { onBegin: onConnected })) {
          const parsed = Activity.safeParse(activity);
          if (parsed.success && !signal.aborted) onActivity(parsed.data);
        }
      } catch (error) {
        if (signal.aborted) return;
        accounts.reportFailure(origin, error);
      }
      if (performance.now() - startedAt > STABLE_CONNECTION_MS) failures = 0;
      await sleep(backoffMs(failures, pauses.firstMs, pauses.longestMs), undefined, { signal }).catch(() => {});
    }
  };

  accounts.onChange(syncSubscription);
  syncSubscription();
  return {
    async close() {
      isClosed = true;
      const lastSubscription = subscription;
      syncSubscription();
      await lastSubscription?.finished;
    },
  };
}
