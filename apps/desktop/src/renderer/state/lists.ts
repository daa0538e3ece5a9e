import type { Activity, Deployment, Domain } from '@berth/contract';
import { useEffect } from 'react';
import { useWhose } from './account.ts';
import { useShell } from './shell.ts';
import { type RemoteList, useList } from './use-list.ts';

/** What happens in bursts is looked up once. */
const QUIET_MS = 400;

/** The deployments of the account, the newest first, kept fresh by its activities. */
export function useDeployments(): RemoteList<Deployment> {
  const { commands } = useShell().desktop;
  const list = useList(async (cursor) => {
    const answer = await commands.listDeployments({ cursor });
    if (!answer.ok) return answer;
    return { ok: true, value: { items: answer.value.deployments, nextCursor: answer.value.nextCursor } };
  }, useWhose());
  const { change } = list;
  useFresh('deployment.', async ({ event, deployment }) => {
    if (event === 'deployment.delete' || event === 'deployment.expire')
      return change((items) => items.filter((item) => item.deployment !== deployment));
    const answer = await commands.listDeployments({});
    if (answer.ok) change((items) => mergeNewest(items, answer.value.deployments, (item) => item.deployment));
  });
  return list;
}

/** The domains of the account, kept fresh by its activities. */
export function useDomains(): RemoteList<Domain> {
  const { commands } = useShell().desktop;
  const list = useList(async (cursor) => {
    const answer = await commands.listDomains({ cursor });
    if (!answer.ok) return answer;
    return { ok: true, value: { items: answer.value.domains, nextCursor: answer.value.nextCursor } };
  }, useWhose());
  const { change } = list;
  useFresh('domain.', async ({ event, domain }) => {
    if (event === 'domain.delete') return change((items) => items.filter((item) => item.domain !== domain));
    const answer = await commands.listDomains({});
    if (answer.ok) change((items) => mergeNewest(items, answer.value.domains, (item) => item.domain));
  });
  return list;
}

/** The newest page over what is shown: known ones in their place as they are, unknown ones on top. */
export function mergeNewest<T>(shown: readonly T[], newest: readonly T[], keyOf: (item: T) => string): readonly T[] {
  const fresh = new Map(newest.map((item) => [keyOf(item), item]));
  const known = new Set(shown.map(keyOf));
  return [...newest.filter((item) => !known.has(keyOf(item))), ...shown.map((item) => fresh.get(keyOf(item)) ?? item)];
}

/** Looks again when an activity says that something changed: at once when something went, else once it is quiet. */
function useFresh(prefix: string, look: (activity: Activity) => unknown) {
  const { desktop } = useShell();
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const stop = desktop.events.activity((activity) => {
      if (!activity.event.startsWith(prefix)) return;
      if (/\.(?:delete|expire)$/.test(activity.event)) return void look(activity);
      clearTimeout(timer);
      timer = setTimeout(() => void look(activity), QUIET_MS);
    });
    return () => {
      clearTimeout(timer);
      stop();
    };
    // `look` asks through the same functions as long as the page is there.
  }, [desktop, prefix]);
}
