import '../../components/file-list.css';
import { Check, ExternalLink, FolderSync, Info, Lock } from 'lucide-react';
import type { Published, Publishing } from '../../../shared/publishing.ts';
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

/** The link of a published drop and the commands for it. */
export function PublishedBody({ publishing, published }: { publishing: Publishing; published: Published }) {
  const { desktop, ask, watch } = useShell();
  const { hasKey } = useAccount();
  const now = useNow();
  const { url, expires, password, copied, notices } = published;
  const isGone = expires !== null && expires * 1_000 <= now;
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
      {!isGone && (
        <div className="card-actions">
          <Button small icon={ExternalLink} onClick={() => void ask(desktop.commands.openLink({ url }))}>
            Open
          </Button>
          <CopyButton text={url} what="link" />
          <QrButton url={url} />
          {publishing.watchable && hasKey && (
            <Button
              small
              icon={FolderSync}
              onClick={() =>
                watch([{ name: publishing.name, of: { publishing: publishing.id }, hasPassword: password }])
              }
            >
              Watch this folder…
            </Button>
          )}
        </div>
      )}
      {expires !== null && <ClaimCallout publishing={publishing} published={published} expires={expires} />}
      <SkippedFiles leftOut={publishing.leftOut} />
      {notices.length > 0 && (
        <ul className="file-list small" aria-label="Warnings">
          {notices.map(({ file, line, message }) => (
            <li key={`${file}:${line}:${message}`}>
              <Info size={14} aria-hidden />
              <span className="selectable">
                <code>{line === null ? file : `${file}:${line}`}</code> {message}
              </span>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
