import type { Activity as WireActivity } from '@berth/contract';
import type { AccountCaller, Core } from '../../core.ts';
import { db } from '../../database/tables.ts';
import { Activity } from '../../entities/index.ts';
import { invalid } from '../../errors.ts';
import { toActivity } from './activities.ts';
import { checkCredential } from '../authentication.ts';

/** A stream of new activities of an account. */
export interface ActivityWatch {
  /** The event id after which the stream begins. Another watch with this id as `after` begins at the same point. */
  begin: string;
  /**
   * Yields each activity after `begin` once, in order, in the format of `GET /activities`. Reads ahead only on demand. Must be
   * consumed or returned, since it occupies a place in the feed. Ends when the signal is aborted.
   *
   * @throws `authentication_failed` or `forbidden` within a minute after the credential loses access to the account; an
   *   `AbortError` when the service stops, after which the client should reconnect.
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
 * Watches the activities of an account.
 *
 * A notification of the database only wakes the watch; the activities are read from the table. Ids of one account become
 * visible in order of commit, since every writer holds the lock of the account row, so none is missed.
 *
 * @param after The id of the last activity that the client has. Default: the one before the newest `last`.
 * @param last How many existing activities to send first. Default 0.
 * @param recheckMs How often to check the credential while there are no new activities. Default a minute.
 * @throws `validation_failed` for an invalid id; `rate_limit_exceeded` and `unavailable` as {@link ActivityFeed.subscribe}.
 * Source: api §6, §9.
 */
export async function watchActivities(
  { core, caller }: { core: Core; caller: AccountCaller },
  { after, last = 0, signal, recheckMs = RECHECK_MS }: WatchOptions,
): Promise<ActivityWatch> {
  if (after !== undefined && !/^\d{1,15}$/.test(after)) throw invalid('lastEventId', 'must be the id of an event');
  let wake = () => {};
  let hasNews = true;
  const unsubscribe = await core.activityFeed.subscribe(caller.account, () => {
    hasNews = true;
    wake();
  });
  signal.addEventListener('abort', unsubscribe);
  if (signal.aborted) unsubscribe();
  try {
    const begin = Number(after ?? (await idBefore(core, caller.account, last)));
    return { begin: String(begin), activities: () => stream(begin) };
  } catch (error) {
    unsubscribe();
    throw error;
  }

  async function* stream(begin: number): AsyncGenerator<{ id: string; activity: WireActivity }, void> {
    let last = begin;
    try {
      while (!signal.aborted) {
        core.activityFeed.ended.throwIfAborted();
        hasNews = false;
        const rows = await readAfter(core, caller.account, last);
        // Check after reading: activities from after the loss of access must not be sent.
        const expires = await checkCredential({ core, caller });
        for (const row of rows) {
          yield { id: String(row.id), activity: toActivity(row) };
          last = row.id;
        }
        if (rows.length < BATCH && !hasNews) await nextNews(expires);
      }
    } finally {
      unsubscribe();
    }
  }

  /** Waits for a notification, or until the credential is due for another check. */
  async function nextNews(expires: Date | null): Promise<void> {
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

/** The id just before the newest `last` activities of an account. */
async function idBefore(core: Core, account: string, last: number): Promise<number> {
  const row = await db(core)
    .selectFrom('activity')
    .select('id')
    .where('account_id', '=', account)
    .orderBy('id', 'desc')
    .offset(last)
    .limit(1)
    .executeTakeFirst();
  return row?.id ?? 0;
}

function readAfter(core: Core, account: string, last: number): Promise<Activity[]> {
  return core.database
    .em()
    .find(Activity, { account, id: { $gt: last } }, { orderBy: { id: 'asc' }, limit: BATCH, disableIdentityMap: true });
}
