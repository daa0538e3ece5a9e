import { Folder, FolderX } from 'lucide-react';
import { memo, useState } from 'react';
import type { WatchedFolder } from '../../../shared/folder.ts';
import { Card } from '../../components/card.tsx';
import { Confirm } from '../../components/dialog.tsx';
import { Chips } from '../../components/field.tsx';
import { CopyIcon, Link, OpenIcon } from '../../components/link.tsx';
import { ProgressBar } from '../../components/meter.tsx';
import { SkippedFiles, StatusLine } from '../../components/status.tsx';
import { useNow } from '../../state/clock.ts';
import { useShell } from '../../state/shell.ts';
import { folderText, sizeText } from '../../text/folder.ts';
import { progressText } from '../../text/progress.ts';
import { ChangeDialog } from './change-dialog.tsx';
import { FolderActions, type Opened } from './folder-actions.tsx';
import { HistoryDialog } from './history-dialog.tsx';

/** Card of a watched folder: its path, its address and its current state. */
export const FolderCard = memo(function FolderCard({ folder }: { folder: WatchedFolder }) {
  const { commands, ask } = useShell();
  const [opened, setOpened] = useState<Opened>(null);
  const { id, name, path, state, labels, leftOut } = folder;
  const close = () => setOpened(null);
  return (
    <Card
      id={id}
      name={name}
      icon={state.is === 'missing' && state.reason === 'gone' ? FolderX : Folder}
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
        <SkippedFiles leftOut={leftOut} />
      </div>
      {opened === 'remove' && (
        <Confirm
          question={`Stop watching ${name}? Its site stays online.`}
          yes="Stop watching"
          onNo={close}
          onYes={() => ask(commands.removeFolder({ id }))}
        />
      )}
      {opened === 'history' && <HistoryDialog folder={folder} onClose={close} />}
      {(opened === 'address' || opened === 'labels' || opened === 'password') && (
        <ChangeDialog folder={folder} what={opened} onClose={close} />
      )}
    </Card>
  );
});

function FolderStatus({ folder }: { folder: WatchedFolder }) {
  const { state, polling, needsDns } = folder;
  // Only states that show a countdown or progress render every second.
  const now = useNow(state.is === 'waiting' || state.is === 'publishing' ? 1_000 : 10_000);
  const { tone, text, detail, next } = folderText(folder, now);
  return (
    <div className="folder-state">
      <StatusLine tone={tone}>
        {text}
        {detail !== null && <span className="folder-detail selectable"> · {detail}</span>}
        {next !== null && <span className="folder-detail folder-next selectable"> {next}</span>}
      </StatusLine>
      {state.is === 'publishing' && (
        <ProgressBar part={progressText(state.progress, now).part} label={`Publishing ${folder.name}`} />
      )}
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

function Address({ folder: { url, domain, live } }: { folder: WatchedFolder }) {
  return (
    <div className="folder-address">
      {url === null ? (
        <span className="soft clip">{domain} (not published yet)</span>
      ) : (
        <>
          <Link url={url} className="clip" />
          <CopyIcon text={url} what="link" />
          <OpenIcon url={url} what="in browser" />
        </>
      )}
      {live !== null && <span className="small soft folder-live">{sizeText(live)}</span>}
    </div>
  );
}
