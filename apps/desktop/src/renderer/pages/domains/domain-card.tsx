import type { Domain, DomainStatus } from '@berth/contract';
import { ChevronRight, Ellipsis, Share2, Trash2 } from 'lucide-react';
import { useId, useState } from 'react';
import { Confirm } from '../../components/dialog.tsx';
import { CopyIcon, OpenIcon } from '../../components/link.tsx';
import { Menu } from '../../components/menu.tsx';
import { Moment, Tag } from '../../components/status.tsx';
import { useShell } from '../../state/shell.ts';
import type { Tone } from '../../text/folder.ts';
import { type DomainProps, LinkForm } from './forms.tsx';
import { Records } from './records.tsx';

const STATUS_TEXT: Record<DomainStatus, { label: string; tone: Tone; hint: string | null }> = {
  success: { label: 'Live', tone: 'good', hint: null },
  pending: {
    label: 'Waiting for DNS',
    tone: 'warn',
    hint: 'None of its records was found yet. Add them at your DNS provider.',
  },
  partial: {
    label: 'DNS incomplete',
    tone: 'warn',
    hint: 'Some of its records were found. The others are still missing.',
  },
  paused: {
    label: 'Paused',
    tone: 'quiet',
    hint: 'Your plan no longer covers this domain. It is live again as soon as the plan does.',
  },
};

export function DomainCard({ isOpen, onToggle, ...props }: DomainProps & { isOpen: boolean; onToggle: () => void }) {
  const { commands, ask } = useShell();
  const { domain, deployment, linked, status } = props.domain;
  const [isDeleting, setDeleting] = useState(false);
  const id = useId();
  const { label, tone, hint } = STATUS_TEXT[status];
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
            yes="Delete"
            onNo={() => setDeleting(false)}
            onYes={async () => {
              if (await ask(commands.deleteDomain({ domain }))) props.onChange(null);
            }}
          />
        </div>
      )}
      <div id={id}>
        {isOpen && (
          <div className="domain-body">
            {hint !== null && <p className="soft">{hint}</p>}
            <LinkForm {...props} />
            <Records {...props} />
          </div>
        )}
      </div>
    </article>
  );
}

function DomainTools({ domain: { domain, url }, onDelete }: { domain: Domain; onDelete: () => void }) {
  const { commands, ask, showToast } = useShell();
  const share = async () => {
    const shared = await ask(commands.shareDomain({ domain }));
    if (shared && (await ask(commands.copy({ text: shared.value.url }))))
      showToast('The link to its DNS records is copied. Send it to the person who manages your DNS.');
  };
  return (
    <div className="card-tools">
      <CopyIcon text={url} what={`link of ${domain}`} />
      <OpenIcon url={url} what={domain} />
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
