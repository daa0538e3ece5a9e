import { useState } from 'react';
import type { CommandInput } from '../../../shared/contract.ts';
import type { WatchedFolder } from '../../../shared/folder.ts';
import { Dialog, FormButtons } from '../../components/dialog.tsx';
import { Field } from '../../components/field.tsx';
import { LabelsField } from '../../components/labels-field.tsx';
import { PasswordField } from '../../components/password-field.tsx';
import { ProblemBox } from '../../components/problem.tsx';
import { useShell } from '../../state/shell.ts';
import { useSubmit } from '../../state/use-submit.ts';
import { domainError, passwordError } from '../../text/validate.ts';
import { CurrentPassword } from './current-password.tsx';

const TITLES = { address: 'Address', labels: 'Labels', password: 'Password' } as const;

/** The settings of a watched folder that can be changed. */
type Changeable = keyof typeof TITLES;

interface ChangeProps {
  folder: WatchedFolder;
  what: Changeable;
  onClose: () => void;
}

/** Dialog that changes the address, the labels or the password of a watched folder. */
export function ChangeDialog({ folder, what, onClose }: ChangeProps) {
  const [showsCurrent, setShowsCurrent] = useState(what === 'password' && folder.password);
  return (
    // The key mounts a new dialog when the user chooses to type a new password, so that its field gets the focus.
    <Dialog key={showsCurrent ? 'current' : 'form'} title={`${TITLES[what]} of ${folder.name}`} onClose={onClose}>
      {showsCurrent ? (
        <CurrentPassword folder={folder} onChange={() => setShowsCurrent(false)} onClose={onClose} />
      ) : (
        <ChangeForm folder={folder} what={what} onClose={onClose} />
      )}
    </Dialog>
  );
}

function ChangeForm({ folder, what, onClose }: ChangeProps) {
  const { desktop } = useShell();
  const [domain, setDomain] = useState(folder.domain);
  const [labels, setLabels] = useState(folder.labels);
  const [password, setPassword] = useState<string>();
  const { submit, isBusy, problem } = useSubmit();
  const error = domainError(domain);
  const isReady = {
    address: error === null,
    labels: true,
    password: password !== undefined && passwordError(password) === null,
  }[what];
  const change = { address: { domain: domain.trim() }, labels: { labels }, password: { password } }[what];

  const save = async () => {
    if (!isReady) return;
    const wanted: CommandInput<'changeFolder'> = { id: folder.id, ...change };
    if (await submit(desktop.commands.changeFolder(wanted))) onClose();
  };

  return (
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
      <FormButtons label="Save" isBusy={isBusy} isReady={isReady} onCancel={onClose} />
    </form>
  );
}
