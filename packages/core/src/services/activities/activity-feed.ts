import type { Listener } from '../../database/listener.ts';
import { ServiceError, unavailable } from '../../errors.ts';

/** How many may follow activities at once in one process. */
export interface FeedLimits {
  perAccount: number;
  inAll: number;
}

const FEED_LIMITS: FeedLimits = { perAccount: 20, inAll: 1_000 };
const RETRY_AFTER_SECONDS = 30;

/** Tells, within this process, whose account has new activities. */
export interface ActivityFeed {
  /**
   * Wakes its caller whenever the account may have new activities, from the moment the promise resolves.
   *
   * @param wake Must not throw.
   * @returns Leaves the feed. Calling it again is no error.
   * @throws `rate_limit_exceeded` when too many follow the account; `unavailable` when too many follow anything, the
   *   database is away, or the service is stopping.
   */
  follow(account: string, wake: () => void): Promise<() => void>;
  /** Aborted when the service is stopping: whoever follows ends then. */
  readonly ended: AbortSignal;
  /** Ends the feed. Calling it again is no error. */
  end(): void;
}

/**
 * Makes the feed of a process, over one connection that listens for the database's word of new activities. A word that is
 * lost with the connection wakes everybody once there is another one.
 *
 * Source: contract §9.
 */
export function createActivityFeed(news: Listener, { perAccount, inAll } = FEED_LIMITS): ActivityFeed {
  const followers = new Map<string, Set<() => void>>();
  const ending = new AbortController();
  let count = 0;
  let listening: Promise<() => void> | null = null;

  function hear(payload: string | null): void {
    const account = payload === null ? null : (JSON.parse(payload) as { account: string }).account;
    const woken = account === null ? followers.values() : [followers.get(account) ?? []];
    for (const wakes of woken) for (const wake of wakes) wake();
  }

  function leave(account: string, wake: () => void): void {
    const wakes = followers.get(account);
    if (!wakes?.delete(wake)) return;
    count -= 1;
    if (wakes.size === 0) followers.delete(account);
  }

  return {
    async follow(account, wake) {
      if (ending.signal.aborted) throw unavailable('The service is stopping.');
      if (count >= inAll) throw unavailable('Too many follow activities right now.', undefined, RETRY_AFTER_SECONDS);
      const wakes = followers.get(account) ?? new Set();
      if (wakes.size >= perAccount)
        throw new ServiceError(
          'rate_limit_exceeded',
          `At most ${perAccount} may follow the activities of an account at once; end one of them.`,
          { retryAfterSeconds: RETRY_AFTER_SECONDS },
        );
      followers.set(account, wakes.add(wake));
      count += 1;
      try {
        listening ??= news.listen(hear);
        await listening;
      } catch (error) {
        listening = null;
        leave(account, wake);
        throw error;
      }
      return () => leave(account, wake);
    },
    ended: ending.signal,
    end: () => ending.abort(),
  };
}
