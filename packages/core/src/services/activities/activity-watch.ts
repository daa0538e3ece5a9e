import type { Activity as WireActivity } from '@berth/contract';
import { sql } from 'kysely';
import type { AccountCaller, Core } from '../../core.ts';
import { Activity } from '../../entities/index.ts';
import { invalid } from '../../errors.ts';
import { toActivity } from './activities.ts';
import { checkCredential } from '../accounts/authentication.ts';

/** Live activities of an account. */
export interface ActivityWatch {
  /** The event id after which it begins. Given as `after` to another watch, that one begins there as well. */
  begin: string;
  /**
   * Each activity after `begin`, once, in order, as `GET /activities` gives it. Reads no further than it is asked for, and
   * must be read or returned, since it holds a place in the feed. Ends when the signal is aborted.
   *
   * @throws `authentication_failed` or `forbidden` when the credential opens the account no more, at once or after a minute
   *   at most; an `AbortError` when the service stops, which is no end: the client is to come again.
   */
  activities(): AsyncGenerator<{ id: string; activity: WireActivity }, void>;
}

interface WatchOptions {
  after?: string | undefined;
  last?: number | undefined;
  signal: AbortSignal;
  recheckMs?: number;
}

const BATCH = 100;
const RECHECK_MS = 60_000;

/**
 * Follows the activities of an account live.
 *
 * The database's word only wakes; what happened is read from the table. Ids of one account appear in the order of commits,
 * since whoever writes an activity holds the lock of the account row, so that nothing is passed over.
 *
 * @param after The id of the last activity the client has. Default: that before the newest `last`.
 * @param last How many that happened already come first. Default: none, it begins now.
 * @param recheckMs How long a credential is trusted while nothing happens. Default a minute.
 * @throws `validation_failed` for an id that is none; `rate_limit_exceeded` and `unavailable` as {@link ActivityFeed.follow}.
 * Source: contract §6, §9.
 */
export async function watchActivities(
  { core, caller }: { core: Core; caller: AccountCaller },
  { after, last = 0, signal, recheckMs = RECHECK_MS }: WatchOptions,
): Promise<ActivityWatch> {
  if (after !== undefined && !/^\d{1,15}$/.test(after)) throw invalid('lastEventId', 'must be the id of an event');
  let wake = () => {};
  let isNews = true;
  const leave = await core.activityFeed.follow(caller.account, () => {
    isNews = true;
    wake();
  });
  signal.addEventListener('abort', leave);
  if (signal.aborted) leave();
  try {
    const begin = Number(after ?? (await idBefore(core, caller.account, last)));
    return { begin: String(begin), activities: () => follow(begin) };
  } catch (error) {
    leave();
    throw error;
  }

  async function* follow(begin: number): AsyncGenerator<{ id: string; activity: WireActivity }, void> {
    let last = begin;
    try {
      while (!signal.aborted) {
        core.activityFeed.ended.throwIfAborted();
        isNews = false;
        const rows = await readAfter(core, caller.account, last);
        // After reading: of an account that was closed before something happened in it, that is not told any more.
        const expires = await checkCredential(core, caller);
        for (const row of rows) {
          yield { id: String(row.id), activity: toActivity(row) };
          last = row.id;
        }
        if (rows.length < BATCH && !isNews) await news(expires);
      }
    } finally {
      leave();
    }
  }

  /** Waits for news, or until the credential has to be looked at again. */
  async function news(expires: Date | null): Promise<void> {
    const restMs = expires === null ? recheckMs : expires.getTime() - core.now().getTime();
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, Math.max(0, Math.min(restMs, recheckMs)));
    const ends = [signal, core.activityFeed.ended];
    wake = resolve;
    for (const end of ends) end.addEventListener('abort', wake);
    if (!ends.some(({ aborted }) => aborted)) await promise;
    for (const end of ends) end.removeEventListener('abort', wake);
    clearTimeout(timer);
  }
}

/** The id behind which the newest `last` activities of an account stand. */
async function idBefore(core: Core, account: string, last: number): Promise<number> {
  const { rows } = await sql<{ id: number }>`
    select id::float8 as id from activity where account_id = ${account}
    order by activity.id desc offset ${last} limit 1`.execute(core.database.kysely);
  return rows[0]?.id ?? 0;
}

function readAfter(core: Core, account: string, last: number): Promise<Activity[]> {
  return core.database
    .em()
    .find(Activity, { account, id: { $gt: last } }, { orderBy: { id: 'asc' }, limit: BATCH, disableIdentityMap: true });
}
