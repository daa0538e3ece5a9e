import { moment } from '@berth/client/amounts';
import { Check, FolderSync, Hourglass, Info, Lock } from 'lucide-react';
import { Button } from '../../components/button.tsx';
import { CopyButton, Link, OpenButton, QrButton } from '../../components/link.tsx';
import { SignInButton } from '../../components/page.tsx';
import { SkippedFiles } from '../../components/status.tsx';
import type { FileWarning, Published, Publishing, PublishingActions } from '../../publishing.ts';
import { useAccount } from '../../state/account.ts';
import { useNow } from '../../state/clock.ts';
import { useBusy } from '../../state/requests.ts';
import { sizeText } from '../../text/files.ts';
import { remainingText } from '../../text/time.ts';

/** How long a card says that its link was copied, in milliseconds. Later the clipboard probably holds something else. */
const COPIED_FOR_MS = 60_000;

/** Returns whether an anonymous deployment has expired. @param now Unix milliseconds. */
export function isExpired({ expires }: Published, now: number): boolean {
  return expires !== null && expires * 1_000 <= now;
}

interface PublishedBodyProps {
  publishing: Publishing;
  actions: PublishingActions;
  published: Published;
  /** True if no later link was copied. */
  isLastCopied: boolean;
}

/** The link of a published site, and everything to do with it. */
export function PublishedBody({ publishing, actions, published, isLastCopied }: PublishedBodyProps) {
  const { hasAccess } = useAccount();
  const now = useNow();
  const hasExpired = isExpired(published, now);
  const { id, watchable, leftOut } = publishing;
  const { url, password, expires, at } = published;
  const isCopied = isLastCopied && now - at < COPIED_FOR_MS;
  return (
    <div className="card-body">
      <div>
        {hasExpired ? (
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
          {isCopied && !hasExpired && (
            <span className="meta-good">
              <Check size={13} aria-hidden /> Link copied
            </span>
          )}
        </p>
      </div>
      {!hasExpired && (
        <div className="card-actions">
          <OpenButton url={url} />
          <CopyButton text={url} subject="link" label="Copy" />
          <QrButton url={url} />
          {watchable && hasAccess && (
            <Button label="Watch this folder…" small icon={FolderSync} onClick={() => actions.watch(publishing)} />
          )}
        </div>
      )}
      {expires !== null && <ClaimCallout id={id} claim={published.claim} expires={expires} actions={actions} />}
      <SkippedFiles leftOut={leftOut} />
      <Warnings warnings={published.notices} />
    </div>
  );
}

/** A site that expires within this time needs attention. */
const URGENT_SECONDS = 86_400;

/** Says when an anonymous deployment expires, and how to claim the deployment. @param expires Unix seconds. */
function ClaimCallout({
  id,
  claim,
  expires,
  actions,
}: Pick<Published, 'claim'> & { id: string; expires: number; actions: PublishingActions }) {
  const { hasAccess } = useAccount();
  const { isBusy, run } = useBusy();
  const { keep } = actions;
  const seconds = expires - Math.floor(useNow() / 1_000);
  const claimAdvice = hasAccess ? 'Keep it, and it stays in your account.' : 'Sign in to keep it.';
  if (seconds <= 0)
    return (
      <div className="callout is-calm">
        <Hourglass size={15} aria-hidden />
        <p title={moment(expires)}>This link has expired. Drop the folder again to get a new link.</p>
      </div>
    );
  return (
    <div className={seconds < URGENT_SECONDS ? 'callout' : 'callout is-calm'}>
      <Hourglass size={15} aria-hidden />
      <p title={`Expires ${moment(expires)}`}>
        Expires in {remainingText(seconds)}.{claim !== null && ` ${claimAdvice}`}
      </p>
      {claim !== null && (
        <span className="card-actions">
          {hasAccess ? (
            <Button
              label="Keep this site"
              small
              variant="primary"
              busy={isBusy}
              onClick={() => run(actions.claim(id))}
            />
          ) : keep === null ? (
            <SignInButton small />
          ) : (
            <Button label="Sign in to keep it" small variant="primary" onClick={() => keep(id)} />
          )}
          <CopyButton text={claim} subject="claim link" label="Copy claim link" />
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
