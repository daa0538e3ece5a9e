import type { ActivityFeed } from '../../core.ts';
import type { Listener } from '../../database/listener.ts';
import { ServiceError, unavailable } from '../../errors.ts';

/** The maximum number of subscribers in one process. */
const FEED_LIMITS = { perAccount: 20, perProcess: 1_000 };
const RETRY_AFTER_SECONDS = 30;

/**
 * Creates the feed of a process, which listens for notifications of the database. After a reconnect it notifies all
 * subscribers, because notifications may have been lost. Source: api §9.
 */
export function createActivityFeed(newActivities: Listener, { perAccount, perProcess } = FEED_LIMITS): ActivityFeed {
  const subscribers = new Map<string, Set<() => void>>();
  const stopping = new AbortController();
  let subscriberCount = 0;
  let listening: Promise<() => void> | null = null;

  function notify(payload: string | null): void {
    const account = payload === null ? null : (JSON.parse(payload) as { account: string }).account;
    const wokenSubscribers = account === null ? subscribers.values() : [subscribers.get(account) ?? []];
    for (const wakeFunctions of wokenSubscribers) for (const wakeSubscriber of wakeFunctions) wakeSubscriber();
  }

  function unsubscribe(account: string, wake: () => void): void {
    const wakeFunctions = subscribers.get(account);
    if (!wakeFunctions?.delete(wake)) return;
    subscriberCount -= 1;
    if (wakeFunctions.size === 0) subscribers.delete(account);
  }

  return {
    async subscribe(account, wake) {
      if (stopping.signal.aborted) throw unavailable('The service is stopping.');
      if (subscriberCount >= perProcess)
        throw unavailable(
          'Too many clients are watching activities. Try again in 30 seconds.',
          undefined,
          RETRY_AFTER_SECONDS,
        );
      const wakeFunctions = subscribers.get(account) ?? new Set();
      if (wakeFunctions.size >= perAccount)
        throw new ServiceError(
          'rate_limit_exceeded',
          `At most ${perAccount} clients can watch the activities of an account at the same time. Close a connection first.`,
          { retryAfterSeconds: RETRY_AFTER_SECONDS },
        );
      subscribers.set(account, wakeFunctions.add(wake));
      subscriberCount += 1;
      try {
        listening ??= newActivities.subscribe(notify);
        await listening;
      } catch (error) {
        listening = null;
        unsubscribe(account, wake);
        throw error;
      }
      return () => unsubscribe(account, wake);
    },
    ended: stopping.signal,
    end: () => stopping.abort(),
  };
}
