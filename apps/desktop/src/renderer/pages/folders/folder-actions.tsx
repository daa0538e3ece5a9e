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
import { useState } from 'react';
import type { WatchedFolder } from '../../../shared/folder.ts';
import type { Answer } from '../../../shared/contract.ts';
import { Button } from '../../components/button.tsx';
import { Menu } from '../../components/menu.tsx';
import { useShell } from '../../state/shell.ts';
import { useLocate } from './locate.tsx';

/** The dialog or question that is open on a folder's card. */
export type Opened = 'history' | 'address' | 'labels' | 'password' | 'remove' | null;

/** The commands for a watched folder: the most likely ones as buttons, the rest in a menu. */
export function FolderActions({ folder, onOpen }: { folder: WatchedFolder; onOpen: (opened: Opened) => void }) {
  const { desktop, ask, showToast, navigate } = useShell();
  const { commands } = desktop;
  const [isBusy, setBusy] = useState(false);
  const { id, state } = folder;

  const run = async (asked: Promise<Answer<unknown>>, done?: string) => {
    setBusy(true);
    const answer = await ask(asked);
    setBusy(false);
    if (answer !== null && done !== undefined) showToast({ text: done });
  };
  const { locate, isBusy: isLocating, dialog } = useLocate(id);

  const button = () => {
    if (state.is === 'publishing')
      return (
        <Button small icon={Square} busy={isBusy} onClick={() => void run(commands.cancelFolder({ id }))}>
          Cancel
        </Button>
      );
    if (state.is === 'paused')
      return (
        <Button small icon={Play} busy={isBusy} onClick={() => void run(commands.resumeFolder({ id }))}>
          Resume
        </Button>
      );
    if (state.is === 'signed-out')
      return (
        <Button small onClick={() => navigate({ page: 'settings' })}>
          Sign in
        </Button>
      );
    if (state.is === 'missing' && state.reason === 'gone')
      return (
        <Button small icon={FolderSearch} busy={isLocating} onClick={() => void locate()}>
          Locate…
        </Button>
      );
    return (
      <Button small icon={RefreshCw} busy={isBusy} onClick={() => void run(commands.publishFolder({ id }))}>
        {state.is === 'failed' || state.is === 'waiting' ? 'Try again' : 'Publish now'}
      </Button>
    );
  };

  const canPause = state.is !== 'paused' && state.is !== 'signed-out';
  return (
    <div className="card-tools">
      {button()}
      <Menu
        icon={Ellipsis}
        label={`More about ${folder.name}`}
        items={[
          ...(canPause ? [{ label: 'Pause', icon: Pause, run: () => void run(commands.pauseFolder({ id })) }] : []),
          { label: 'History…', icon: History, run: () => onOpen('history') },
          {
            label: 'Roll back',
            icon: Undo2,
            run: () =>
              void run(commands.undoFolder({ id }), 'Rolled back to the previous version. Watching is paused.'),
          },
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
