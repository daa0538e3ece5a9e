import type { Activity, Domain } from '@berth/contract';
import { useEffect, useRef } from 'react';
import type { ActivityFilter, Answer } from '../backend.ts';
import { useBackend } from './backend.ts';
import { type List, usePagedList } from './paged-list.ts';

/** The delay between the last activity of a burst and the refresh of a list, in milliseconds. */
const REFRESH_DELAY_MS = 400;

/** Returns the domains of the account. Refreshes them when an activity reports a change. */
export function useDomains(): List<Domain> {
  const { api } = useBackend();
  const list = usePagedList({
    name: ['domains'],
    read: async (cursor) => pageOf(await api.listDomains({ cursor }), ({ domains }) => domains),
    keyOf: ({ domain }) => domain,
  });
  useRefreshOnActivity(list, ['domain']);
  return list;
}

/**
 * Returns the activities of the account that match a filter, newest first.
 *
 * @param onActivity Called for each new activity that matches.
 */
export function useActivities(filter: ActivityFilter, onActivity: (activity: Activity) => void): List<Activity> {
  const { event, authMethod } = filter;
  const { api, onActivity: subscribe } = useBackend();
  const list = usePagedList({
    name: ['activities', event, authMethod],
    read: async (cursor) => pageOf(await api.listActivities({ cursor, ...filter }), ({ activities }) => activities),
    keyOf: activityKey,
  });
  const { change } = list;
  const latestOnActivity = useRef(onActivity);
  latestOnActivity.current = onActivity;
  useEffect(
    () =>
      subscribe((activity) => {
        if (!matches(activity, { event, authMethod })) return;
        latestOnActivity.current(activity);
        // The list may already contain the activity, if it was read after the activity happened.
        const key = activityKey(activity);
        change((items) => (items.some((each) => activityKey(each) === key) ? items : [activity, ...items]));
      }),
    [subscribe, change, event, authMethod],
  );
  return list;
}

/** Whether the server would list an activity. */
function matches(activity: Activity, { event, authMethod }: ActivityFilter): boolean {
  if (authMethod !== undefined && activity.authMethod !== authMethod) return false;
  return event === undefined || event.split(',').some((name) => `${activity.event}.`.startsWith(`${name}.`));
}

/** Returns a key for an activity. Two equal activities in the same second have the same key and count as one. */
export function activityKey({ event, created, deployment, domain, token, authMethod, meta }: Activity): string {
  return JSON.stringify([event, created, deployment, domain, token, authMethod, meta]);
}

/** Returns the items of an answer, and where the next page begins. */
export function pageOf<V extends { nextCursor?: string | undefined }, T>(
  answer: Answer<V>,
  itemsOf: (value: V) => T[],
) {
  if (!answer.ok) return answer;
  return { ok: true as const, value: { items: itemsOf(answer.value), nextCursor: answer.value.nextCursor } };
}

/**
 * Refreshes a list after a burst of activities about its items.
 *
 * @param onDelete Called at once with the key of a deleted item. Default: removes it. Expired items are removed too.
 */
export function useRefreshOnActivity<T>(
  { replace, refresh }: List<T>,
  kinds: readonly ('deployment' | 'domain')[],
  onDelete: (key: string) => void = (key) => replace(key, null),
): void {
  const { onActivity } = useBackend();
  const latestOnDelete = useRef(onDelete);
  latestOnDelete.current = onDelete;
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const unsubscribe = onActivity((activity) => {
      const kind = kinds.find((each) => activity.event.startsWith(`${each}.`));
      if (kind === undefined) return;
      const key = activity[kind];
      if (key !== undefined && activity.event.endsWith('.delete')) latestOnDelete.current(key);
      if (key !== undefined && activity.event.endsWith('.expire')) replace(key, null);
      clearTimeout(timer);
      timer = setTimeout(() => void refresh(), REFRESH_DELAY_MS);
    });
    return () => {
      clearTimeout(timer);
      unsubscribe();
    };
  }, [onActivity, kinds.join(' '), replace, refresh]);
}
