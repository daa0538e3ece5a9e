import type { Domain, DomainStatus } from '@berth/contract';
import { ChevronRight, Ellipsis, Share2, Trash2 } from 'lucide-react';
import { useId, useState } from 'react';
import { Confirm } from '../../components/dialog.tsx';
import { CopyButton, OpenIcon } from '../../components/link.tsx';
import { Menu } from '../../components/menu.tsx';
import { Moment, Tag, type Tone } from '../../components/status.tsx';
import { useBackend } from '../../state/backend.ts';
import { useNotes } from '../../state/toasts.ts';
import { type DomainProps, LinkForm } from './forms.tsx';
import { isPlatformDomain, Records } from './records.tsx';

type StatusText = [tone: Tone, label: string, hint?: string];

/** Describes the status of a domain. A status that a newer server has added is shown by its name. */
export function domainStatusText(status: string): StatusText {
  return (STATUS_TEXTS as Partial<Record<string, StatusText>>)[status] ?? ['quiet', status];
}

const STATUS_TEXTS: Record<DomainStatus, StatusText> = {
  success: ['good', 'Live'],
  pending: ['warn', 'Waiting for DNS', 'No DNS record was found yet. Add the records at your DNS provider.'],
  partial: ['warn', 'DNS incomplete', 'Some DNS records were found, but others are still missing.'],
  paused: ['quiet', 'Paused', 'Your plan does not cover this domain. It is offline until your plan covers it.'],
};

export function DomainCard({ isOpen, onToggle, ...props }: DomainProps & { isOpen: boolean; onToggle: () => void }) {
  const { api } = useBackend();
  const { ask } = useNotes();
  const { domain, deployment, linked, status } = props.domain;
  const [isDeleting, setDeleting] = useState(false);
  const id = useId();
  const [newest] = props.deployments;
  const needsRecords = newest === undefined || !isPlatformDomain(domain, newest.url);
  const [tone, label, hint] = domainStatusText(status);
  return (
    <article className="card domain" aria-label={domain}>
      <div className="domain-head">
        <button type="button" className="domain-toggle" aria-expanded={isOpen} aria-controls={id} onClick={onToggle}>
          <ChevronRight size={16} aria-hidden />
          <span className="clip">
            <span className="domain-name clip">{domain}</span>
            <span className="small soft clip">
              {deployment === null ? 'Points to nothing yet' : `Points to ${deployment}`}
              {linked !== null && (
                <>
                  {' '}
                  · since <Moment at={linked * 1_000} />
                </>
              )}
            </span>
          </span>
          <Tag tone={tone}>{label}</Tag>
        </button>
        <DomainTools domain={props.domain} onDelete={() => setDeleting(true)} />
      </div>
      {isDeleting && (
        <div className="domain-body">
          <Confirm
            question={`Delete ${domain}? Its address stops working. The deployment stays online.`}
            action="Delete"
            onCancel={() => setDeleting(false)}
            onConfirm={async () => {
              if (await ask(api.deleteDomain({ domain }))) props.onChange(null);
            }}
          />
        </div>
      )}
      <div id={id}>
        {isOpen && (
          <div className="domain-body">
            {hint !== undefined && <p className="soft">{hint}</p>}
            <LinkForm {...props} />
            {needsRecords ? <Records {...props} /> : <p className="soft">Platform domains need no DNS records.</p>}
          </div>
        )}
      </div>
    </article>
  );
}

function DomainTools({ domain: { domain, url }, onDelete }: { domain: Domain; onDelete: () => void }) {
  const { api, copy } = useBackend();
  const { ask, showToast } = useNotes();
  const shareDomain = async () => {
    const shareAnswer = await ask(api.shareDomain({ domain }));
    if (shareAnswer && (await ask(copy(shareAnswer.value.url))))
      showToast('The link to its DNS records is copied. Send it to the person who manages your DNS.');
  };
  return (
    <div className="card-tools">
      <CopyButton text={url} subject={`link of ${domain}`} />
      <OpenIcon url={url} subject={domain} />
      <Menu
        icon={Ellipsis}
        label={`More about ${domain}`}
        items={[
          {
            label: 'Copy share link',
            icon: Share2,
            hint: 'For the person who manages your DNS records',
            run: () => void shareDomain(),
          },
          { label: 'Delete…', icon: Trash2, danger: true, run: onDelete },
        ]}
      />
    </div>
  );
}
