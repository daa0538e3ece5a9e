import type { Activity as WireActivity, ActivityFilter } from '@berth/contract';
import type { Core, Scope } from '../../core.ts';
import { invalid } from '../../errors.ts';
import { checkCredential } from '../authentication.ts';
import { toActivity } from './activities.ts';
import { readActivities } from './activity-rows.ts';

/** A stream of new activities of an account. */
export interface ActivityWatch {
  /** The event id after which the stream begins. A client that passes it as `after` gets the same stream again. */
  begin: string;
  /**
   * Yields each activity after `begin` that matches the filter once, in order, in the format of `GET /activities`, until the signal is aborted.
   * The caller must consume or return the generator, because the watch counts against the limits of the feed.
   *
   * @throws `authentication_failed` or `forbidden` within a minute after the credential loses access to the account; an
   *   `AbortError` when the service stops, after which the client should reconnect.
   */
  activities(): AsyncGenerator<{ id: string; activity: WireActivity }, void>;
}

interface WatchOptions {
  after?: string | undefined;
  last?: number | undefined;
  filter?: ActivityFilter;
  signal: AbortSignal;
  recheckMs?: number;
}

const BATCH = 100;
const RECHECK_MS = 60_000;

/**
 * Watches the activities of an account.
 *
 * A notification of the database only wakes the watch, which reads the activities from the table. No activity is missed,
 * because the activities of an account become visible in the order of their ids.
 *
 * @param after The id of the last activity that the client has. Default: the activity before the newest `last`.
 * @param last The number of existing activities that match the filter to send first. Default: 0.
 * @param filter Which activities to send. Default: all.
 * @param recheckMs The interval of checks of the credential while there are no new activities. Default: a minute.
 * @throws `validation_failed` for an invalid id; `rate_limit_exceeded` and `unavailable` as {@link ActivityFeed.subscribe}.
 * Source: api §6, §9.
 */
export async function watchActivities(
  { core, caller }: Scope,
  { after, last = 0, filter = {}, signal, recheckMs = RECHECK_MS }: WatchOptions,
): Promise<ActivityWatch> {
  if (after !== undefined && !/^\d{1,15}$/.test(after)) throw invalid('lastEventId', 'the id must be that of an event');
  let wakeWatch = () => {};
  let hasNews = true;
  const unsubscribe = await core.activityFeed.subscribe(caller.account, () => {
    hasNews = true;
    wakeWatch();
  });
  signal.addEventListener('abort', unsubscribe);
  if (signal.aborted) unsubscribe();
  try {
    const beginId = Number(after ?? (await idBefore(core, caller.account, filter, last)));
    return { begin: String(beginId), activities: () => stream(beginId) };
  } catch (error) {
    unsubscribe();
    throw error;
  }

  async function* stream(begin: number): AsyncGenerator<{ id: string; activity: WireActivity }, void> {
    let lastId = begin;
    try {
      while (!signal.aborted) {
        core.activityFeed.ended.throwIfAborted();
        hasNews = false;
        const rows = await readActivities(core, caller.account, filter, { after: lastId, order: 'asc', limit: BATCH });
        // Check after reading, so that no activity is sent that was recorded after the credential lost access.
        const expires = await checkCredential({ core, caller });
        for (const row of rows) {
          yield { id: String(row.id), activity: toActivity(row) };
          lastId = row.id;
        }
        if (rows.length < BATCH && !hasNews) await nextNews(expires);
      }
    } finally {
      unsubscribe();
    }
  }

  /** Waits for a notification or for the next check of the credential. */
  async function nextNews(expires: Date | null): Promise<void> {
    const validMs = expires === null ? recheckMs : expires.getTime() - core.now().getTime();
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, Math.max(0, Math.min(validMs, recheckMs)));
    const stopSignals = [signal, core.activityFeed.ended];
    wakeWatch = resolve;
    for (const stop of stopSignals) stop.addEventListener('abort', wakeWatch);
    if (!stopSignals.some(({ aborted }) => aborted)) await promise;
    for (const stop of stopSignals) stop.removeEventListener('abort', wakeWatch);
    clearTimeout(timer);
  }
}

/** Returns the id after which the newest `last` activities that match the filter are all that match; 0 for all. */
async function idBefore(core: Core, account: string, filter: ActivityFilter, last: number): Promise<number> {
  // Without past activities the stream begins after the newest activity, whether it matches or not.
  const skipped = last === 0 ? {} : filter;
  const [row] = await readActivities(core, account, skipped, { order: 'desc', skip: last, limit: 1 });
  return row?.id ?? 0;
}
