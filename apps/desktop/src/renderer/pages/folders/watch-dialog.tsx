import { CircleCheck, FolderSync, LoaderCircle } from 'lucide-react';
import { useState } from 'react';
import type { Problem } from '../../../shared/problem.ts';
import { Button } from '../../components/button.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { Empty } from '../../components/empty.tsx';
import { Field } from '../../components/field.tsx';
import { PasswordField } from '../../components/password-field.tsx';
import { LabelsField } from '../../components/labels-field.tsx';
import { Trouble } from '../../components/trouble.tsx';
import { useAccount } from '../../state/account.ts';
import { useShell, type WatchSource } from '../../state/shell.ts';
import { domainFault, optionsFault } from '../../words/validate.ts';
import { type ChosenName, useName } from './use-name.ts';

/** Asks under which address a folder is to be watched. */
export function WatchDialog({ source, onClose }: { source: WatchSource; onClose: () => void }) {
  const { hasKey } = useAccount();
  const { go } = useShell();
  return (
    <Dialog title={`Watch ${source.name}`} onClose={onClose}>
      {hasKey ? (
        <WatchForm source={source} onClose={onClose} />
      ) : (
        <Empty
          icon={FolderSync}
          title="Watching needs an account"
          text="A watched folder keeps one address for good, and an address belongs to an account."
        >
          <Button
            variant="primary"
            onClick={() => {
              onClose();
              go({ page: 'settings' });
            }}
          >
            Sign in
          </Button>
        </Empty>
      )}
    </Dialog>
  );
}

function WatchForm({ source, onClose }: { source: WatchSource; onClose: () => void }) {
  const { desktop, go } = useShell();
  const chosen = useName(source);
  const [labels, setLabels] = useState<string[]>([]);
  const [password, setPassword] = useState<string>();
  const [problem, setProblem] = useState<Problem | null>(null);
  const [isBusy, setBusy] = useState(false);
  const fault = nameFault(chosen);
  const isReady = fault === null && chosen.name.trim() !== '' && optionsFault({ password }) === null;

  const save = async () => {
    if (!isReady) return;
    setBusy(true);
    setProblem(null);
    const answer = await desktop.commands.watch({ of: source.of, domain: chosen.name.trim(), labels, password });
    setBusy(false);
    if (!answer.ok) return setProblem(answer.problem);
    onClose();
    go({ page: 'folders', id: answer.value.id });
  };

  return (
    <form
      className="dialog-body"
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      <p className="soft">It is published at once, and again whenever it changes, always at this address.</p>
      <Field
        label="Address"
        value={chosen.name}
        onChange={(event) => chosen.setName(event.target.value)}
        fault={fault}
        hint={nameHint(chosen)}
        end={<NameMark chosen={chosen} />}
      />
      <PasswordField password={password} onPassword={setPassword} />
      <LabelsField labels={labels} onChange={setLabels} />
      {problem !== null && <Trouble problem={problem} />}
      <div className="dialog-foot">
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" variant="primary" busy={isBusy} disabled={!isReady}>
          Watch and publish
        </Button>
      </div>
    </form>
  );
}

function nameFault({ name, validation }: ChosenName): string | null {
  const wrong = name.trim() === '' ? null : domainFault(name);
  if (wrong !== null) return wrong;
  return validation === null || (validation.valid && validation.available)
    ? null
    : (validation.reason ?? 'This name is taken.');
}

function nameHint({ isAsking, validation, problem }: ChosenName): string {
  if (isAsking) return 'Asking whether it is free…';
  if (problem !== null) return `Whether it is free could not be asked. ${problem.message}`;
  return validation?.available
    ? `${validation.normalized ?? 'This name'} is free.`
    : 'A name of the platform, or a domain of your own.';
}

function NameMark({ chosen: { isAsking, validation } }: { chosen: ChosenName }) {
  if (isAsking) return <LoaderCircle size={15} className="turning soft" aria-hidden />;
  return validation?.valid && validation.available ? <CircleCheck size={15} className="mark-good" aria-hidden /> : null;
}
