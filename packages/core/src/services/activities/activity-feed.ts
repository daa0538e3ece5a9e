import type { ActivityFeed } from '../../core.ts';
import type { Changes } from '../../database/change-log.ts';
import type { Change } from '../../database/change-reader.ts';
import { ServiceError, unavailable } from '../../errors.ts';

/** The maximum number of subscribers in one process. */
const FEED_LIMITS = { perAccount: 20, perProcess: 1_000 };
const RETRY_AFTER_SECONDS = 30;

/**
 * Creates the feed of a process, which follows the change log of the database while there are subscribers. It notifies all of them
 * when changes may have been missed. Source: api §9.
 */
export function createActivityFeed(changes: Changes, { perAccount, perProcess } = FEED_LIMITS): ActivityFeed {
  const subscribers = new Map<string, Set<() => void>>();
  const stopping = new AbortController();
  let subscriberCount = 0;
  let following: Promise<() => void> | null = null;

  function notify(change: Change | null): void {
    if (change && change.kind !== 'activity') return;
    const wokenSubscribers = change ? [subscribers.get(change.key) ?? []] : subscribers.values();
    for (const wakeFunctions of wokenSubscribers) for (const wakeSubscriber of wakeFunctions) wakeSubscriber();
  }

  function unsubscribe(account: string, wake: () => void): void {
    const wakeFunctions = subscribers.get(account);
    if (!wakeFunctions?.delete(wake)) return;
    subscriberCount -= 1;
    if (wakeFunctions.size === 0) subscribers.delete(account);
    if (subscriberCount === 0) {
      following?.then(
        (stop) => stop(),
        () => {},
      );
      following = null;
    }
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
        following ??= changes.subscribe(notify, { poll: 'fast' });
        await following;
      } catch (error) {
        unsubscribe(account, wake);
        throw error;
      }
      return () => unsubscribe(account, wake);
    },
    ended: stopping.signal,
    end: () => stopping.abort(),
  };
}
