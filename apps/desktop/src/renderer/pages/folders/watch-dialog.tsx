import { FolderSync } from 'lucide-react';
import { useState } from 'react';
import type { CommandInput } from '../../../shared/contract.ts';
import type { FolderQuestion } from '../../../shared/publishing.ts';
import { Button } from '../../components/button.tsx';
import { Confirm, Dialog } from '../../components/dialog.tsx';
import { LabelsField, PasswordField } from '../../components/field.tsx';
import { DialogForm } from '../../components/form.tsx';
import { ProblemBox } from '../../components/status.tsx';
import { Empty } from '../../components/page.tsx';
import { useAccount } from '../../state/account.ts';
import { useAnswer, useSubmit } from '../../state/requests.ts';
import { useShell, type WatchSource } from '../../state/shell.ts';
import { optionsError } from '../../text/validate.ts';
import { FolderQuestionBody } from './folder-question.tsx';
import { useName } from './use-name.tsx';

interface WatchProps {
  source: WatchSource;
  onClose: () => void;
}

/** Dialog that asks whether a folder is the right one to watch, and at which address to publish it. */
export function WatchDialog({ source: given, onClose }: WatchProps) {
  const { hasKey } = useAccount();
  const { navigate } = useShell();
  // The given folder, or the suggested one that was chosen instead.
  const [source, setSource] = useState(given);
  const signIn = () => {
    onClose();
    navigate({ page: 'settings' });
  };
  return (
    <Dialog title={`Watch ${source.name}`} onClose={onClose}>
      {hasKey ? (
        <CheckedFolder key={source.name} source={source} onSource={setSource} onClose={onClose} />
      ) : (
        <Empty
          icon={FolderSync}
          title="Watching needs an account"
          text="A watched folder has a permanent address, which belongs to an account."
        >
          <Button variant="primary" onClick={signIn}>
            Sign in
          </Button>
        </Empty>
      )}
    </Dialog>
  );
}

/** Asks the app to check that a folder is likely the intended one, and shows its question or else the form. */
function CheckedFolder({ source, onSource, onClose }: WatchProps & { onSource: (source: WatchSource) => void }) {
  const { commands } = useShell();
  const { value, problem, read } = useAnswer(() => commands.checkFolder({ of: source.of }), [commands, source]);
  // A question that the app asks later, because the folder has changed since the check; `null` once the user confirmed the folder.
  const [later, setLater] = useState<FolderQuestion | null>();
  const [sure, setSure] = useState<string>();
  const question = later === undefined ? value?.question : later;

  if (problem !== null)
    return (
      <div className="dialog-body">
        <ProblemBox problem={problem} onRetry={read} />
      </div>
    );
  if (question === undefined) return <p className="dialog-body soft">Checking the folder…</p>;
  if (question === null) return <WatchForm source={source} sure={sure} onAsked={setLater} onClose={onClose} />;
  return (
    <FolderQuestionBody
      question={question}
      anyway="Watch anyway"
      onSuggestion={({ grant, name }) => onSource({ ...source, name: `${source.name}/${name}`, of: { grant } })}
      onAnyway={() => {
        setSure(question.anyway);
        setLater(null);
      }}
      onCancel={onClose}
    />
  );
}

interface WatchFormProps extends WatchProps {
  /** Confirms this folder to the app after its question was answered with “anyway”. */
  sure: string | undefined;
  onAsked: (question: FolderQuestion) => void;
}

function WatchForm({ source, sure, onAsked, onClose }: WatchFormProps) {
  const { commands, navigate } = useShell();
  const { name, isReady, field } = useName(source);
  const [labels, setLabels] = useState<string[]>(source.options?.labels ?? []);
  const [password, setPassword] = useState(source.options?.password);
  const [isConfirming, setConfirming] = useState(false);
  const request = useSubmit();
  const hadPassword = source.hasPassword === true || source.options?.password !== undefined;

  /** Sends the form. Then closes the dialog and shows the folder, or passes on the question that the app asks. */
  const save = async (password: CommandInput<'watch'>['password']) => {
    const input = { of: source.of, domain: name, labels, password };
    const watched = await request.submit(commands.watch(sure === undefined ? input : { ...input, sure }));
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
        else void save(password);
      }}
      onCancel={onClose}
      question={
        isConfirming && (
          <Confirm
            question="Watch without a password? Everyone with the link can see the site."
            yes="Watch without a password"
            onNo={() => setConfirming(false)}
            onYes={async () => {
              await save(null);
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
        hint={source.hasPassword ? 'The site you published has a password. Enter one for this address.' : undefined}
      />
      <LabelsField labels={labels} onChange={setLabels} />
    </DialogForm>
  );
}
