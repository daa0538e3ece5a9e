import { CircleCheck, FolderSync, LoaderCircle } from 'lucide-react';
import { useEffect, useState } from 'react';
import type { CommandInput, CommandOutput } from '../../../shared/contract.ts';
import type { Problem } from '../../../shared/problem.ts';
import type { FolderQuestion } from '../../../shared/publishing.ts';
import { Button } from '@berth/ui/components/button';
import { Confirm, Dialog } from '@berth/ui/components/dialog';
import { Field, LabelsField, PasswordField } from '@berth/ui/components/field';
import { DialogForm } from '@berth/ui/components/form';
import { Empty } from '@berth/ui/components/page';
import { ProblemBox } from '@berth/ui/components/status';
import { useAccount } from '@berth/ui/state/account';
import { useAnswer, useSubmit } from '@berth/ui/state/requests';
import { useShell, type WatchSource } from '../../state/shell.ts';
import { domainError, optionsError } from '@berth/ui/text/validate';
import { FolderQuestionBody } from './folder-question.tsx';

interface WatchProps {
  source: WatchSource;
  onClose: () => void;
}

export function WatchDialog({ source: given, onClose }: WatchProps) {
  const { hasAccess } = useAccount();
  const { navigate } = useShell();
  // The user may choose a suggested folder instead of the given folder.
  const [source, setSource] = useState(given);
  const signIn = () => {
    onClose();
    navigate({ page: 'settings' });
  };
  return (
    <Dialog title={`Watch ${source.name}`} onClose={onClose}>
      {hasAccess ? (
        <CheckedFolder key={source.name} source={source} onSource={setSource} onClose={onClose} />
      ) : (
        <Empty
          icon={FolderSync}
          title="Watching needs an account"
          text="A watched folder has a permanent address, which belongs to an account."
        >
          <Button label="Sign in" variant="primary" onClick={signIn} />
        </Empty>
      )}
    </Dialog>
  );
}

/** Asks the app to check a folder, then shows the app's question about the folder, or the form if there is no question. */
function CheckedFolder({ source, onSource, onClose }: WatchProps & { onSource: (source: WatchSource) => void }) {
  const { commands } = useShell();
  const { value, problem, read } = useAnswer(() => commands.checkFolder({ of: source.of }), [commands, source]);
  // The app asks again if the folder has changed since the check. `null`: the user has confirmed the folder.
  const [laterQuestion, setLaterQuestion] = useState<FolderQuestion | null>();
  const [approval, setApproval] = useState<Approval>({});
  const question = laterQuestion === undefined ? value?.question : laterQuestion;

  const approve = (approval: Approval) => {
    setApproval(approval);
    setLaterQuestion(null);
  };

  if (problem !== null)
    return (
      <div className="dialog-body">
        <ProblemBox problem={problem} onRetry={read} />
      </div>
    );
  if (question === undefined) return <p className="dialog-body soft">Checking the folder…</p>;
  if (question === null)
    return <WatchForm source={source} approval={approval} onAsked={setLaterQuestion} onClose={onClose} />;
  return (
    <FolderQuestionBody
      question={question}
      anyway="Watch anyway"
      onSuggestion={({ grant, name }) => onSource({ ...source, name: `${source.name}/${name}`, of: { grant } })}
      onBuild={(build) => approve({ sure: question.anyway, build })}
      onAnyway={() => approve({ sure: question.anyway })}
      onCancel={onClose}
    />
  );
}

/** The confirmation that the app accepts instead of asking its question again, and the build command that the user has approved. */
type Approval = Pick<CommandInput<'watch'>, 'sure' | 'build'>;

interface WatchFormProps extends WatchProps {
  approval: Approval;
  onAsked: (question: FolderQuestion) => void;
}

function WatchForm({ source, approval, onAsked, onClose }: WatchFormProps) {
  const { commands, navigate } = useShell();
  const { name, isReady, field } = useName(source);
  const [labels, setLabels] = useState<string[]>(source.options?.labels ?? []);
  const [password, setPassword] = useState(source.options?.password);
  const [isConfirming, setConfirming] = useState(false);
  const request = useSubmit();
  const hadPassword = source.hasPassword === true || source.options?.password !== undefined;

  const saveWatch = async (password: CommandInput<'watch'>['password']) => {
    const watched = await request.submit(
      commands.watch({ of: source.of, domain: name, labels, password, ...approval }),
    );
    if (watched === null) return;
    if (watched.value.is === 'asking') return onAsked(watched.value.question);
    onClose();
    navigate({ page: 'folders', id: watched.value.id });
  };

  return (
    <DialogForm
      label="Watch and publish"
      isReady={isReady && optionsError({ password }) === null}
      request={request}
      onSubmit={() => {
        if (isConfirming) return;
        if (password === undefined && hadPassword) setConfirming(true);
        else void saveWatch(password);
      }}
      onCancel={onClose}
      question={
        isConfirming && (
          <Confirm
            question="Watch without a password? Everyone with the link can see the site."
            action="Watch without a password"
            onCancel={() => setConfirming(false)}
            onConfirm={async () => {
              await saveWatch(null);
              setConfirming(false);
            }}
          />
        )
      }
    >
      <p className="soft">Published now and whenever the folder changes, always at this address.</p>
      {field}
      <PasswordField
        password={password}
        onPassword={setPassword}
        hint={source.hasPassword ? 'The published site has a password. Enter a password for this address.' : undefined}
      />
      <LabelsField labels={labels} onChange={setLabels} />
    </DialogForm>
  );
}

const CHECK_DELAY_MS = 300;
const CHECKING_MARK = <LoaderCircle size={15} className="turning soft" aria-hidden />;

interface NameCheck {
  name: string;
  validation: CommandOutput<'suggestName'>['validation'];
  problem: Problem | null;
}

/**
 * Lets the user choose the address of a folder to watch. The field starts with the domain for the next drop, or else with a suggestion
 * of the server. While the user types, the server checks whether the name is available.
 *
 * @returns The name, whether the name can be used, and the field.
 */
function useName({ of, options }: WatchSource) {
  const { commands } = useShell();
  const [typed, setTyped] = useState<string | null>(options?.domain ?? null);
  const [latestCheck, setLatestCheck] = useState<NameCheck | null>(null);
  const name = typed ?? latestCheck?.name ?? '';
  const trimmedName = name.trim();

  useEffect(() => {
    let isStale = false;
    const suggestName = async () => {
      const wantedName = typed?.trim();
      const answer = await commands.suggestName({ of, ...(wantedName === undefined ? {} : { name: wantedName }) });
      if (isStale) return;
      setLatestCheck(
        answer.ok
          ? { name: wantedName ?? answer.value.name, validation: answer.value.validation, problem: null }
          : { name: wantedName ?? '', validation: null, problem: answer.problem },
      );
    };
    if (typed?.trim() === '') return;
    const timer = setTimeout(() => void suggestName(), typed === null ? 0 : CHECK_DELAY_MS);
    return () => {
      isStale = true;
      clearTimeout(timer);
    };
    // The effect does not depend on the folder, because the folder never changes while the dialog is open.
  }, [typed, commands]);

  const currentCheck = latestCheck?.name === trimmedName ? latestCheck : null;
  const isChecking = currentCheck === null && trimmedName !== '';
  const error = errorOf(trimmedName, currentCheck);
  const field = (
    <Field
      label="Address"
      value={name}
      autoFocus
      onText={setTyped}
      error={error}
      hint={isChecking ? 'Checking availability…' : hintOf(currentCheck)}
      trailing={isChecking ? CHECKING_MARK : <AvailabilityMark checked={currentCheck} />}
    />
  );
  return { name: trimmedName, isReady: error === null && trimmedName !== '', field };
}

function errorOf(name: string, checked: NameCheck | null): string | null {
  const error = name === '' ? null : domainError(name);
  if (error !== null || !checked?.validation) return error;
  const { valid, available, reason } = checked.validation;
  return valid && available ? null : (reason ?? 'This name is taken.');
}

function hintOf(checked: NameCheck | null): string {
  if (checked?.problem) return `Availability could not be checked. ${checked.problem.message}`;
  if (!checked?.validation?.available) return 'A platform domain or a custom domain.';
  return `${checked.validation.normalized ?? 'This name'} is available.`;
}

function AvailabilityMark({ checked }: { checked: NameCheck | null }) {
  const isAvailable = checked?.validation?.valid && checked.validation.available;
  return isAvailable ? <CircleCheck size={15} className="mark-good" aria-hidden /> : null;
}
