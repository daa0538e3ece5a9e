import '../../components/file-list.css';
import { Check, ExternalLink, FolderSync, Info, Lock } from 'lucide-react';
import type { FileWarning, Published, Publishing } from '../../../shared/publishing.ts';
import { Button } from '../../components/button.tsx';
import { CopyButton } from '../../components/copy-button.tsx';
import { SkippedFiles } from '../../components/skipped-files.tsx';
import { Link } from '../../components/link.tsx';
import { QrButton } from '../../components/qr.tsx';
import { useAccount } from '../../state/account.ts';
import { useNow } from '../../state/clock.ts';
import { useShell } from '../../state/shell.ts';
import { sizeText } from '../../text/folder.ts';
import { ClaimCallout } from './claim-callout.tsx';

interface PublishedProps {
  publishing: Publishing;
  published: Published;
}

/** The link of a published drop and the commands for it. */
export function PublishedBody({ publishing, published }: PublishedProps) {
  const now = useNow();
  const { expires, notices } = published;
  const isGone = expires !== null && expires * 1_000 <= now;
  return (
    <div className="card-body">
      <PublishedLink published={published} isGone={isGone} />
      {!isGone && <LinkActions publishing={publishing} published={published} />}
      {expires !== null && <ClaimCallout publishing={publishing} published={published} expires={expires} />}
      <SkippedFiles leftOut={publishing.leftOut} />
      <Warnings warnings={notices} />
    </div>
  );
}

function PublishedLink({ published, isGone }: { published: Published; isGone: boolean }) {
  const { url, password, copied } = published;
  return (
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
  );
}

function LinkActions({ publishing: { id, name, watchable }, published: { url, password } }: PublishedProps) {
  const { desktop, ask, watch } = useShell();
  const { hasKey } = useAccount();
  return (
    <div className="card-actions">
      <Button small icon={ExternalLink} onClick={() => void ask(desktop.commands.openLink({ url }))}>
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
