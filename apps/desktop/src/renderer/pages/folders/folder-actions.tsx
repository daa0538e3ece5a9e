import {
  Ellipsis,
  FolderOpen,
  FolderSearch,
  Globe,
  History,
  Lock,
  Pause,
  Play,
  RefreshCw,
  Square,
  Tags,
  Trash2,
  Undo2,
} from 'lucide-react';
import { type ComponentProps, useState } from 'react';
import type { WatchedFolder } from '../../../shared/folder.ts';
import type { Answer } from '../../../shared/contract.ts';
import { Button } from '../../components/button.tsx';
import { Menu } from '../../components/menu.tsx';
import { useShell } from '../../state/shell.ts';
import { useLocate } from './locate.tsx';

/** The dialog or question that is open on a folder's card. */
export type Opened = 'history' | 'address' | 'labels' | 'password' | 'remove' | null;

/** The commands for a watched folder: the most likely one as a button, the rest in a menu. */
export function FolderActions({ folder, onOpen }: { folder: WatchedFolder; onOpen: (opened: Opened) => void }) {
  const { desktop, ask, showToast } = useShell();
  const { commands } = desktop;
  const [isBusy, setBusy] = useState(false);
  const { id, state } = folder;
  const { locate, isBusy: isLocating, dialog } = useLocate(id);

  const run = async (command: Promise<Answer<unknown>>, done?: string) => {
    setBusy(true);
    const answer = await ask(command);
    setBusy(false);
    if (answer !== null && done !== undefined) showToast({ text: done });
  };
  const rollBack = () => run(commands.undoFolder({ id }), 'Rolled back to the previous version. Watching is paused.');

  const canPause = state.is !== 'paused' && state.is !== 'signed-out';
  return (
    <div className="card-tools">
      <MainAction
        folder={folder}
        isBusy={isBusy}
        isLocating={isLocating}
        run={(command) => void run(command)}
        locate={() => void locate()}
      />
      <Menu
        icon={Ellipsis}
        label={`More about ${folder.name}`}
        items={[
          ...(canPause ? [{ label: 'Pause', icon: Pause, run: () => void run(commands.pauseFolder({ id })) }] : []),
          { label: 'History…', icon: History, run: () => onOpen('history') },
          { label: 'Roll back', icon: Undo2, run: () => void rollBack() },
          { label: 'Show in folder', icon: FolderOpen, run: () => void ask(commands.showFolder({ id })) },
          { label: 'Change address…', icon: Globe, run: () => onOpen('address') },
          { label: 'Labels…', icon: Tags, run: () => onOpen('labels') },
          { label: 'Password…', icon: Lock, run: () => onOpen('password') },
          ...(state.is === 'missing' ? [{ label: 'Locate…', icon: FolderSearch, run: () => void locate() }] : []),
          { label: 'Stop watching…', icon: Trash2, danger: true, run: () => onOpen('remove') },
        ]}
      />
      {dialog}
    </div>
  );
}

/** The button for what the user most likely wants in the current state of the folder. */
function MainAction({
  folder: { id, state },
  isBusy,
  isLocating,
  run,
  locate,
}: {
  folder: WatchedFolder;
  isBusy: boolean;
  isLocating: boolean;
  run: (command: Promise<Answer<unknown>>) => void;
  locate: () => void;
}) {
  const { desktop, navigate } = useShell();
  const { commands } = desktop;
  const button = (label: string, props: Omit<ComponentProps<typeof Button>, 'children'>) => (
    <Button small {...props}>
      {label}
    </Button>
  );
  switch (state.is) {
    case 'publishing':
      return button('Cancel', { icon: Square, busy: isBusy, onClick: () => run(commands.cancelFolder({ id })) });
    case 'paused':
      return button('Resume', { icon: Play, busy: isBusy, onClick: () => run(commands.resumeFolder({ id })) });
    case 'signed-out':
      return button('Sign in', { onClick: () => navigate({ page: 'settings' }) });
    default:
      if (state.is === 'missing' && state.reason === 'gone')
        return button('Locate…', { icon: FolderSearch, busy: isLocating, onClick: locate });
      return button(state.is === 'failed' || state.is === 'waiting' ? 'Try again' : 'Publish now', {
        icon: RefreshCw,
        busy: isBusy,
        onClick: () => run(commands.publishFolder({ id })),
      });
  }
}
