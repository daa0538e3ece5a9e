import { moment } from '@berth/client/amounts';
import { Check, ExternalLink, FolderSync, Hourglass, Info, Lock } from 'lucide-react';
import type { FileWarning, Published, Publishing } from '../../../shared/publishing.ts';
import { Button } from '../../components/button.tsx';
import { CopyButton, Link, QrButton } from '../../components/link.tsx';
import { SkippedFiles } from '../../components/status.tsx';
import { SignInButton } from '../../components/page.tsx';
import { useAccount } from '../../state/account.ts';
import { useNow } from '../../state/clock.ts';
import { useBusy } from '../../state/requests.ts';
import { useShell } from '../../state/shell.ts';
import { sizeText } from '../../text/folder.ts';
import { remaining } from '../../text/time.ts';

interface PublishedProps {
  publishing: Publishing;
  published: Published;
}

/** Whether an anonymous deployment has expired. @param now Unix milliseconds. */
export function isExpired({ expires }: Published, now: number): boolean {
  return expires !== null && expires * 1_000 <= now;
}

/** The link of a published drop and the commands for it. */
export function PublishedBody({ publishing, published }: PublishedProps) {
  const isGone = isExpired(published, useNow());
  const { url, password, copied, expires } = published;
  return (
    <div className="card-body">
      <div>
        {isGone ? (
          <p className="publishing-link clip soft">{url.replace(/^https?:\/\//, '')}</p>
        ) : (
          <Link url={url} className="publishing-link clip" />
        )}
        <p className="meta soft">
          <span>{sizeText(published)}</span>
          {password && (
            <span>
              <Lock size={12} aria-hidden /> Password-protected
            </span>
          )}
          {copied && !isGone && (
            <span className="meta-good">
              <Check size={13} aria-hidden /> Link copied
            </span>
          )}
        </p>
      </div>
      {!isGone && <LinkActions publishing={publishing} published={published} />}
      {expires !== null && <ClaimCallout id={publishing.id} claim={published.claim} expires={expires} />}
      <SkippedFiles leftOut={publishing.leftOut} />
      <Warnings warnings={published.notices} />
    </div>
  );
}

function LinkActions({ publishing: { id, name, watchable }, published: { url, password } }: PublishedProps) {
  const { openLink, watch } = useShell();
  const { hasKey } = useAccount();
  return (
    <div className="card-actions">
      <Button small icon={ExternalLink} onClick={() => openLink(url)}>
        Open
      </Button>
      <CopyButton text={url} what="link" />
      <QrButton url={url} />
      {watchable && hasKey && (
        <Button
          small
          icon={FolderSync}
          onClick={() => watch([{ name, of: { publishing: id }, hasPassword: password }])}
        >
          Watch this folder…
        </Button>
      )}
    </div>
  );
}

/** Shows when an anonymous deployment expires, and how to claim it. @param expires Unix seconds. */
function ClaimCallout({ id, claim, expires }: { id: string; claim: string | null; expires: number }) {
  const { commands, ask } = useShell();
  const { hasKey } = useAccount();
  const { isBusy, run } = useBusy();
  const seconds = expires - Math.floor(useNow() / 1_000);
  if (seconds <= 0)
    return (
      <div className="callout is-calm">
        <Hourglass size={15} aria-hidden />
        <p title={moment(expires)}>This link has expired. Drop the folder again to get a new one.</p>
      </div>
    );
  return (
    <div className="callout">
      <Hourglass size={15} aria-hidden />
      <p title={`Expires ${moment(expires)}`}>
        Expires in {remaining(seconds)}.{claim !== null && (hasKey ? ' Claim it to keep it.' : ' Sign in to keep it.')}
      </p>
      {claim !== null && (
        <span className="card-actions">
          {hasKey ? (
            <Button small variant="primary" busy={isBusy} onClick={() => run(ask(commands.claimPublishing({ id })))}>
              Claim it
            </Button>
          ) : (
            <SignInButton small />
          )}
          <CopyButton text={claim} what="claim link" label="Copy claim link" />
        </span>
      )}
    </div>
  );
}

function Warnings({ warnings }: { warnings: readonly FileWarning[] }) {
  if (warnings.length === 0) return null;
  return (
    <ul className="file-list small" aria-label="Warnings">
      {warnings.map(({ file, line, message }) => (
        <li key={`${file}:${line}:${message}`}>
          <Info size={14} aria-hidden />
          <span className="selectable">
            <code>{line === null ? file : `${file}:${line}`}</code> {message}
          </span>
        </li>
      ))}
    </ul>
  );
}
