import { moment } from '@berth/client/amounts';
import { useState } from 'react';
import type { Version, WatchedFolder } from '../../../shared/folder.ts';
import { Button } from '@berth/ui/components/button';
import { Confirm, Dialog } from '@berth/ui/components/dialog';
import { OpenIcon } from '@berth/ui/components/link';
import { Moment, ProblemBox, Tag } from '@berth/ui/components/status';
import { useAnswer } from '@berth/ui/state/requests';
import { useShell } from '../../state/shell.ts';
import { sizeText } from '@berth/ui/text/files';

/** Lists the versions of a folder that are still on the server, with a button to make each version live. */
export function HistoryDialog({ folder, onClose }: { folder: WatchedFolder; onClose: () => void }) {
  const { commands } = useShell();
  const { id, name, live } = folder;
  // While the dialog is open, a build or another client may change the live version.
  const { value, problem, read, fail } = useAnswer(
    () => commands.listVersions({ id }),
    [commands, id, live?.deployment],
  );
  const [chosen, setChosen] = useState<Version | null>(null);

  const makeLive = async (deployment: string) => {
    const result = await commands.makeLive({ id, deployment });
    setChosen(null);
    if (result.ok) await read();
    else fail(result.problem);
  };
  return (
    <Dialog title={`History of ${name}`} onClose={onClose}>
      <div className="dialog-body">
        <ProblemBox problem={problem} onRetry={read} />
        {value === null && problem === null && <p className="soft">Loading…</p>}
        {value?.versions.length === 0 && <p className="soft">Nothing has been published yet.</p>}
        {value !== null && value.versions.length > 0 && (
          <>
            <ul className="versions" aria-label="Versions">
              {value.versions.map((version) => (
                <li key={version.deployment}>
                  <VersionRow version={version} isAsking={chosen !== null} onChoose={() => setChosen(version)} />
                </li>
              ))}
            </ul>
            {chosen !== null && (
              <Confirm
                question={`Make the version of ${moment(chosen.created)} live? An earlier version pauses the folder, so the next build won’t overwrite it.`}
                action="Make live"
                variant="primary"
                onCancel={() => setChosen(null)}
                onConfirm={() => makeLive(chosen.deployment)}
              />
            )}
          </>
        )}
      </div>
    </Dialog>
  );
}

interface VersionRowProps {
  version: Version;
  /** True while the user is asked about a version. */
  isAsking: boolean;
  onChoose: () => void;
}

function VersionRow({ version, isAsking, onChoose }: VersionRowProps) {
  const { deployment, created, url, live } = version;
  return (
    <>
      <div className="clip">
        <p>
          {moment(created)} · <Moment at={created * 1_000} className="soft" />
        </p>
        <p className="small soft clip" title={deployment}>
          {sizeText(version)} · {deployment}
        </p>
      </div>
      <div className="card-tools">
        <OpenIcon url={url} subject={deployment} />
        <span className="version-end">
          {live ? (
            <Tag tone="good">Live</Tag>
          ) : (
            <Button
              label="Make live…"
              small
              disabled={isAsking}
              aria-label={`Make ${deployment} live…`}
              onClick={onChoose}
            />
          )}
        </span>
      </div>
    </>
  );
}
