import { FolderOpen } from 'lucide-react';
import { useState } from 'react';
import type { Publishing, Question } from '../../../shared/publishing.ts';
import { Button } from '../../components/button.tsx';
import { useShell } from '../../state/shell.ts';

const WORDS: Record<Question['about'], string> = {
  'no-front-page': 'There is no index.html at the top of it, so the link would show nothing.',
  project: 'It looks like the source of a site, not like what its build writes.',
  personal: 'It looks like a folder of your own things. Everything in it would be public.',
};

/** Asks before something is published that is likely not what was meant. */
export function QuestionBody({ publishing: { id, name }, question }: { publishing: Publishing; question: Question }) {
  const { desktop, ask } = useShell();
  const [isBusy, setBusy] = useState(false);
  const { suggestions } = question;
  const answer = async (instead: string | null) => {
    setBusy(true);
    await ask(desktop.commands.answerPublishing({ id, instead }));
    setBusy(false);
  };
  return (
    <div className="card-body">
      <p>
        {WORDS[question.about]}
        {suggestions.length > 0 && ' Did you mean one of these?'}
      </p>
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
        <Button small disabled={isBusy} onClick={() => void answer(null)} aria-label={`Publish ${name} all the same`}>
          Publish all the same
        </Button>
        <Button small variant="quiet" onClick={() => void ask(desktop.commands.dismissPublishing({ id }))}>
          Don’t publish
        </Button>
      </div>
    </div>
  );
}
