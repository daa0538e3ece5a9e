import { FolderOpen } from 'lucide-react';
import { useId, useState } from 'react';
import type { FolderQuestion, Given } from '../../../shared/publishing.ts';
import { Button } from '../../components/button.tsx';
import { Dialog, useFirstFocus } from '../../components/dialog.tsx';
import { useBusy } from '../../state/requests.ts';
import { useShell } from '../../state/shell.ts';
import { questionText } from '../../text/folder.ts';

interface FolderQuestionProps {
  question: FolderQuestion;
  /** Label of the button that accepts the folder as it is. */
  anyway: string;
  isBusy?: boolean;
  onSuggestion: (suggestion: FolderQuestion['suggestions'][number]) => void;
  onAnyway: () => void;
  onCancel: () => void;
}

/** Body of a dialog that asks, before a folder becomes public, whether it is the right one. The safest answer has the focus. */
export function FolderQuestionBody(props: FolderQuestionProps) {
  const { question, anyway, isBusy = false, onSuggestion, onAnyway, onCancel } = props;
  const id = useId();
  const safest = useFirstFocus();
  const { about, suggestions } = question;
  return (
    <div className="dialog-body" role="group" aria-labelledby={id}>
      <p id={id}>{questionText(question)}</p>
      {suggestions.length > 0 && (
        <div className="folder-suggestions">
          {suggestions.map((suggestion, index) => (
            <Button
              key={suggestion.grant}
              icon={FolderOpen}
              variant={index === 0 ? 'primary' : 'plain'}
              ref={index === 0 ? safest : null}
              disabled={isBusy}
              onClick={() => onSuggestion(suggestion)}
            >
              {suggestion.name}
            </Button>
          ))}
        </div>
      )}
      <div className="dialog-foot">
        <Button ref={suggestions.length === 0 ? safest : null} onClick={onCancel}>
          Cancel
        </Button>
        <Button variant={about === 'personal' ? 'danger' : 'plain'} disabled={isBusy} onClick={onAnyway}>
          {anyway}
        </Button>
      </div>
    </div>
  );
}

type Candidate = Pick<Given, 'grant' | 'name'>;

/** Points a watched folder at its new location. @returns `locate` to start, `isBusy`, and the dialog of a question, if any. */
export function useLocate(id: string) {
  const { commands, ask } = useShell();
  const { isBusy, run } = useBusy();
  const [asked, setAsked] = useState<{ candidate: Candidate; question: FolderQuestion } | null>(null);

  const take = async (candidate: Candidate, sure?: string) => {
    const located = await run(ask(commands.locateFolder({ id, grant: candidate.grant, ...(sure && { sure }) })));
    setAsked(located?.value.is === 'asking' ? { candidate, question: located.value.question } : null);
  };
  const locate = async () => {
    const picked = await ask(commands.pickFolder());
    if (picked?.value) await take(picked.value);
  };
  const dialog = asked && (
    <Dialog title={`Use ${asked.candidate.name}?`} onClose={() => setAsked(null)}>
      <FolderQuestionBody
        // A new key for each folder: the question mounts again, and its safest answer gets the focus.
        key={asked.candidate.grant}
        question={asked.question}
        anyway="Use it anyway"
        isBusy={isBusy}
        onSuggestion={({ grant, name }) => void take({ grant, name: `${asked.candidate.name}/${name}` })}
        onAnyway={() => void take(asked.candidate, asked.question.anyway)}
        onCancel={() => setAsked(null)}
      />
    </Dialog>
  );
  return { locate, isBusy, dialog };
}
