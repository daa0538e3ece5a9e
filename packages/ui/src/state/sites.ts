import type { DomainVersion, Site } from '@berth/contract';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { useAccount } from './account.ts';
import { useBackend, useSitesApi } from './backend.ts';
import { pageOf, useRefreshOnActivity } from './lists.ts';
import { type List, usePagedList } from './paged-list.ts';
import { valueOf } from './query.ts';

/** The delay between the last activity of a burst and the next request, in milliseconds. */
const REFRESH_DELAY_MS = 400;

/** Returns the sites of the account, the most recently changed first. @param search Lists only the sites with this text. */
export function useSites(search: string): List<Site> {
  const api = useSitesApi();
  const list = usePagedList({
    name: ['sites', search],
    read: async (cursor) =>
      pageOf(await api.listSites({ cursor, ...(search !== '' && { search }) }), ({ sites }) => sites),
    keyOf: ({ site }) => site,
  });
  const { items, replace } = list;
  useRefreshOnActivity(list, ['deployment', 'domain'], (site) => {
    const known = items.find((each) => each.site === site);
    // The files of a deployment are removed later; a domain is gone at once.
    replace(site, known?.domain === null ? { ...known, state: 'deleting' } : null);
  });
  useSettling(
    items.filter(isSettling).map(({ site }) => site),
    async (site) => {
      const answer = await api.readSite({ site });
      if (answer.ok) replace(site, answer.value);
      else if (answer.problem.kind === 'refused') replace(site, null);
    },
  );
  return list;
}

/** Whether a site will soon change without an activity: its front page is being read, or its files are being removed. */
function isSettling({ reading, state }: Site): boolean {
  return reading || state === 'deleting';
}

/** The pauses between two checks of a site that will soon change, in milliseconds: the first one and the longest one. */
const CHECK_MS = { first: 1_000, longest: 30_000 };
/** How many sites are checked at once. The others follow when these are done. */
const MAX_CHECKED = 10;

/** Checks sites until they are no longer in the list, with growing pauses. The pauses start again when the list changes. */
function useSettling(sites: readonly string[], check: (site: string) => Promise<void>): void {
  const latestCheck = useRef(check);
  latestCheck.current = check;
  const checked = sites.slice(0, MAX_CHECKED);
  useEffect(() => {
    if (checked.length === 0) return;
    let pauseMs = CHECK_MS.first;
    let timer: ReturnType<typeof setTimeout>;
    let isEnded = false;
    const checkAll = async () => {
      await Promise.all(checked.map((site) => latestCheck.current(site)));
      pauseMs = Math.min(CHECK_MS.longest, 2 * pauseMs);
      if (!isEnded) timer = setTimeout(checkAll, pauseMs);
    };
    timer = setTimeout(checkAll, pauseMs);
    return () => {
      isEnded = true;
      clearTimeout(timer);
    };
  }, [checked.join(' ')]);
}

/** Returns the deployments that a domain showed, newest first. */
export function useVersions(domain: string): List<DomainVersion> {
  const api = useSitesApi();
  const list = usePagedList({
    name: ['versions', domain],
    read: async (cursor) => pageOf(await api.listVersions({ domain, cursor }), ({ versions }) => versions),
    keyOf: ({ deployment, linked }) => `${deployment} ${linked}`,
  });
  useActivityEffect(list.reload);
  return list;
}

/** Returns a site and the deployment that it shows, and reads them again when something in the account changes. */
export function useSite(site: string) {
  const { accountKey } = useAccount();
  const { readSite, readDeployment } = useSitesApi();
  const queries = useQueryClient();
  const queryKey = [accountKey, 'site', site];
  const query = useQuery({
    queryKey,
    queryFn: async () => {
      const value = await valueOf(readSite({ site }));
      const { deployment } = value;
      return { site: value, deployment: deployment === null ? null : await valueOf(readDeployment({ deployment })) };
    },
  });
  const readAgain = () => queries.invalidateQueries({ queryKey });
  useActivityEffect(() => void readAgain());
  useSettling(query.data && !query.error && isSettling(query.data.site) ? [site] : [], readAgain);
  return query;
}

/** Calls a function after a burst of activities about deployments and domains. */
function useActivityEffect(effect: () => void): void {
  const { onActivity } = useBackend();
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const unsubscribe = onActivity(({ event }) => {
      if (!/^(?:deployment|domain)\./.test(event)) return;
      clearTimeout(timer);
      timer = setTimeout(effect, REFRESH_DELAY_MS);
    });
    return () => {
      clearTimeout(timer);
      unsubscribe();
    };
  });
}

/** Returns a value once it has not changed for some time, so that typing sends one request. */
export function useSettled<T>(value: T, ms: number): T {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), ms);
    return () => clearTimeout(timer);
  }, [value, ms]);
  return settled;
}
