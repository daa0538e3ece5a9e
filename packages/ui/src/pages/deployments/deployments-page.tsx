import './deployments-page.css';
import type { Deployment, Domain } from '@berth/contract';
import { LayoutList, SearchX } from 'lucide-react';
import { useCallback, useEffect, useMemo, useState } from 'react';
import { Button } from '../../components/button.tsx';
import { SearchField } from '../../components/search-field.tsx';
import { ListEnd, VirtualList } from '../../components/list.tsx';
import { Usage } from '../../components/meter.tsx';
import { AccountPage, Empty } from '../../components/page.tsx';
import { useDeployments, useDomains } from '../../state/lists.ts';
import { useBackend } from '../../state/backend.ts';
import { useNavigation } from '../../state/navigation.ts';
import { type RowMode, DeploymentRow } from './deployment-row.tsx';

const ROW_HEIGHT = 64;

export function DeploymentsPage() {
  return (
    <AccountPage title="Sites">
      <Sites />
    </AccountPage>
  );
}

function Sites() {
  const { refreshAccount } = useBackend();
  const [query, setQuery] = useState('');
  const [row, setRow] = useState<{ deployment: string; mode: RowMode } | null>(null);
  const list = useDeployments();
  const domains = useDomains();
  const byDeployment = useMemo(() => Map.groupBy(domains.items, ({ deployment }) => deployment ?? ''), [domains.items]);
  const { items, hasMore, isLoading, loadMore, problem } = list;
  const foundSites = useMemo(() => search(items, byDeployment, query), [items, byDeployment, query]);
  const isSearching = query.trim() !== '';

  useEffect(refreshAccount, [refreshAccount]);
  // A search finds only loaded sites, so it loads all remaining pages.
  useEffect(() => {
    if (isSearching && hasMore && !isLoading && problem === null) loadMore();
  }, [isSearching, hasMore, isLoading, loadMore, problem]);
  useEffect(() => {
    if (domains.hasMore && !domains.isLoading && domains.problem === null) domains.loadMore();
  }, [domains]);

  const setRowMode = useCallback(
    (deployment: string, mode: RowMode) => setRow(mode === 'shown' ? null : { deployment, mode }),
    [],
  );
  if (items.length === 0 && !hasMore && problem === null) return <NoSites />;
  return (
    <>
      <Usage />
      <SearchField label="Search by name, domain or label" value={query} onChange={setQuery} />
      <p className="hidden" aria-live="polite">
        {isSearching && !isLoading ? `${foundSites.length} found` : ''}
      </p>
      {foundSites.length > 0 && (
        <VirtualList label="Sites" items={foundSites} rowHeight={ROW_HEIGHT} keyOf={keyOf} pinned={row?.deployment}>
          {(site) => (
            <DeploymentRow
              site={site}
              domains={byDeployment.get(site.deployment) ?? NO_DOMAINS}
              mode={row?.deployment === site.deployment ? row.mode : 'shown'}
              onMode={setRowMode}
              onChange={list.replace}
            />
          )}
        </VirtualList>
      )}
      {isSearching && foundSites.length === 0 && !hasMore && (
        <Empty
          icon={SearchX}
          title="Nothing found"
          text={`No site matches “${query.trim()}” by name, domain or label.`}
        />
      )}
      <ListEnd list={list} />
    </>
  );
}

function NoSites() {
  const { navigate } = useNavigation();
  return (
    <>
      <Usage />
      <Empty icon={LayoutList} title="No sites yet" text="Everything you publish appears here, from any computer.">
        <Button label="Publish something" variant="primary" onClick={() => navigate('publish')} />
      </Empty>
    </>
  );
}

const NO_DOMAINS: readonly Domain[] = [];
const keyOf = ({ deployment }: Deployment) => deployment;

function search(sites: readonly Deployment[], domains: ReadonlyMap<string, readonly Domain[]>, query: string) {
  const searchedText = query.trim().toLowerCase();
  if (searchedText === '') return sites;
  return sites.filter(
    ({ deployment, labels }) =>
      deployment.includes(searchedText) ||
      labels.some((label) => label.includes(searchedText)) ||
      domains.get(deployment)?.some(({ domain }) => domain.includes(searchedText)),
  );
}
