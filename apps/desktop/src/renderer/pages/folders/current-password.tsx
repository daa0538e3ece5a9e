import { Lock } from 'lucide-react';
import { useState } from 'react';
import type { FolderState, WatchedFolder } from '../../../shared/folder.ts';
import type { Problem } from '../../../shared/problem.ts';
import { Button } from '../../components/button.tsx';
import { Confirm } from '../../components/confirm.tsx';
import { ProblemBox } from '../../components/problem.tsx';
import { useShell } from '../../state/shell.ts';

/** Shows that a watched folder has a password, and offers to change or remove it. */
export function CurrentPassword({
  folder: { id, state },
  onChange,
  onClose,
}: {
  folder: WatchedFolder;
  /** Called to change the password. */
  onChange: () => void;
  onClose: () => void;
}) {
  const { desktop } = useShell();
  const [isConfirming, setConfirming] = useState(false);
  const [problem, setProblem] = useState<Problem | null>(null);

  const remove = async () => {
    setProblem(null);
    const answer = await desktop.commands.changeFolder({ id, password: null });
    if (answer.ok) onClose();
    else setProblem(answer.problem);
  };

  return (
    <div className="dialog-body">
      <p className="current-password">
        <Lock size={15} aria-hidden /> Password-protected
      </p>
      {problem !== null && <ProblemBox problem={problem} />}
      {isConfirming ? (
        <Confirm
          question={`Remove the password? ${removalText(state)} Earlier versions keep theirs.`}
          yes="Remove password"
          onNo={() => setConfirming(false)}
          onYes={remove}
        />
      ) : (
        <div className="dialog-foot">
          <Button onClick={() => setConfirming(true)}>Remove</Button>
          <Button onClick={onChange}>Change</Button>
        </div>
      )}
    </div>
  );
}

/** The effect of removing the password, and when it takes effect. */
function removalText({ is }: FolderState): string {
  const isAtOnce = is === 'starting' || is === 'settling' || is === 'publishing' || is === 'live';
  return isAtOnce
    ? 'This republishes the site without a password, so everyone with the link can see it.'
    : 'From the next version on, everyone with the link can see the site.';
}
