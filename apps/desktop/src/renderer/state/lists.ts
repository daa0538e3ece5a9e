import type { Activity, Deployment, Domain } from '@berth/contract';
import { useEffect, useRef } from 'react';
import type { Answer } from '../../shared/contract.ts';
import { useAccount, useWhose } from './account.ts';
import { useShell } from './shell.ts';
import { useApp } from './store.ts';
import { type ListPage, type RemoteList, useList } from './use-list.ts';

/** What happens in bursts is looked up once. */
const QUIET_MS = 400;

/** The deployments of the account, the newest first, kept fresh by its activities. */
export function useDeployments(): RemoteList<Deployment> {
  const { commands } = useShell().desktop;
  const list = useList({
    read: async (cursor) => pageOf(await commands.listDeployments({ cursor }), ({ deployments }) => deployments),
    keyOf: ({ deployment }) => deployment,
    whose: useWhose(),
  });
  useFresh(list, 'deployment.', ({ deployment }, gone) => deployment === gone.deployment);
  return list;
}

/** The domains of the account, kept fresh by its activities. */
export function useDomains(): RemoteList<Domain> {
  const { commands } = useShell().desktop;
  const list = useList({
    read: async (cursor) => pageOf(await commands.listDomains({ cursor }), ({ domains }) => domains),
    keyOf: ({ domain }) => domain,
    whose: useWhose(),
  });
  useFresh(list, 'domain.', ({ domain }, gone) => domain === gone.domain);
  return list;
}

/** What happened in the account, the newest first. @param hear Hears of each one as it happens. */
export function useActivities(hear: (activity: Activity) => void): RemoteList<Activity> {
  const { commands, events } = useShell().desktop;
  const list = useList({
    read: async (cursor) => pageOf(await commands.listActivities({ cursor }), ({ activities }) => activities),
    keyOf: activityKey,
    whose: useWhose(),
  });
  const { change } = list;
  const latest = useRef(hear);
  latest.current = hear;
  useEffect(
    () =>
      events.activity((activity) => {
        latest.current(activity);
        // What is told may have been read a moment before.
        const key = activityKey(activity);
        change((items) => (items.some((each) => activityKey(each) === key) ? items : [activity, ...items]));
      }),
    [events, change],
  );
  useBack(list.reload);
  return list;
}

/** Names an activity by what it says: two that say the same of the same second are one. */
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

/** Looks again, once it is quiet, when an activity says that something changed; what is gone goes at once. */
function useFresh<T>(list: RemoteList<T>, prefix: string, isGone: (item: T, gone: Activity) => boolean) {
  const { events } = useShell().desktop;
  const { change, freshen, reload } = list;
  const latest = useRef(isGone);
  latest.current = isGone;
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const stop = events.activity((activity) => {
      if (!activity.event.startsWith(prefix)) return;
      if (/\.(?:delete|expire)$/.test(activity.event))
        change((items) => items.filter((item) => !latest.current(item, activity)));
      clearTimeout(timer);
      timer = setTimeout(freshen, QUIET_MS);
    });
    return () => {
      clearTimeout(timer);
      stop();
    };
  }, [events, prefix, change, freshen]);
  useBack(reload);
}

/** Reads anew when the server is there again, and when it is followed from then on: nobody told what happened meanwhile. */
function useBack(reload: () => void) {
  const { events } = useShell().desktop;
  const { online } = useApp('session');
  const { server } = useAccount();
  const isThere = online && server.signIn.is === 'signed-in';
  const wasAway = useRef(false);
  useEffect(() => {
    if (isThere && wasAway.current) reload();
    wasAway.current = !isThere;
  }, [isThere, reload]);
  useEffect(() => events.following(reload), [events, reload]);
}
