import { FolderOpen } from 'lucide-react';
import { useState } from 'react';
import type { Publishing, Question } from '../../../shared/publishing.ts';
import { Button } from '../../components/button.tsx';
import { useShell } from '../../state/shell.ts';
import { questionText } from '../../text/question.ts';

/** Asks for confirmation before publishing something that is probably not intended. */
export function QuestionBody({ publishing: { id, name }, question }: { publishing: Publishing; question: Question }) {
  const { desktop, ask } = useShell();
  const [isBusy, setBusy] = useState(false);
  const { about, suggestions } = question;
  const [, text] = questionText(question);
  const answer = async (instead: string | null) => {
    setBusy(true);
    await ask(desktop.commands.answerPublishing({ id, instead }));
    setBusy(false);
  };
  const isPasted = about === 'pasted';
  return (
    <div className="card-body">
      <p>{text}</p>
      <div className="suggestion">
        {suggestions.map((suggestion, index) => (
          <Button
            key={suggestion.grant}
            small
            variant={index === 0 ? 'primary' : 'plain'}
            icon={FolderOpen}
            disabled={isBusy}
            onClick={() => void answer(suggestion.grant)}
          >
            {`Publish ${suggestion.name}`}
          </Button>
        ))}
        <Button
          small
          variant={isPasted ? 'primary' : about === 'personal' ? 'danger' : 'plain'}
          disabled={isBusy}
          onClick={() => void answer(null)}
          aria-label={isPasted ? `Publish ${name}` : `Publish ${name} anyway`}
        >
          {isPasted ? 'Publish' : 'Publish anyway'}
        </Button>
        <Button small variant="quiet" onClick={() => void ask(desktop.commands.dismissPublishing({ id }))}>
          Don’t publish
        </Button>
      </div>
    </div>
  );
}
