import type { Activity, Deployment, Domain } from '@berth/contract';
import { useEffect, useMemo, useRef, useSyncExternalStore } from 'react';
import type { Answer } from '../backend.ts';
import { useAccount } from './account.ts';
import { useBackend } from './backend.ts';
import { type ListSource, type ListState, PagedList } from './paged-list.ts';

/** The delay between the last activity of a burst and the refresh of a list, in milliseconds. */
const REFRESH_DELAY_MS = 400;

export type List<T> = ListState<T> & Pick<PagedList<T>, 'loadMore' | 'reload' | 'change' | 'replace'>;

/** Returns the deployments of the account, newest first. Refreshes them when an activity reports a change. */
export function useDeployments(): List<Deployment> {
  const { api } = useBackend();
  const list = useList({
    read: async (cursor) => pageOf(await api.listDeployments({ cursor }), ({ deployments }) => deployments),
    keyOf: ({ deployment }) => deployment,
  });
  useRefreshOnActivity(list, 'deployment');
  return useListState(list);
}

/** Returns the domains of the account. Refreshes them when an activity reports a change. */
export function useDomains(): List<Domain> {
  const { api } = useBackend();
  const list = useList({
    read: async (cursor) => pageOf(await api.listDomains({ cursor }), ({ domains }) => domains),
    keyOf: ({ domain }) => domain,
  });
  useRefreshOnActivity(list, 'domain');
  return useListState(list);
}

/** Returns the activities of the account, newest first. @param onActivity Called for each new activity. */
export function useActivities(onActivity: (activity: Activity) => void): List<Activity> {
  const { api, onActivity: subscribe } = useBackend();
  const list = useList({
    read: async (cursor) => pageOf(await api.listActivities({ cursor }), ({ activities }) => activities),
    keyOf: activityKey,
  });
  const latestOnActivity = useRef(onActivity);
  latestOnActivity.current = onActivity;
  useEffect(
    () =>
      subscribe((activity) => {
        latestOnActivity.current(activity);
        // The list may already contain the activity, if it was read after the activity happened.
        const key = activityKey(activity);
        list.change((items) => (items.some((each) => activityKey(each) === key) ? items : [activity, ...items]));
      }),
    [subscribe, list],
  );
  return useListState(list);
}

/** Returns a key for an activity. Two equal activities in the same second have the same key and count as one. */
export function activityKey({ event, created, deployment, domain, token, authMethod, meta }: Activity): string {
  return JSON.stringify([event, created, deployment, domain, token, authMethod, meta]);
}

function pageOf<V extends { nextCursor?: string | undefined }, T>(answer: Answer<V>, itemsOf: (value: V) => T[]) {
  if (!answer.ok) return answer;
  return { ok: true as const, value: { items: itemsOf(answer.value), nextCursor: answer.value.nextCursor } };
}

function useList<T>(source: ListSource<T>): PagedList<T> {
  const { accountKey } = useAccount();
  const list = useMemo(() => new PagedList(source), [accountKey]);
  useEffect(() => {
    list.reload();
    return list.close;
  }, [list]);
  useReloadAfterGap(list.reload);
  return list;
}

function useListState<T>(list: PagedList<T>): List<T> {
  const state = useSyncExternalStore(list.subscribe, list.get);
  const { loadMore, reload, change, replace } = list;
  return useMemo(() => ({ ...state, loadMore, reload, change, replace }), [state, list]);
}

/** Refreshes a list after a burst of activities about its items. Removes deleted and expired items at once. */
function useRefreshOnActivity<T>(list: PagedList<T>, kind: 'deployment' | 'domain') {
  const { onActivity } = useBackend();
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const unsubscribe = onActivity((activity) => {
      if (!activity.event.startsWith(`${kind}.`)) return;
      const key = activity[kind];
      if (key !== undefined && /\.(?:delete|expire)$/.test(activity.event)) list.replace(key, null);
      clearTimeout(timer);
      timer = setTimeout(list.refresh, REFRESH_DELAY_MS);
    });
    return () => {
      clearTimeout(timer);
      unsubscribe();
    };
  }, [onActivity, kind, list]);
}

/** Reloads a list when the server is reachable again and when the event stream starts, because earlier events were missed. */
function useReloadAfterGap(reload: () => void) {
  const { onResume } = useBackend();
  const { isConnected } = useAccount();
  const wasDisconnected = useRef(false);
  useEffect(() => {
    if (isConnected && wasDisconnected.current) reload();
    wasDisconnected.current = !isConnected;
  }, [isConnected, reload]);
  useEffect(() => onResume(reload), [onResume, reload]);
}
