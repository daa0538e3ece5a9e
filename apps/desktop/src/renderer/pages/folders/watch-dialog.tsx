import { CircleCheck, FolderSync, LoaderCircle } from 'lucide-react';
import { useState } from 'react';
import type { CommandInput } from '../../../shared/contract.ts';
import type { FolderQuestion } from '../../../shared/publishing.ts';
import { Button } from '../../components/button.tsx';
import { Confirm } from '../../components/confirm.tsx';
import { Dialog, FormButtons } from '../../components/dialog.tsx';
import { Empty } from '../../components/empty.tsx';
import { Field } from '../../components/field.tsx';
import { PasswordField } from '../../components/password-field.tsx';
import { LabelsField } from '../../components/labels-field.tsx';
import { ProblemBox } from '../../components/problem.tsx';
import { useAccount } from '../../state/account.ts';
import { useShell, type WatchSource } from '../../state/shell.ts';
import { useSubmit } from '../../state/use-submit.ts';
import { domainError, optionsError } from '../../text/validate.ts';
import { FolderQuestionBody } from './folder-question.tsx';
import { useFolderCheck } from './use-folder-check.ts';
import { type ChosenName, useName } from './use-name.ts';

/** Dialog that asks whether a folder is the right one to watch, and at which address to publish it. */
export function WatchDialog({ source, onClose }: { source: WatchSource; onClose: () => void }) {
  const { hasKey } = useAccount();
  const { navigate } = useShell();
  const signIn = () => {
    onClose();
    navigate({ page: 'settings' });
  };
  if (hasKey) return <CheckedDialog given={source} onClose={onClose} />;
  return (
    <Dialog title={`Watch ${source.name}`} onClose={onClose}>
      <Empty
        icon={FolderSync}
        title="Watching needs an account"
        text="A watched folder has a permanent address, which belongs to an account."
      >
        <Button variant="primary" onClick={signIn}>
          Sign in
        </Button>
      </Empty>
    </Dialog>
  );
}

function CheckedDialog({ given, onClose }: { given: WatchSource; onClose: () => void }) {
  const check = useFolderCheck(given);
  const { source, question, problem, isChecking } = check;
  const body = () => {
    if (problem !== null)
      return (
        <div className="dialog-body">
          <ProblemBox problem={problem}>
            <Button small busy={isChecking} onClick={check.retry}>
              Try again
            </Button>
          </ProblemBox>
        </div>
      );
    if (isChecking) return <p className="dialog-body soft">Checking the folder…</p>;
    if (question !== null)
      return (
        <FolderQuestionBody
          question={question}
          anyway="Watch anyway"
          onSuggestion={check.choose}
          onAnyway={check.confirm}
          onCancel={onClose}
        />
      );
    return <WatchForm source={source} sure={check.sure} onAsked={check.ask} onClose={onClose} />;
  };
  return (
    <Dialog title={`Watch ${source.name}`} onClose={onClose}>
      {body()}
    </Dialog>
  );
}

interface WatchFormProps {
  source: WatchSource;
  sure: string | undefined;
  onAsked: (question: FolderQuestion) => void;
  onClose: () => void;
}

function WatchForm({ source, sure, onAsked, onClose }: WatchFormProps) {
  const chosen = useName(source);
  const [labels, setLabels] = useState<string[]>(source.options?.labels ?? []);
  const [password, setPassword] = useState(source.options?.password);
  const [isConfirming, setConfirming] = useState(false);
  const { save, isBusy, problem } = useWatch({ source, sure, onAsked, onClose });
  const error = nameError(chosen);
  const isReady = error === null && chosen.name.trim() !== '' && optionsError({ password }) === null;
  const hadPassword = source.hasPassword === true || source.options?.password !== undefined;
  const values = { domain: chosen.name.trim(), labels };

  return (
    <form
      className="dialog-body"
      onSubmit={(event) => {
        event.preventDefault();
        if (!isReady || isConfirming) return;
        if (password === undefined && hadPassword) setConfirming(true);
        else void save({ ...values, password });
      }}
    >
      <p className="soft">Published now and whenever the folder changes, always at this address.</p>
      <Field
        label="Address"
        value={chosen.name}
        autoFocus
        onChange={(event) => chosen.setName(event.target.value)}
        error={error}
        hint={nameHint(chosen)}
        end={<NameMark chosen={chosen} />}
      />
      <PasswordField
        password={password}
        onPassword={setPassword}
        hint={source.hasPassword ? PASSWORD_HINT : undefined}
      />
      <LabelsField labels={labels} onChange={setLabels} />
      {problem !== null && <ProblemBox problem={problem} />}
      {isConfirming ? (
        <Confirm
          question="Watch without a password? Everyone with the link can see the site."
          yes="Watch without a password"
          onNo={() => setConfirming(false)}
          onYes={async () => {
            await save({ ...values, password: null });
            setConfirming(false);
          }}
        />
      ) : (
        <FormButtons label="Watch and publish" isBusy={isBusy} isReady={isReady} onCancel={onClose} />
      )}
    </form>
  );
}

const PASSWORD_HINT = 'The site you published has a password. Enter one for this address.';

/** Sends the form. Then closes the dialog and shows the folder, or passes on the question that the app asks. */
function useWatch({ source, sure, onAsked, onClose }: WatchFormProps) {
  const { desktop, navigate } = useShell();
  const { submit, isBusy, problem } = useSubmit();
  const save = async (values: Pick<CommandInput<'watch'>, 'domain' | 'labels' | 'password'>) => {
    const input = { of: source.of, ...values };
    const watched = await submit(desktop.commands.watch(sure === undefined ? input : { ...input, sure }));
    if (watched === null) return;
    if (watched.value.is === 'asking') return onAsked(watched.value.question);
    onClose();
    navigate({ page: 'folders', id: watched.value.id });
  };
  return { save, isBusy, problem };
}

function nameError({ name, validation }: ChosenName): string | null {
  const error = name.trim() === '' ? null : domainError(name);
  if (error !== null) return error;
  return validation === null || (validation.valid && validation.available)
    ? null
    : (validation.reason ?? 'This name is taken.');
}

function nameHint({ isChecking, validation, problem }: ChosenName): string {
  if (isChecking) return 'Checking availability…';
  if (problem !== null) return `Availability could not be checked. ${problem.message}`;
  return validation?.available
    ? `${validation.normalized ?? 'This name'} is available.`
    : 'A platform domain or a custom domain.';
}

function NameMark({ chosen: { isChecking, validation } }: { chosen: ChosenName }) {
  if (isChecking) return <LoaderCircle size={15} className="turning soft" aria-hidden />;
  return validation?.valid && validation.available ? <CircleCheck size={15} className="mark-good" aria-hidden /> : null;
}
