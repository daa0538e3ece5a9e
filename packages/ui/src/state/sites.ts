import type { DomainVersion, Site } from '@berth/contract';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
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
  useRefreshOnActivity(list, ['deployment', 'domain']);
  return list;
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
  useActivityEffect(() => void queries.invalidateQueries({ queryKey }));
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
