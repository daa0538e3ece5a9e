import type { Activity, Deployment, Domain } from '@berth/contract';
import { useEffect, useMemo, useRef, useSyncExternalStore } from 'react';
import type { Answer } from '../../shared/contract.ts';
import { useAccount } from './account.ts';
import { type ListSource, type ListState, type ListPage, PagedList } from './paged-list.ts';
import { useShell } from './shell.ts';
import { useAppState } from './store.ts';

/** A burst of activities causes one refresh, this long after the last of them. */
const DELAY_MS = 400;

/** A list of the account, as a component uses it. */
export type List<T> = ListState<T> & Pick<PagedList<T>, 'loadMore' | 'reload' | 'change'>;

/** The deployments of the account, newest first. Refreshed when an activity reports a change. */
export function useDeployments(): List<Deployment> {
  const { commands } = useShell();
  const list = useList({
    read: async (cursor) => pageOf(await commands.listDeployments({ cursor }), ({ deployments }) => deployments),
    keyOf: ({ deployment }) => deployment,
  });
  useRefreshOnActivity(list, 'deployment');
  return useListState(list);
}

/** The domains of the account. Refreshed when an activity reports a change. */
export function useDomains(): List<Domain> {
  const { commands } = useShell();
  const list = useList({
    read: async (cursor) => pageOf(await commands.listDomains({ cursor }), ({ domains }) => domains),
    keyOf: ({ domain }) => domain,
  });
  useRefreshOnActivity(list, 'domain');
  return useListState(list);
}

/** The activities of the account, newest first. @param onActivity Called for each new activity. */
export function useActivities(onActivity: (activity: Activity) => void): List<Activity> {
  const { commands, events } = useShell();
  const list = useList({
    read: async (cursor) => pageOf(await commands.listActivities({ cursor }), ({ activities }) => activities),
    keyOf: activityKey,
  });
  const latest = useRef(onActivity);
  latest.current = onActivity;
  useEffect(
    () =>
      events.activity((activity) => {
        latest.current(activity);
        // A new activity may already be in the list that was just read.
        const key = activityKey(activity);
        list.change((items) => (items.some((each) => activityKey(each) === key) ? items : [activity, ...items]));
      }),
    [events, list],
  );
  return useListState(list);
}

/** A key made of an activity's contents: two with equal contents in the same second count as one. */
export function activityKey({ event, created, deployment, domain, token, authMethod, meta }: Activity): string {
  return JSON.stringify([event, created, deployment, domain, token, authMethod, meta]);
}

function pageOf<V extends { nextCursor?: string | undefined }, T>(
  answer: Answer<V>,
  itemsOf: (value: V) => T[],
): Answer<ListPage<T>> {
  if (!answer.ok) return answer;
  return { ok: true, value: { items: itemsOf(answer.value), nextCursor: answer.value.nextCursor } };
}

/** Loads a list of the current account, and a new one when the account or the server changes. */
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
  return useMemo(
    () => ({ ...state, loadMore: list.loadMore, reload: list.reload, change: list.change }),
    [state, list],
  );
}

/** Refreshes a list after a burst of activities about its items. Deleted and expired items are removed at once. */
function useRefreshOnActivity<K extends 'deployment' | 'domain', T extends Record<K, string>>(
  list: PagedList<T>,
  kind: K,
) {
  const { events } = useShell();
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const stop = events.activity((activity) => {
      if (!activity.event.startsWith(`${kind}.`)) return;
      if (/\.(?:delete|expire)$/.test(activity.event))
        list.change((items) => items.filter((item) => item[kind] !== activity[kind]));
      clearTimeout(timer);
      timer = setTimeout(list.refresh, DELAY_MS);
    });
    return () => {
      clearTimeout(timer);
      stop();
    };
  }, [events, kind, list]);
}

/** Reloads when the server is reachable again and when the event stream starts: events before that were missed. */
function useReloadAfterGap(reload: () => void) {
  const { events } = useShell();
  const { online } = useAppState('session');
  const { server } = useAccount();
  const isConnected = online && server.signIn.is === 'signed-in';
  const wasDisconnected = useRef(false);
  useEffect(() => {
    if (isConnected && wasDisconnected.current) reload();
    wasDisconnected.current = !isConnected;
  }, [isConnected, reload]);
  useEffect(() => events.following(reload), [events, reload]);
}
