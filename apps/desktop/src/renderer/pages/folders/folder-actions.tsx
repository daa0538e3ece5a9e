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
import type { Answer } from '../../../shared/contract.ts';
import type { WatchedFolder } from '../../../shared/folder.ts';
import { Button } from '../../components/button.tsx';
import { Menu } from '../../components/menu.tsx';
import { useBusy } from '../../state/requests.ts';
import { useShell } from '../../state/shell.ts';
import type { Changeable } from './change-dialog.tsx';
import { useLocate } from './folder-question.tsx';

/** The dialog or question that is open on a folder's card. */
export type Opened = 'history' | 'remove' | Changeable | null;

/** The commands for a watched folder: the most likely one as a button, the rest in a menu. */
export function FolderActions({ folder, onOpen }: { folder: WatchedFolder; onOpen: (opened: Opened) => void }) {
  const { commands, ask, showToast, navigate } = useShell();
  const busy = useBusy();
  const { id, state } = folder;
  const { locate, isBusy: isLocating, dialog } = useLocate(id);

  const run = async (command: Promise<Answer<unknown>>, done?: string) => {
    const answer = await busy.run(ask(command));
    if (answer !== null && done !== undefined) showToast(done);
  };
  const rollBack = () => run(commands.undoFolder({ id }), 'Rolled back to the previous version. Watching is paused.');

  /** The button for what the user most likely wants in the current state of the folder. */
  const mainAction = () => {
    if (state.is === 'signed-out') return { label: 'Sign in', onClick: () => navigate({ page: 'settings' }) };
    if (state.is === 'missing' && state.reason === 'gone')
      return { label: 'Locate…', icon: FolderSearch, busy: isLocating, onClick: locate };
    if (state.is === 'publishing')
      return { label: 'Cancel', icon: Square, busy: busy.isBusy, onClick: () => run(commands.cancelFolder({ id })) };
    if (state.is === 'paused')
      return { label: 'Resume', icon: Play, busy: busy.isBusy, onClick: () => run(commands.resumeFolder({ id })) };
    const label = state.is === 'failed' || state.is === 'waiting' ? 'Try again' : 'Publish now';
    return { label, icon: RefreshCw, busy: busy.isBusy, onClick: () => run(commands.publishFolder({ id })) };
  };
  const { label, ...button } = mainAction();

  const canPause = state.is !== 'paused' && state.is !== 'signed-out';
  return (
    <>
      <Button small {...button}>
        {label}
      </Button>
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
    </>
  );
}
