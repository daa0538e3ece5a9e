import { Lock } from 'lucide-react';
import { useState } from 'react';
import type { FolderState, WatchedFolder } from '../../../shared/folder.ts';
import { Button } from '@berth/ui/components/button';
import { Confirm, Dialog } from '@berth/ui/components/dialog';
import { Field, LabelsField, PasswordField } from '@berth/ui/components/field';
import { DialogForm } from '@berth/ui/components/form';
import { ProblemBox } from '@berth/ui/components/status';
import { useSubmit } from '@berth/ui/state/requests';
import { useShell } from '../../state/shell.ts';
import { domainError, passwordError } from '@berth/ui/text/validate';

const TITLES = { address: 'Address', labels: 'Labels', password: 'Password' } as const;

export type Changeable = keyof typeof TITLES;

interface ChangeProps {
  folder: WatchedFolder;
  setting: Changeable;
  onClose: () => void;
}

export function ChangeDialog({ folder, setting, onClose }: ChangeProps) {
  const [showsCurrent, setShowsCurrent] = useState(setting === 'password' && folder.password);
  return (
    // With a new key, React mounts a new dialog for the form, so that the password field gets the focus.
    <Dialog key={showsCurrent ? 'current' : 'form'} title={`${TITLES[setting]} of ${folder.name}`} onClose={onClose}>
      {showsCurrent ? (
        <CurrentPassword folder={folder} onChange={() => setShowsCurrent(false)} onClose={onClose} />
      ) : (
        <ChangeForm folder={folder} setting={setting} onClose={onClose} />
      )}
    </Dialog>
  );
}

function ChangeForm({ folder, setting, onClose }: ChangeProps) {
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
  }[setting];
  const changedField = { address: { domain: domain.trim() }, labels: { labels }, password: { password } }[setting];

  const saveChange = async () => {
    if (await request.submit(commands.changeFolder({ id: folder.id, ...changedField }))) onClose();
  };

  return (
    <DialogForm label="Save" isReady={isReady} request={request} onSubmit={saveChange} onCancel={onClose}>
      {setting === 'address' && (
        <Field
          label="Address"
          value={domain}
          error={error}
          hint="The old address keeps showing the last published version."
          onText={setDomain}
        />
      )}
      {setting === 'labels' && <LabelsField labels={labels} onChange={setLabels} onSubmit={saveChange} />}
      {setting === 'password' && (
        <PasswordField
          hint="Visitors need this password from the next version on."
          password={password}
          onPassword={setPassword}
        />
      )}
    </DialogForm>
  );
}

function CurrentPassword({
  folder: { id, state },
  onChange,
  onClose,
}: Omit<ChangeProps, 'setting'> & { onChange: () => void }) {
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
          question={`Remove the password? ${removalText(state)} Earlier versions keep their password.`}
          action="Remove password"
          onCancel={() => setConfirming(false)}
          onConfirm={async () => {
            if (await request.submit(commands.changeFolder({ id, password: null }))) onClose();
          }}
        />
      ) : (
        <div className="dialog-foot">
          <Button label="Remove" onClick={() => setConfirming(true)} />
          <Button label="Change" onClick={onChange} />
        </div>
      )}
    </div>
  );
}

function removalText({ is }: FolderState): string {
  const isRepublished = is === 'starting' || is === 'settling' || is === 'publishing' || is === 'live';
  return isRepublished
    ? 'This republishes the site without a password, so everyone with the link can see it.'
    : 'From the next version on, everyone with the link can see the site.';
}
