import { ExternalLink } from 'lucide-react';
import { useCallback, useEffect, useRef, useState } from 'react';
import type { Version, WatchedFolder } from '../../../shared/folder.ts';
import type { Problem } from '../../../shared/problem.ts';
import { Button, IconButton } from '../../components/button.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { Moment } from '../../components/moment.tsx';
import { Tag } from '../../components/tag.tsx';
import { ProblemBox } from '../../components/problem.tsx';
import { useShell } from '../../state/shell.ts';
import { sizeText } from '../../text/folder.ts';

/** Lists the versions of a folder that the server still has. Each can be made live. */
export function HistoryDialog({ folder, onClose }: { folder: WatchedFolder; onClose: () => void }) {
  const { versions, problem, read, makeLive, switchingTo } = useVersions(folder);
  return (
    <Dialog title={`History of ${folder.name}`} onClose={onClose}>
      <div className="dialog-body">
        {problem !== null && (
          <ProblemBox problem={problem}>
            <Button small onClick={() => void read()}>
              Try again
            </Button>
          </ProblemBox>
        )}
        {versions === null && problem === null && <p className="soft">Loading…</p>}
        {versions?.length === 0 && <p className="soft">Nothing has been published yet.</p>}
        {versions !== null && versions.length > 0 && (
          <>
            <ul className="versions" aria-label="Versions">
              {versions.map((version) => (
                <li key={version.deployment}>
                  <VersionRow
                    version={version}
                    isBusy={switchingTo === version.deployment}
                    isDisabled={switchingTo !== null && switchingTo !== version.deployment}
                    onMakeLive={() => void makeLive(version.deployment)}
                  />
                </li>
              ))}
            </ul>
            <p className="small soft">
              Making an earlier version live pauses the folder, so the next build won’t overwrite it.
            </p>
          </>
        )}
      </div>
    </Dialog>
  );
}

/** The versions of a folder, and the command that makes one live. */
function useVersions({ id, live }: WatchedFolder) {
  const { commands } = useShell().desktop;
  const [versions, setVersions] = useState<Version[] | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  const [switchingTo, setSwitchingTo] = useState<string | null>(null);
  // The number of the latest request: answers to earlier ones are stale and ignored.
  const request = useRef(0);

  const read = useCallback(async () => {
    const number = ++request.current;
    setProblem(null);
    const answer = await commands.listVersions({ id });
    if (number !== request.current) return;
    if (answer.ok) setVersions(answer.value.versions);
    else setProblem(answer.problem);
  }, [commands, id]);
  const shown = live?.deployment;
  // The live version may change while the dialog is open: a build ends, or another client switches it.
  useEffect(() => void read(), [read, shown]);

  const makeLive = async (deployment: string) => {
    setSwitchingTo(deployment);
    const result = await commands.makeLive({ id, deployment });
    setSwitchingTo(null);
    if (result.ok) await read();
    else setProblem(result.problem);
  };
  return { versions, problem, read, makeLive, switchingTo };
}

function VersionRow({
  version,
  isBusy,
  isDisabled,
  onMakeLive,
}: {
  version: Version;
  isBusy: boolean;
  isDisabled: boolean;
  onMakeLive: () => void;
}) {
  const { desktop, ask } = useShell();
  const { deployment, created, url, live } = version;
  return (
    <>
      <div className="clip">
        <p>
          <Moment at={created * 1_000} />
        </p>
        <p className="small soft clip" title={deployment}>
          {sizeText(version)} · {deployment}
        </p>
      </div>
      <div className="card-tools">
        <IconButton
          icon={ExternalLink}
          label={`Open ${deployment}`}
          onClick={() => void ask(desktop.commands.openLink({ url }))}
        />
        <span className="version-end">
          {live ? (
            <Tag tone="good">Live</Tag>
          ) : (
            <Button
              small
              busy={isBusy}
              disabled={isDisabled}
              aria-label={`Make ${deployment} live`}
              onClick={onMakeLive}
            >
              Make live
            </Button>
          )}
        </span>
      </div>
    </>
  );
}
