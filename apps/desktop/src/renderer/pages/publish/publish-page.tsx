import './publish-page.css';
import { Files, FolderOpen, Send } from 'lucide-react';
import { Button } from '../../components/button.tsx';
import { PageFrame } from '../../components/page.tsx';
import { useAccount } from '../../state/account.ts';
import { useShell } from '../../state/shell.ts';
import { useAppState } from '../../state/store.ts';
import { Options } from './options.tsx';
import { PublishingCard } from './publishing-card.tsx';

export function PublishPage() {
  const publishings = useAppState('publishings');
  return (
    <PageFrame title="Publish">
      <DropTarget isBig={publishings.length === 0} />
      <Options />
      {publishings.length > 0 && (
        <ul className="cards" aria-label="Drops">
          {publishings.map((publishing) => (
            <li key={publishing.id}>
              <PublishingCard publishing={publishing} />
            </li>
          ))}
        </ul>
      )}
    </PageFrame>
  );
}

/** Invites the user to drop files anywhere in the window, and has buttons that do the same without a pointer. */
function DropTarget({ isBig }: { isBig: boolean }) {
  const { choose } = useShell();
  const { hasKey } = useAccount();
  const { copyLinks } = useAppState('settings');
  return (
    <section className={isBig ? 'drop-target is-big' : 'drop-target'} aria-label="Publish something">
      <Send size={isBig ? 30 : 20} strokeWidth={1.6} aria-hidden />
      <div className="drop-target-text">
        <h2>{isBig ? 'Drop a folder, get a link' : 'Drop a folder or files anywhere'}</h2>
        <p className="soft">
          {isBig && `Anywhere in this window${hasKey ? '' : ', no account needed'}. `}
          {hasKey
            ? copyLinks
              ? 'The link is copied when the site is live.'
              : 'Your site is live in seconds.'
            : `Without an account, a link lasts 3 days${isBig ? ', or longer if you claim it' : ''}.`}
        </p>
      </div>
      <div className="drop-target-buttons">
        <Button label="Choose folder…" variant="primary" icon={FolderOpen} onClick={() => void choose('folder')} />
        <Button label="Choose files…" icon={Files} onClick={() => void choose('files')} />
      </div>
    </section>
  );
}
