import { useState } from 'react';
import type { CommandInput } from '../../../shared/contract.ts';
import type { WatchedFolder } from '../../../shared/folder.ts';
import type { Problem } from '../../../shared/problem.ts';
import { Button } from '../../components/button.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { Field } from '../../components/field.tsx';
import { LabelsField } from '../../components/labels-field.tsx';
import { PasswordField } from '../../components/password-field.tsx';
import { ProblemBox } from '../../components/problem.tsx';
import { useShell } from '../../state/shell.ts';
import { domainError, passwordError } from '../../text/validate.ts';
import { CurrentPassword } from './current-password.tsx';

const TITLES = { address: 'Address', labels: 'Labels', password: 'Password' } as const;

/** The settings of a watched folder that can be changed. */
export type Changeable = keyof typeof TITLES;

/** Dialog that changes the address, the labels or the password of a watched folder. */
export function ChangeDialog({
  folder,
  what,
  onClose,
}: {
  folder: WatchedFolder;
  what: Changeable;
  onClose: () => void;
}) {
  const { desktop } = useShell();
  const [domain, setDomain] = useState(folder.domain);
  const [labels, setLabels] = useState(folder.labels);
  const [password, setPassword] = useState<string>();
  const [problem, setProblem] = useState<Problem | null>(null);
  const [isBusy, setBusy] = useState(false);
  const [showsCurrent, setShowsCurrent] = useState(what === 'password' && folder.password);
  const error = domainError(domain);
  const isReady = {
    address: error === null,
    labels: true,
    password: password !== undefined && passwordError(password) === null,
  }[what];
  const change = { address: { domain: domain.trim() }, labels: { labels }, password: { password } }[what];

  const save = async () => {
    if (!isReady) return;
    setBusy(true);
    setProblem(null);
    const wanted: CommandInput<'changeFolder'> = { id: folder.id, ...change };
    const answer = await desktop.commands.changeFolder(wanted);
    setBusy(false);
    if (answer.ok) onClose();
    else setProblem(answer.problem);
  };

  const title = `${TITLES[what]} of ${folder.name}`;
  if (showsCurrent)
    return (
      <Dialog title={title} onClose={onClose}>
        <CurrentPassword folder={folder} onChange={() => setShowsCurrent(false)} onClose={onClose} />
      </Dialog>
    );
  return (
    // The key mounts a new dialog when the user chooses to type a new password, so that its field gets the focus.
    <Dialog key="form" title={title} onClose={onClose}>
      <form
        className="dialog-body"
        onSubmit={(event) => {
          event.preventDefault();
          void save();
        }}
      >
        {what === 'address' && (
          <Field
            label="Address"
            value={domain}
            error={error}
            hint="The old address keeps showing the last published version."
            onChange={(event) => setDomain(event.target.value)}
          />
        )}
        {what === 'labels' && <LabelsField labels={labels} onChange={setLabels} onSubmit={() => void save()} />}
        {what === 'password' && (
          <PasswordField
            hint="Visitors need this password from the next version on."
            password={password}
            onPassword={setPassword}
          />
        )}
        {problem !== null && <ProblemBox problem={problem} />}
        <div className="dialog-foot">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" variant="primary" busy={isBusy} disabled={!isReady}>
            Save
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
