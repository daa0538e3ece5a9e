import { FolderOpen, Hammer, RefreshCw } from 'lucide-react';
import { Button } from '../../components/button.tsx';
import type { Publishing, PublishingActions, Question } from '../../publishing.ts';
import { useBusy } from '../../state/requests.ts';
import { questionText } from '../../text/files.ts';

/** The heading of a question that is not about a wrong folder. */
const HEADINGS: Partial<Record<Question['about'], string>> = { pasted: 'Publish this?', update: 'Update the site?' };

/** Returns the question of a card in a few words. */
export function questionHeading({ about, build }: Question): string {
  return build ? 'Build it first?' : (HEADINGS[about] ?? 'Is this the right folder?');
}

interface QuestionProps {
  publishing: Publishing;
  actions: PublishingActions;
  question: Question;
}

/** Explains a question, with a button for each answer. */
export function QuestionBody({ publishing: { id, name }, actions, question }: QuestionProps) {
  const { isBusy, run } = useBusy();
  const { about, suggestions, build } = question;
  const answer = (instead: string | null) => run(actions.answer(id, instead));
  const dismiss = () => actions.dismiss(id);
  const isPasted = about === 'pasted';
  if (about === 'update') return <UpdateQuestion id={id} actions={actions} question={question} />;
  return (
    <div className="card-body">
      <p>{questionText(question)}</p>
      <div className="suggestion">
        {build && actions.build && (
          <Button
            label="Build and publish"
            small
            variant="primary"
            icon={Hammer}
            title={build.command}
            disabled={isBusy}
            onClick={() => run(actions.build!(id))}
          />
        )}
        {suggestions.map((suggestion, index) => (
          <Button
            key={suggestion.grant}
            label={`Publish ${suggestion.name}`}
            small
            variant={index === 0 && !build ? 'primary' : 'plain'}
            icon={FolderOpen}
            disabled={isBusy}
            onClick={() => answer(suggestion.grant)}
          />
        ))}
        <Button
          label={isPasted ? 'Publish' : 'Publish anyway'}
          small
          variant={isPasted ? 'primary' : about === 'personal' ? 'danger' : 'plain'}
          disabled={isBusy}
          onClick={() => answer(null)}
          aria-label={isPasted ? `Publish ${name}` : `Publish ${name} anyway`}
        />
        <Button label="Don’t publish" small variant="quiet" onClick={dismiss} />
      </div>
    </div>
  );
}

function UpdateQuestion({ id, actions, question }: { id: string; actions: PublishingActions; question: Question }) {
  const { isBusy, run } = useBusy();
  const answer = (update: boolean) => run(actions.update?.(id, update));
  return (
    <div className="card-body">
      <p>{questionText(question)}</p>
      <div className="suggestion">
        <Button
          label={`Update ${question.site}`}
          small
          variant="primary"
          icon={RefreshCw}
          disabled={isBusy}
          onClick={() => answer(true)}
        />
        <Button label="New link" small disabled={isBusy} onClick={() => answer(false)} />
        <Button label="Don’t publish" small variant="quiet" onClick={() => actions.dismiss(id)} />
      </div>
    </div>
  );
}
