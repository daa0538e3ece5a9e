import { Lock } from 'lucide-react';
import { useState } from 'react';
import type { FolderState, WatchedFolder } from '../../../shared/folder.ts';
import { Button } from '../../components/button.tsx';
import { Confirm, Dialog } from '../../components/dialog.tsx';
import { Field, LabelsField, PasswordField } from '../../components/field.tsx';
import { DialogForm } from '../../components/form.tsx';
import { ProblemBox } from '../../components/status.tsx';
import { useSubmit } from '../../state/requests.ts';
import { useShell } from '../../state/shell.ts';
import { domainError, passwordError } from '../../text/validate.ts';

const TITLES = { address: 'Address', labels: 'Labels', password: 'Password' } as const;

/** The settings of a watched folder that can be changed. */
export type Changeable = keyof typeof TITLES;

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
  const { commands } = useShell();
  const [domain, setDomain] = useState(folder.domain);
  const [labels, setLabels] = useState(folder.labels);
  const [password, setPassword] = useState<string>();
  const request = useSubmit();
  const error = domainError(domain);
  const isReady = {
    address: error === null,
    labels: true,
    password: password !== undefined && passwordError(password) === null,
  }[what];
  const change = { address: { domain: domain.trim() }, labels: { labels }, password: { password } }[what];

  const save = async () => {
    if (await request.submit(commands.changeFolder({ id: folder.id, ...change }))) onClose();
  };

  return (
    <DialogForm label="Save" isReady={isReady} request={request} onSubmit={save} onCancel={onClose}>
      {what === 'address' && (
        <Field
          label="Address"
          value={domain}
          error={error}
          hint="The old address keeps showing the last published version."
          onChange={(event) => setDomain(event.target.value)}
        />
      )}
      {what === 'labels' && <LabelsField labels={labels} onChange={setLabels} onSubmit={save} />}
      {what === 'password' && (
        <PasswordField
          hint="Visitors need this password from the next version on."
          password={password}
          onPassword={setPassword}
        />
      )}
    </DialogForm>
  );
}

interface CurrentPasswordProps {
  folder: WatchedFolder;
  /** Called to change the password. */
  onChange: () => void;
  onClose: () => void;
}

/** Shows that a watched folder has a password, and offers to change or remove it. */
function CurrentPassword({ folder: { id, state }, onChange, onClose }: CurrentPasswordProps) {
  const { commands } = useShell();
  const [isConfirming, setConfirming] = useState(false);
  const request = useSubmit();
  return (
    <div className="dialog-body">
      <p className="current-password">
        <Lock size={15} aria-hidden /> Password-protected
      </p>
      <ProblemBox problem={request.problem} />
      {isConfirming ? (
        <Confirm
          question={`Remove the password? ${removalText(state)} Earlier versions keep theirs.`}
          yes="Remove password"
          onNo={() => setConfirming(false)}
          onYes={async () => {
            if (await request.submit(commands.changeFolder({ id, password: null }))) onClose();
          }}
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
