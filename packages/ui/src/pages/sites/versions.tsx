import './versions.css';
import type { DomainVersion } from '@berth/contract';
import { useQuery } from '@tanstack/react-query';
import { ChevronRight, History } from 'lucide-react';
import { useId, useState } from 'react';
import { Button } from '../../components/button.tsx';
import { Confirm } from '../../components/dialog.tsx';
import { ListEnd } from '../../components/list.tsx';
import { BoxList } from '../../components/rows.tsx';
import { Moment, Tag } from '../../components/status.tsx';
import { useBackend, useSitesApi } from '../../state/backend.ts';
import { valueOf } from '../../state/query.ts';
import { useVersions } from '../../state/sites.ts';
import { useNotes } from '../../state/toasts.ts';
import { sizeText } from '../../text/files.ts';
import { publisherText, versionName } from '../../text/site.ts';

interface VersionsProps {
  domain: string;
  /** The deployment that the domain shows; `null` for none. */
  live: string | null;
}

/** The versions that a domain showed, newest first, each with what changed and the way back to it. */
export function Versions({ domain, live }: VersionsProps) {
  const list = useVersions(domain);
  const show = useShowVersion(domain, live, list.reload);
  return (
    <section className="settings" aria-label="Versions">
      <h2>Versions</h2>
      {list.items.length > 0 && (
        <BoxList label="Versions">
          {list.items.map((version, index) => (
            <li key={`${version.deployment} ${version.linked}`}>
              <Version
                version={version}
                domain={domain}
                isLive={index === 0 && version.unlinked === null}
                onShow={show}
              />
            </li>
          ))}
        </BoxList>
      )}
      {list.items.length === 0 && !list.hasMore && list.problem === null && (
        <p className="soft">This address has not shown a site yet.</p>
      )}
      <ListEnd list={list} />
    </section>
  );
}

/** Returns a function that shows a version at the domain, and offers to undo this. */
function useShowVersion(domain: string, live: string | null, reload: () => void) {
  const { api } = useBackend();
  const { ask, showToast } = useNotes();
  return async (version: DomainVersion) => {
    if ((await ask(api.putDomain({ domain, deployment: version.deployment }))) === null) return;
    reload();
    const undo = async (deployment: string) => {
      if ((await ask(api.putDomain({ domain, deployment }))) === null) return;
      reload();
      showToast(`${domain} shows its previous version again.`);
    };
    const action = live === null ? undefined : { label: 'Undo', run: () => void undo(live) };
    showToast(`${domain} now shows the version of ${versionName(version)}.`, action);
  };
}

interface VersionProps {
  version: DomainVersion;
  domain: string;
  isLive: boolean;
  onShow: (version: DomainVersion) => Promise<void>;
}

function Version({ version, domain, isLive, onShow }: VersionProps) {
  const { deployment, linked, published, previous, available } = version;
  const [isAsking, setAsking] = useState(false);
  const [isOpen, setOpen] = useState(false);
  const id = useId();
  const name = versionName(version);
  return (
    <div className="version">
      <div className="version-head">
        <div className="version-text">
          <p>
            <Moment at={(published?.created ?? linked) * 1_000} className="version-time" />
            <span className="soft small">{name}</span>
            {isLive && <Tag tone="good">Live</Tag>}
            {published === null && <Tag tone="quiet">Deleted</Tag>}
          </p>
          <p className="small soft">
            {published !== null &&
              `${sizeText({ files: published.files, bytes: published.size })} · ${publisherText(published)}`}
            {published === null && deployment}
          </p>
        </div>
        <div className="version-tools">
          {previous !== null && published !== null && (
            <button
              type="button"
              className="version-changes"
              aria-expanded={isOpen}
              aria-controls={id}
              aria-label={`What changed in the version of ${name}`}
              onClick={() => setOpen(!isOpen)}
            >
              <ChangeCounts deployment={deployment} from={previous} />
              <ChevronRight size={14} aria-hidden />
            </button>
          )}
          {!isLive && available && !isAsking && (
            <Button
              label="Roll back…"
              small
              icon={History}
              aria-label={`Roll back to the version of ${name}`}
              onClick={() => setAsking(true)}
            />
          )}
        </div>
      </div>
      {isAsking && (
        <Confirm
          question={`Show the version of ${name} at ${domain}? Visitors see it at once.`}
          action="Roll back"
          variant="primary"
          onCancel={() => setAsking(false)}
          onConfirm={async () => {
            await onShow(version);
            setAsking(false);
          }}
        />
      )}
      <div id={id}>{isOpen && previous !== null && <ChangedFiles deployment={deployment} from={previous} />}</div>
    </div>
  );
}

/** Reads how a deployment differs from an earlier one. This never changes while both exist. */
function useChanges(deployment: string, from: string) {
  const { readChanges } = useSitesApi();
  return useQuery({
    queryKey: ['changes', deployment, from],
    queryFn: () => valueOf(readChanges({ deployment, from })),
    refetchOnMount: false,
  });
}

function ChangeCounts({ deployment, from }: { deployment: string; from: string }) {
  const { data } = useChanges(deployment, from);
  if (data === undefined) return <span>Changes</span>;
  const { added, changed, removed } = data;
  if (added + changed + removed === 0) return <span>No changes</span>;
  return (
    <span title={`${added} added, ${changed} changed, ${removed} removed`}>
      {added > 0 && <span className="is-added">+{added.toLocaleString('en-US')} </span>}
      {changed > 0 && <span>~{changed.toLocaleString('en-US')} </span>}
      {removed > 0 && <span className="is-removed">−{removed.toLocaleString('en-US')}</span>}
    </span>
  );
}

const SIGNS: Partial<Record<string, readonly [sign: string, className: string]>> = {
  added: ['+', 'is-added'],
  changed: ['~', ''],
  removed: ['−', 'is-removed'],
};

function ChangedFiles({ deployment, from }: { deployment: string; from: string }) {
  const { data, error } = useChanges(deployment, from);
  if (data === undefined) return <p className="small soft">{error === null ? 'Loading…' : error.message}</p>;
  const total = data.added + data.changed + data.removed;
  const others = total - data.files.length;
  return (
    <>
      <ul className="changed-files small">
        {data.files.map(({ path, change }) => {
          const [sign, className] = SIGNS[change] ?? ['', ''];
          return (
            <li key={path} className={className}>
              <span aria-hidden>{sign}</span>
              <code>{path}</code>
              <span className="hidden">{change}</span>
            </li>
          );
        })}
      </ul>
      {others > 0 && <p className="small soft">and {others.toLocaleString('en-US')} more</p>}
      {total === 0 && <p className="small soft">Both versions have the same files.</p>}
    </>
  );
}
