import * as icons from 'lucide-react';
import { memo, useState } from 'react';
import type { Answer } from '../../../shared/contract.ts';
import type { WatchedFolder } from '../../../shared/folder.ts';
import type { Progress } from '../../../shared/progress.ts';
import { Button } from '@berth/ui/components/button';
import { Card } from '@berth/ui/components/card';
import { Confirm } from '@berth/ui/components/dialog';
import { Chips } from '@berth/ui/components/field';
import { CopyButton, Link, OpenIcon } from '@berth/ui/components/link';
import { Menu } from '@berth/ui/components/menu';
import { ProgressBar } from '@berth/ui/components/meter';
import { SkippedFiles, StatusLine } from '@berth/ui/components/status';
import { BuildOutput } from '@berth/ui/pages/publish/build-output';
import { useNow } from '@berth/ui/state/clock';
import { useBusy } from '@berth/ui/state/requests';
import { useShell } from '../../state/shell.ts';
import { sizeText } from '@berth/ui/text/files';
import { folderText } from '../../text/folder.ts';
import { progressText } from '@berth/ui/text/progress';
import { type Changeable, ChangeDialog } from './change-dialog.tsx';
import { useLocate } from './folder-question.tsx';
import { HistoryDialog } from './history-dialog.tsx';

export const FolderCard = memo(function FolderCard({ folder }: { folder: WatchedFolder }) {
  const { commands, ask, showToast } = useShell();
  const [opened, setOpened] = useState<Opened>(null);
  const { id, name, path, state, labels, leftOut, build } = folder;
  const closeDialog = () => setOpened(null);
  return (
    <Card
      id={id}
      name={name}
      icon={state.is === 'missing' && state.reason === 'gone' ? icons.FolderX : icons.Folder}
      tone={`is-${folderText(folder, 0).tone}`}
      title={
        <>
          <p className="folder-name">
            <span className="card-name clip">{name}</span>
            <Chips labels={labels} />
          </p>
          <span className="folder-path clip small soft selectable" title={path}>
            <bdi>{path}</bdi>
          </span>
        </>
      }
      tools={<FolderActions folder={folder} onOpen={setOpened} />}
    >
      <div className="folder-body">
        <Address folder={folder} />
        <FolderStatus folder={folder} />
        <BuildOutput build={build} isOpen={state.is === 'building' || state.is === 'failed'} />
        <SkippedFiles leftOut={leftOut} />
      </div>
      {opened === 'remove' && (
        <Confirm
          question={`Stop watching ${name}? Its site stays online.`}
          action="Stop watching"
          onCancel={closeDialog}
          onConfirm={() => ask(commands.removeFolder({ id }))}
        />
      )}
      {opened === 'roll-back' && (
        <Confirm
          question={`Roll back ${name} to its previous version? Watching is paused, so the next build won’t overwrite it.`}
          action="Roll back"
          variant="primary"
          onCancel={closeDialog}
          onConfirm={async () => {
            const version = await ask(commands.undoFolder({ id }));
            closeDialog();
            if (version !== null) showToast('Rolled back to the previous version. Watching is paused.');
          }}
        />
      )}
      {opened === 'history' && <HistoryDialog folder={folder} onClose={closeDialog} />}
      {(opened === 'address' || opened === 'labels' || opened === 'password') && (
        <ChangeDialog folder={folder} setting={opened} onClose={closeDialog} />
      )}
    </Card>
  );
});

function FolderStatus({ folder }: { folder: WatchedFolder }) {
  const { state, polling, needsDns } = folder;
  // Only a countdown or a progress bar needs to render every second.
  const now = useNow(state.is === 'waiting' || state.is === 'publishing' ? 1_000 : 10_000);
  const { tone, text, detail, next } = folderText(folder, now);
  return (
    <div className="folder-state">
      <StatusLine tone={tone}>
        {text}
        {detail !== null && <span className="folder-detail selectable"> · {detail}</span>}
        {next !== null && <span className="folder-detail folder-next selectable"> {next}</span>}
      </StatusLine>
      {state.is === 'publishing' && <ProgressBar {...barOf(state.progress, now)} label={`Publishing ${folder.name}`} />}
      {needsDns && (
        <p className="folder-hint small soft">{folder.domain} is missing DNS records. See the Domains page.</p>
      )}
      {polling !== null && (
        <p className="folder-hint small soft">
          Checked every {Math.round(polling.everyMs / 1_000)} s: {polling.reason}
        </p>
      )}
    </div>
  );
}

function barOf(progress: Progress, now: number) {
  const { part, isWaiting } = progressText(progress, now);
  return { part, isWaiting };
}

function Address({ folder: { url, domain, live } }: { folder: WatchedFolder }) {
  return (
    <div className="folder-address">
      {url === null ? (
        <span className="soft clip">{domain} (not published yet)</span>
      ) : (
        <>
          <Link url={url} className="clip" />
          <CopyButton text={url} subject="link" />
          <OpenIcon url={url} subject="in browser" />
        </>
      )}
      {live !== null && <span className="small soft folder-live">{sizeText(live)}</span>}
    </div>
  );
}

type Opened = 'history' | 'remove' | 'roll-back' | Changeable | null;

/** The commands for a watched folder. The command that the user most likely wants is a button; the others are in a menu. */
function FolderActions({ folder, onOpen }: { folder: WatchedFolder; onOpen: (opened: Opened) => void }) {
  const { commands, ask, navigate } = useShell();
  const { isBusy, run: runBusy } = useBusy();
  const { id, state } = folder;
  const { locate, isBusy: isLocating, dialog } = useLocate(id);

  const run = (command: Promise<Answer<unknown>>) => runBusy(ask(command));
  const mainAction = () => {
    if (state.is === 'signed-out') return { label: 'Sign in', onClick: () => navigate({ page: 'settings' }) };
    if (state.is === 'missing' && state.reason === 'gone')
      return { label: 'Locate…', icon: icons.FolderSearch, busy: isLocating, onClick: locate };
    if (state.is === 'publishing' || state.is === 'building')
      return {
        label: 'Cancel and pause',
        icon: icons.Square,
        busy: isBusy,
        onClick: () => run(commands.cancelFolder({ id })),
      };
    if (state.is === 'paused')
      return { label: 'Resume', icon: icons.Play, busy: isBusy, onClick: () => run(commands.resumeFolder({ id })) };
    const label = state.is === 'failed' || state.is === 'waiting' ? 'Try again' : 'Publish now';
    return { label, icon: icons.RefreshCw, busy: isBusy, onClick: () => run(commands.publishFolder({ id })) };
  };
  const canPause = state.is !== 'paused' && state.is !== 'signed-out';
  return (
    <>
      <Button small {...mainAction()} />
      <Menu
        icon={icons.Ellipsis}
        label={`More about ${folder.name}`}
        items={[
          ...(canPause
            ? [{ label: 'Pause', icon: icons.Pause, run: () => void run(commands.pauseFolder({ id })) }]
            : []),
          { label: 'History…', icon: icons.History, run: () => onOpen('history') },
          { label: 'Roll back…', icon: icons.Undo2, run: () => onOpen('roll-back') },
          { label: 'Show in folder', icon: icons.FolderOpen, run: () => void ask(commands.showFolder({ id })) },
          { label: 'Change address…', icon: icons.Globe, run: () => onOpen('address') },
          { label: 'Labels…', icon: icons.Tags, run: () => onOpen('labels') },
          { label: 'Password…', icon: icons.Lock, run: () => onOpen('password') },
          ...(state.is === 'missing' ? [{ label: 'Locate…', icon: icons.FolderSearch, run: () => void locate() }] : []),
          { label: 'Stop watching…', icon: icons.Trash2, danger: true, run: () => onOpen('remove') },
        ]}
      />
      {dialog}
    </>
  );
}
