import './folders-page.css';
import { FolderPlus, FolderSync } from 'lucide-react';
import { Button } from '../../components/button.tsx';
import { Empty, PageFrame, SignInButton } from '../../components/page.tsx';
import { useAccount } from '../../state/account.ts';
import { useShell } from '../../state/shell.ts';
import { useAppState } from '../../state/store.ts';
import { FolderCard } from './folder-card.tsx';

/** The watched folders, which are published whenever they change. */
export function FoldersPage() {
  const { commands, ask, watch } = useShell();
  const folders = useAppState('folders');
  const { hasKey } = useAccount();
  const add = async () => {
    const picked = await ask(commands.pickFolder());
    if (picked?.value) watch([{ name: picked.value.name, of: { grant: picked.value.grant } }]);
  };
  const button = (
    <Button variant="primary" icon={FolderPlus} onClick={add}>
      Watch a folder…
    </Button>
  );
  if (folders.length > 0)
    return (
      <PageFrame title="Folders" actions={hasKey && button}>
        <ul className="cards" aria-label="Watched folders">
          {folders.map((folder) => (
            <li key={folder.id}>
              <FolderCard folder={folder} />
            </li>
          ))}
        </ul>
      </PageFrame>
    );
  return (
    <PageFrame title="Folders">
      {hasKey ? (
        <Empty
          icon={FolderSync}
          title="Watch a folder to publish every build"
          text="One folder, one address. When files change, the site updates seconds later."
        >
          {button}
        </Empty>
      ) : (
        <Empty
          icon={FolderSync}
          title="Watching needs an account"
          text="A watched folder has a permanent address, which belongs to an account. You can publish once without one."
        >
          <SignInButton />
        </Empty>
      )}
    </PageFrame>
  );
}
