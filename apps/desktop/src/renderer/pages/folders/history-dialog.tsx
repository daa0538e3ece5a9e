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
export function HistoryDialog({ folder: { id, name, live }, onClose }: { folder: WatchedFolder; onClose: () => void }) {
  const { desktop, ask } = useShell();
  const { commands } = desktop;
  const [versions, setVersions] = useState<Version[] | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  const [switching, setSwitching] = useState<string | null>(null);

  // The number of the latest request: answers to earlier ones are stale and ignored.
  const reading = useRef(0);

  const read = useCallback(async () => {
    const turn = ++reading.current;
    setProblem(null);
    const answer = await commands.listVersions({ id });
    if (turn !== reading.current) return;
    if (answer.ok) setVersions(answer.value.versions);
    else setProblem(answer.problem);
  }, [commands, id]);
  const shown = live?.deployment;
  // The live version may change while the dialog is open: a build ends, or another client switches it.
  useEffect(() => void read(), [read, shown]);

  const makeLive = async (deployment: string) => {
    setSwitching(deployment);
    const made = await commands.makeLive({ id, deployment });
    setSwitching(null);
    if (made.ok) await read();
    else setProblem(made.problem);
  };

  return (
    <Dialog title={`History of ${name}`} onClose={onClose}>
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
                  <div className="clip">
                    <p>
                      <Moment at={version.created * 1_000} />
                    </p>
                    <p className="small soft clip" title={version.deployment}>
                      {sizeText(version)} · {version.deployment}
                    </p>
                  </div>
                  <div className="card-tools">
                    <IconButton
                      icon={ExternalLink}
                      label={`Open ${version.deployment}`}
                      onClick={() => void ask(commands.openLink({ url: version.url }))}
                    />
                    <span className="version-end">
                      {version.live ? (
                        <Tag tone="good">Live</Tag>
                      ) : (
                        <Button
                          small
                          busy={switching === version.deployment}
                          disabled={switching !== null && switching !== version.deployment}
                          aria-label={`Make ${version.deployment} live`}
                          onClick={() => void makeLive(version.deployment)}
                        >
                          Make live
                        </Button>
                      )}
                    </span>
                  </div>
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
