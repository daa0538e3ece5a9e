import { setTimeout as sleep } from 'node:timers/promises';
import { backoffMs, type BerthClient, followActivities } from '@berth/client';
import { Activity } from '@berth/contract';
import type { Accounts } from '../account/accounts.ts';
import type { Pauses } from '../account/known-server.ts';

/** How long a connection must last to reset the backoff, in milliseconds. */
const STEADY_MS = 30_000;

export interface FeedOptions {
  accounts: Pick<Accounts, 'session' | 'client' | 'onChange' | 'reportFailure'>;
  /** Called with each activity of the account on the current server, while the user is signed in. */
  onActivity(activity: Activity): void;
  /** Called when a connection is up: from now on no activity is missed. */
  onConnected(): void;
  pauses: Pauses;
}

/** Subscribes to the activities of the account on the current server. Reconnects when the server or the account changes. */
export function openFeed({ accounts, onActivity, onConnected, pauses }: FeedOptions): { close(): Promise<void> } {
  let subscription: { client: BerthClient; controller: AbortController; ended: Promise<void> } | null = null;
  let isClosed = false;

  const sync = (): void => {
    const { current, servers } = accounts.session();
    const isSignedIn = servers.find(({ origin }) => origin === current)?.signIn.is === 'signed-in';
    const client = isSignedIn && !isClosed ? accounts.client(current) : null;
    if (client === (subscription?.client ?? null)) return;
    subscription?.controller.abort();
    subscription = client && subscribe(client, current);
  };

  const subscribe = (client: BerthClient, origin: string) => {
    const controller = new AbortController();
    return { client, controller, ended: run(client, origin, controller.signal) };
  };

  const run = async (client: BerthClient, origin: string, signal: AbortSignal): Promise<void> => {
    for (let failures = 0; !signal.aborted; failures += 1) {
      const since = performance.now();
      try {
        for await (const activity of followActivities(client, signal, { onBegin: onConnected })) {
          const known = Activity.safeParse(activity);
          if (known.success && !signal.aborted) onActivity(known.data);
        }
      } catch (error) {
        if (signal.aborted) return;
        accounts.reportFailure(origin, error);
      }
      if (performance.now() - since > STEADY_MS) failures = 0;
      await sleep(backoffMs(failures, pauses.firstMs, pauses.longestMs), undefined, { signal }).catch(() => {});
    }
  };

  accounts.onChange(sync);
  sync();
  return {
    async close() {
      isClosed = true;
      const last = subscription;
      sync();
      await last?.ended;
    },
  };
}
