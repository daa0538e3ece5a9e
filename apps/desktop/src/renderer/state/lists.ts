import type { Activity, Deployment, Domain } from '@berth/contract';
import { useEffect, useRef } from 'react';
import type { Answer } from '../../shared/contract.ts';
import { useAccount, useAccountKey } from './account.ts';
import { useShell } from './shell.ts';
import { useAppState } from './store.ts';
import { type ListPage, type RemoteList, useList } from './use-list.ts';

/** A burst of activities causes one refresh, this long after the last of them. */
const DELAY_MS = 400;

/** The deployments of the account, newest first. Refreshed when an activity reports a change. */
export function useDeployments(): RemoteList<Deployment> {
  const { commands } = useShell().desktop;
  const list = useList({
    read: async (cursor) => pageOf(await commands.listDeployments({ cursor }), ({ deployments }) => deployments),
    keyOf: ({ deployment }) => deployment,
    accountKey: useAccountKey(),
  });
  useRefreshOnActivity(list, 'deployment.', ({ deployment }, { deployment: removed }) => deployment === removed);
  return list;
}

/** The domains of the account. Refreshed when an activity reports a change. */
export function useDomains(): RemoteList<Domain> {
  const { commands } = useShell().desktop;
  const list = useList({
    read: async (cursor) => pageOf(await commands.listDomains({ cursor }), ({ domains }) => domains),
    keyOf: ({ domain }) => domain,
    accountKey: useAccountKey(),
  });
  useRefreshOnActivity(list, 'domain.', ({ domain }, { domain: removed }) => domain === removed);
  return list;
}

/** The activities of the account, newest first. @param onActivity Called for each new activity. */
export function useActivities(onActivity: (activity: Activity) => void): RemoteList<Activity> {
  const { commands, events } = useShell().desktop;
  const list = useList({
    read: async (cursor) => pageOf(await commands.listActivities({ cursor }), ({ activities }) => activities),
    keyOf: activityKey,
    accountKey: useAccountKey(),
  });
  const { change } = list;
  const latest = useRef(onActivity);
  latest.current = onActivity;
  useEffect(
    () =>
      events.activity((activity) => {
        latest.current(activity);
        // A new activity may already be in the list that was just read.
        const key = activityKey(activity);
        change((items) => (items.some((each) => activityKey(each) === key) ? items : [activity, ...items]));
      }),
    [events, change],
  );
  useReloadAfterGap(list.reload);
  return list;
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

/** Refreshes a list after a burst of activities that report changes. Deleted and expired items are removed at once. */
function useRefreshOnActivity<T>(
  list: RemoteList<T>,
  prefix: string,
  isAbout: (item: T, activity: Activity) => boolean,
) {
  const { events } = useShell().desktop;
  const { change, refresh, reload } = list;
  const latest = useRef(isAbout);
  latest.current = isAbout;
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const stop = events.activity((activity) => {
      if (!activity.event.startsWith(prefix)) return;
      if (/\.(?:delete|expire)$/.test(activity.event))
        change((items) => items.filter((item) => !latest.current(item, activity)));
      clearTimeout(timer);
      timer = setTimeout(refresh, DELAY_MS);
    });
    return () => {
      clearTimeout(timer);
      stop();
    };
  }, [events, prefix, change, refresh]);
  useReloadAfterGap(reload);
}

/** Reloads when the server is reachable again and when the event stream starts: events before that were missed. */
function useReloadAfterGap(reload: () => void) {
  const { events } = useShell().desktop;
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
