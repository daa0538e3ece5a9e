import type { Site } from '@berth/contract';
import { useState } from 'react';
import { Dialog } from '../../components/dialog.tsx';
import { DialogForm } from '../../components/form.tsx';
import { SearchField } from '../../components/search-field.tsx';
import { Moment } from '../../components/status.tsx';
import { useBackend } from '../../state/backend.ts';
import { useSubmit } from '../../state/requests.ts';
import { useSettled, useSites } from '../../state/sites.ts';
import { useNotes } from '../../state/toasts.ts';
import { siteName } from '../../text/site.ts';
import { SiteIcon } from '../sites/site-icon.tsx';

const MAX_CHOICES = 30;
const SEARCH_DELAY_MS = 250;

interface ShowSiteProps {
  domain: string;
  /** The deployment that the domain shows now; `null` for none. */
  current: string | null;
  onShown: () => void;
  onClose: () => void;
}

/** Chooses the site that a domain shows. Offers to undo this. */
export function ShowSite({ domain, current, onShown, onClose }: ShowSiteProps) {
  const { api } = useBackend();
  const { ask, showToast } = useNotes();
  const [query, setQuery] = useState('');
  const { items, isLoading } = useSites(useSettled(query.trim(), SEARCH_DELAY_MS));
  const [chosen, setChosen] = useState<Site | null>(null);
  const request = useSubmit();
  const choices = items
    .filter(
      ({ deployment, expires, state }) =>
        deployment !== null &&
        deployment !== current &&
        expires === undefined &&
        state !== 'deleting' &&
        state !== 'taken-down',
    )
    .slice(0, MAX_CHOICES);
  const show = async () => {
    const shown = await request.submit(api.putDomain({ domain, deployment: chosen!.deployment! }));
    if (shown === null) return;
    const undo = async (deployment: string) => {
      if (await ask(api.putDomain({ domain, deployment }))) onShown();
    };
    const action = current === null ? undefined : { label: 'Undo', run: () => void undo(current) };
    showToast(`${domain} now shows ${siteName(chosen!)}.`, action);
    onShown();
    onClose();
  };
  return (
    <Dialog title={`Show another site at ${domain}`} onClose={onClose}>
      <DialogForm label="Show" isReady={chosen !== null} request={request} onSubmit={show} onCancel={onClose}>
        <SearchField label="Search by title, address or label" value={query} onChange={setQuery} />
        <fieldset className="site-choices">
          <legend className="hidden">Site</legend>
          {choices.map((site) => (
            <label key={site.site}>
              <input type="radio" name="site" checked={chosen?.site === site.site} onChange={() => setChosen(site)} />
              <SiteIcon site={site} />
              <span className="clip">
                <span className="clip">{siteName(site)}</span>
                <span className="small soft">
                  {site.title !== null && `${site.site} · `}
                  <Moment at={site.changed * 1_000} />
                </span>
              </span>
            </label>
          ))}
          {choices.length === 0 && <p className="soft">{isLoading ? 'Loading…' : 'There is no other site to show.'}</p>}
        </fieldset>
      </DialogForm>
    </Dialog>
  );
}
