import { FolderOpen, Hammer } from 'lucide-react';
import { useId, useState } from 'react';
import type { FolderQuestion, GivenItem } from '../../../shared/publishing.ts';
import { Button } from '@berth/ui/components/button';
import { Dialog, useFirstFocus } from '@berth/ui/components/dialog';
import { useBusy } from '@berth/ui/state/requests';
import { useShell } from '../../state/shell.ts';
import { questionText } from '@berth/ui/text/files';

interface FolderQuestionProps {
  question: FolderQuestion;
  /** The label of the button that uses the folder despite the question. */
  anyway: string;
  /** Builds the project after each change; absent if the folder cannot be built. */
  onBuild?: ((command: string) => void) | undefined;
  isBusy?: boolean;
  onSuggestion: (suggestion: FolderQuestion['suggestions'][number]) => void;
  onAnyway: () => void;
  onCancel: () => void;
}

/** Asks whether the user chose the intended folder, before the app publishes it. The safest answer has the focus. */
export function FolderQuestionBody(props: FolderQuestionProps) {
  const { question, anyway, onBuild, isBusy = false, onSuggestion, onAnyway, onCancel } = props;
  const id = useId();
  const safestAnswerRef = useFirstFocus();
  const { suggestions, build } = question;
  const canBuild = build !== null && build.advice === null && onBuild !== undefined;
  const anywayVariant = question.about === 'personal' ? 'danger' : 'plain';
  return (
    <div className="dialog-body" role="group" aria-labelledby={id}>
      <p id={id}>{questionText(question)}</p>
      {(canBuild || suggestions.length > 0) && (
        <div className="folder-suggestions">
          {canBuild && (
            <Button
              label="Build after each change"
              icon={Hammer}
              variant="primary"
              ref={safestAnswerRef}
              disabled={isBusy}
              onClick={() => onBuild(build.command)}
            />
          )}
          {suggestions.map((suggestion, index) => (
            <Button
              key={suggestion.grant}
              label={suggestion.name}
              icon={FolderOpen}
              variant={index === 0 && !canBuild ? 'primary' : 'plain'}
              ref={index === 0 && !canBuild ? safestAnswerRef : null}
              disabled={isBusy}
              onClick={() => onSuggestion(suggestion)}
            />
          ))}
        </div>
      )}
      <div className="dialog-foot">
        <Button
          label="Cancel"
          ref={suggestions.length === 0 && !canBuild ? safestAnswerRef : null}
          onClick={onCancel}
        />
        <Button label={anyway} variant={anywayVariant} disabled={isBusy} onClick={onAnyway} />
      </div>
    </div>
  );
}

type FolderCandidate = Pick<GivenItem, 'grant' | 'name'>;

/** Changes the location of a watched folder. @returns A function that starts the change, its state, and the dialog of a question. */
export function useLocate(id: string) {
  const { commands, ask } = useShell();
  const { isBusy, run } = useBusy();
  const [asked, setAsked] = useState<{ candidate: FolderCandidate; question: FolderQuestion } | null>(null);

  const tryFolder = async (candidate: FolderCandidate, sure?: string) => {
    const locateAnswer = await run(ask(commands.locateFolder({ id, grant: candidate.grant, ...(sure && { sure }) })));
    setAsked(locateAnswer?.value.is === 'asking' ? { candidate, question: locateAnswer.value.question } : null);
  };
  const locateFolder = async () => {
    const pickedFolder = await ask(commands.pickFolder({ reason: 'locate' }));
    if (pickedFolder?.value) await tryFolder(pickedFolder.value);
  };
  const dialog = asked && (
    <Dialog title={`Use ${asked.candidate.name}?`} onClose={() => setAsked(null)}>
      <FolderQuestionBody
        // With a new key for each folder, React mounts the question again, and its safest answer gets the focus.
        key={asked.candidate.grant}
        question={asked.question}
        anyway="Use it anyway"
        isBusy={isBusy}
        onSuggestion={({ grant, name }) => void tryFolder({ grant, name: `${asked.candidate.name}/${name}` })}
        onAnyway={() => void tryFolder(asked.candidate, asked.question.anyway)}
        onCancel={() => setAsked(null)}
      />
    </Dialog>
  );
  return { locate: locateFolder, isBusy, dialog };
}
