import './folders-page.css';
import { FolderPlus, FolderSync } from 'lucide-react';
import { Button } from '@berth/ui/components/button';
import { Empty, PageFrame, SignInButton } from '@berth/ui/components/page';
import { useAccount } from '@berth/ui/state/account';
import { useShell } from '../../state/shell.ts';
import { useAppState } from '../../state/store.ts';
import { FolderCard } from './folder-card.tsx';

export function FoldersPage() {
  const { commands, ask, watch } = useShell();
  const folders = useAppState('folders');
  const { hasAccess } = useAccount();
  const addFolder = async () => {
    const pickedFolder = await ask(commands.pickFolder({ reason: 'watch' }));
    if (pickedFolder?.value) watch([{ name: pickedFolder.value.name, of: { grant: pickedFolder.value.grant } }]);
  };
  const button = <Button label="Watch a folder…" variant="primary" icon={FolderPlus} onClick={addFolder} />;
  return (
    <PageFrame title="Folders" actions={folders.length > 0 && hasAccess && button}>
      {folders.length > 0 ? (
        <ul className="cards" aria-label="Watched folders">
          {folders.map((folder) => (
            <li key={folder.id}>
              <FolderCard folder={folder} />
            </li>
          ))}
        </ul>
      ) : (
        <Empty
          icon={FolderSync}
          title={hasAccess ? 'Watch a folder to publish every build' : 'Watching needs an account'}
          text={
            hasAccess
              ? 'One folder, one address. When files change, the site updates seconds later.'
              : 'A watched folder has a permanent address, which belongs to an account. You can publish once without one.'
          }
        >
          {hasAccess ? button : <SignInButton />}
        </Empty>
      )}
    </PageFrame>
  );
}
