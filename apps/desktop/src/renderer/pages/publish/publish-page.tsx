import { Button } from '@berth/ui/components/button';
import { PageFrame } from '@berth/ui/components/page';
import { DropTarget } from '@berth/ui/pages/publish/drop-target';
import { Options } from '@berth/ui/pages/publish/options';
import { PublishingList } from '@berth/ui/pages/publish/publishing-list';
import { useAccount } from '@berth/ui/state/account';
import { Files, FolderOpen } from 'lucide-react';
import { useMemo } from 'react';
import { useShell } from '../../state/shell.ts';
import { useAppState } from '../../state/store.ts';
import { createPublishingActions } from './publishing-actions.ts';

export function PublishPage() {
  const shell = useShell();
  const publishings = useAppState('publishings');
  const actions = useMemo(() => createPublishingActions(shell), [shell]);
  return (
    <PageFrame title="Publish">
      <Invitation isBig={publishings.length === 0} />
      <Options />
      <PublishingList publishings={publishings} actions={actions} />
    </PageFrame>
  );
}

function Invitation({ isBig }: { isBig: boolean }) {
  const { choose, commands, ask } = useShell();
  const { hasAccess } = useAccount();
  const { copyLinks } = useAppState('settings');
  const whereText = isBig ? `Anywhere in this window${hasAccess ? '' : ', no account needed'}. ` : '';
  const lifetimeText = hasAccess
    ? copyLinks
      ? 'The link is copied when the site is live.'
      : 'Your site is live in seconds.'
    : `Without an account, a link lasts 3 days${isBig ? ', or longer if you claim it' : ''}.`;
  return (
    <DropTarget isBig={isBig} text={whereText + lifetimeText}>
      <Button label="Choose folder…" variant="primary" icon={FolderOpen} onClick={() => void choose('folder')} />
      <Button label="Choose files…" icon={Files} onClick={() => void choose('files')} />
      {isBig && <Button label="Try a sample site" variant="quiet" onClick={() => void ask(commands.publishSample())} />}
    </DropTarget>
  );
}
