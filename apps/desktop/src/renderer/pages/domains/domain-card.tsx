import type { Deployment, Domain } from '@berth/contract';
import { ChevronRight, Ellipsis, ExternalLink, Share2, Trash2 } from 'lucide-react';
import { useId, useState } from 'react';
import { IconButton } from '../../components/button.tsx';
import { Confirm } from '../../components/confirm.tsx';
import { CopyIcon } from '../../components/copy-button.tsx';
import { Menu } from '../../components/menu.tsx';
import { Moment } from '../../components/moment.tsx';
import { Tag } from '../../components/tag.tsx';
import { useShell } from '../../state/shell.ts';
import { LinkForm } from './link-form.tsx';
import { Records } from './records.tsx';
import { STATUS_TEXT } from './status-text.ts';

export function DomainCard({
  domain: value,
  deployments,
  isOpen,
  onToggle,
  onChange,
}: {
  domain: Domain;
  deployments: readonly Deployment[];
  isOpen: boolean;
  onToggle: () => void;
  /** Called with the changed domain; with `null` after it is deleted. */
  onChange: (changed: Domain | null) => void;
}) {
  const { desktop, ask } = useShell();
  const { domain } = value;
  const [isDeleting, setDeleting] = useState(false);
  const id = useId();
  const { hint } = STATUS_TEXT[value.status];
  return (
    <article className="card domain" aria-label={domain}>
      <div className="domain-head">
        <DomainToggle domain={value} isOpen={isOpen} controls={id} onToggle={onToggle} />
        <DomainTools domain={value} onDelete={() => setDeleting(true)} />
      </div>
      {isDeleting && (
        <div className="domain-body">
          <Confirm
            question={`Delete ${domain}? Its address stops working. The deployment stays online.`}
            yes="Delete"
            onNo={() => setDeleting(false)}
            onYes={async () => {
              if (await ask(desktop.commands.deleteDomain({ domain }))) onChange(null);
            }}
          />
        </div>
      )}
      <div id={id}>
        {isOpen && (
          <div className="domain-body">
            {hint !== null && <p className="soft">{hint}</p>}
            <LinkForm domain={value} deployments={deployments} onChange={onChange} />
            <Records domain={value} deployments={deployments} onChange={onChange} />
          </div>
        )}
      </div>
    </article>
  );
}

/** The name, target and status of a domain, as the button that opens its details. */
function DomainToggle({
  domain: { domain, deployment, linked, status },
  isOpen,
  controls,
  onToggle,
}: {
  domain: Domain;
  isOpen: boolean;
  /** The id of the element with the details, for `aria-controls`. */
  controls: string;
  onToggle: () => void;
}) {
  const { label, tone } = STATUS_TEXT[status];
  return (
    <button type="button" className="domain-toggle" aria-expanded={isOpen} aria-controls={controls} onClick={onToggle}>
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
  );
}

function DomainTools({ domain: { domain, url }, onDelete }: { domain: Domain; onDelete: () => void }) {
  const { desktop, ask, showToast } = useShell();
  const { commands } = desktop;
  const share = async () => {
    const shared = await ask(commands.shareDomain({ domain }));
    if (shared && (await ask(commands.copy({ text: shared.value.url }))))
      showToast({ text: 'The link to its DNS records is copied. Send it to the person who manages your DNS.' });
  };
  return (
    <div className="card-tools">
      <CopyIcon text={url} what={`link of ${domain}`} />
      <IconButton icon={ExternalLink} label={`Open ${domain}`} onClick={() => void ask(commands.openLink({ url }))} />
      <Menu
        icon={Ellipsis}
        label={`More about ${domain}`}
        items={[
          {
            label: 'Copy share link',
            icon: Share2,
            hint: 'Its records, for the person who manages your DNS',
            run: () => void share(),
          },
          { label: 'Delete…', icon: Trash2, danger: true, run: onDelete },
        ]}
      />
    </div>
  );
}
