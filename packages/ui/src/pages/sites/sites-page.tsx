import './sites-page.css';
import type { Site } from '@berth/contract';
import { LayoutList, SearchX, Tags, Trash2 } from 'lucide-react';
import { useCallback, useMemo, useState } from 'react';
import { Button } from '../../components/button.tsx';
import { ListEnd, VirtualList } from '../../components/list.tsx';
import { AccountPage, Empty } from '../../components/page.tsx';
import { SearchField } from '../../components/search-field.tsx';
import { useNavigation } from '../../state/navigation.ts';
import { useSettled, useSites } from '../../state/sites.ts';
import { DeleteSites, LabelSites } from './site-dialogs.tsx';
import { type SiteAction, SiteRow } from './site-row.tsx';

const ROW_HEIGHT = 68;
const SEARCH_DELAY_MS = 250;

/** The sites of the account, one for each address. */
export function SitesPage() {
  return (
    <AccountPage title="Sites">
      <Sites />
    </AccountPage>
  );
}

function Sites() {
  const [query, setQuery] = useState('');
  const search = useSettled(query.trim(), SEARCH_DELAY_MS);
  const list = useSites(search);
  const { items, hasMore, isLoading, problem, replace, refresh } = list;
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const [dialog, setDialog] = useState<{ is: SiteAction; sites: readonly Site[] } | null>(null);
  const selectedSites = useMemo(() => items.filter(({ site }) => selected.has(site)), [items, selected]);
  const select = useCallback(
    (site: string, isSelected: boolean) =>
      setSelected((before) => new Set([...before].filter((each) => each !== site).concat(isSelected ? [site] : []))),
    [],
  );
  const openDialog = useCallback((is: SiteAction, site: Site) => setDialog({ is, sites: [site] }), []);
  const closeDialog = () => setDialog(null);
  if (items.length === 0 && !hasMore && problem === null && search === '' && query === '') return <NoSites />;
  return (
    <>
      <div className="sites-bar">
        {selectedSites.length === 0 ? (
          <SearchField label="Search by title, address or label" value={query} onChange={setQuery} />
        ) : (
          <SelectionBar
            count={selectedSites.length}
            onAction={(is) => setDialog({ is, sites: selectedSites })}
            onClear={() => setSelected(new Set())}
          />
        )}
      </div>
      <p className="hidden" aria-live="polite">
        {search !== '' && !isLoading ? `${items.length}${hasMore ? ' or more' : ''} found` : ''}
      </p>
      {items.length > 0 && (
        <VirtualList label="Sites" items={items} rowHeight={ROW_HEIGHT} keyOf={keyOf}>
          {(site) => (
            <SiteRow site={site} isSelected={selected.has(site.site)} onSelect={select} onAction={openDialog} />
          )}
        </VirtualList>
      )}
      {items.length === 0 && !hasMore && problem === null && (
        <Empty icon={SearchX} title="Nothing found" text={`No site matches “${search}” by title, address or label.`} />
      )}
      <ListEnd list={list} />
      {dialog?.is === 'delete' && (
        <DeleteSites
          sites={dialog.sites}
          onClose={closeDialog}
          onDeleted={(sites) => {
            for (const site of sites) {
              replace(site.site, site.domain === null ? { ...site, state: 'deleting' } : null);
              select(site.site, false);
            }
          }}
        />
      )}
      {dialog?.is === 'labels' && (
        <LabelSites sites={dialog.sites} onClose={closeDialog} onSaved={() => void refresh()} />
      )}
    </>
  );
}

interface SelectionBarProps {
  count: number;
  onAction: (action: SiteAction) => void;
  onClear: () => void;
}

function SelectionBar({ count, onAction, onClear }: SelectionBarProps) {
  return (
    <div className="selection-bar" role="group" aria-label="Selected sites">
      <p aria-live="polite">{count === 1 ? '1 site selected' : `${count} sites selected`}</p>
      <Button label="Labels…" small icon={Tags} onClick={() => onAction('labels')} />
      <Button label="Delete…" small icon={Trash2} variant="danger" onClick={() => onAction('delete')} />
      <Button label="Clear" small variant="quiet" onClick={onClear} />
    </div>
  );
}

function NoSites() {
  const { navigate } = useNavigation();
  return (
    <Empty icon={LayoutList} title="No sites yet" text="Everything you publish appears here, from any computer.">
      <Button label="Publish something" variant="primary" onClick={() => navigate('publish')} />
    </Empty>
  );
}

const keyOf = ({ site }: Site) => site;
