import { FolderOpen } from 'lucide-react';
import { useId } from 'react';
import type { FolderQuestion } from '../../../shared/publishing.ts';
import { Button } from '../../components/button.tsx';
import { useFirstFocus } from '../../components/dialog.tsx';
import { folderQuestionText } from '../../text/question.ts';

/** Body of a dialog that asks, before a folder becomes public, whether it is the right one. The safest answer has the focus. */
export function FolderQuestionBody({
  question,
  anyway,
  isBusy = false,
  onSuggestion,
  onAnyway,
  onCancel,
}: {
  question: FolderQuestion;
  /** Label of the button that accepts the folder as it is. */
  anyway: string;
  isBusy?: boolean;
  onSuggestion: (suggestion: FolderQuestion['suggestions'][number]) => void;
  onAnyway: () => void;
  onCancel: () => void;
}) {
  const id = useId();
  const safest = useFirstFocus();
  const { about, suggestions } = question;
  return (
    <div className="dialog-body" role="group" aria-labelledby={id}>
      <p id={id}>{folderQuestionText(question)}</p>
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
