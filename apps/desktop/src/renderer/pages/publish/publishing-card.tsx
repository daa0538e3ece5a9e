import {
  CircleAlert,
  CircleCheck,
  CircleHelp,
  CircleOff,
  Clock,
  File as FileIcon,
  Folder,
  FolderOpen,
  Hourglass,
  type LucideIcon,
  X,
} from 'lucide-react';
import { memo } from 'react';
import type { Progress } from '../../../shared/progress.ts';
import type { Publishing, PublishingState, Question } from '../../../shared/publishing.ts';
import { Button, IconButton } from '../../components/button.tsx';
import { Card } from '../../components/card.tsx';
import { ProgressBar } from '../../components/meter.tsx';
import { Moment, ProblemText, SkippedFiles } from '../../components/status.tsx';
import { useNow } from '../../state/clock.ts';
import { useBusy } from '../../state/requests.ts';
import { useShell } from '../../state/shell.ts';
import { questionText } from '../../text/folder.ts';
import { progressText } from '../../text/progress.ts';
import { isExpired, PublishedBody } from './published-body.tsx';

/** The icon, its tone and the heading of each state. A drop that is being published shows what it is and only its progress. */
const LOOKS: Record<
  PublishingState['is'] | 'expired',
  [icon: LucideIcon | null, tone: string, heading: string | null]
> = {
  asking: [CircleHelp, 'is-warn', 'Is this the right folder?'],
  queued: [Clock, '', 'Queued'],
  working: [null, 'is-busy', null],
  published: [CircleCheck, 'is-good', 'Published'],
  expired: [Hourglass, '', 'Expired'],
  failed: [CircleAlert, 'is-bad', 'Not published'],
  cancelled: [CircleOff, '', 'Cancelled'],
};

/** Card of one drop, from the drop until its link is ready. */
export const PublishingCard = memo(function PublishingCard({ publishing }: { publishing: Publishing }) {
  const { commands, ask } = useShell();
  const now = useNow();
  const { id, name, kind, begun, state } = publishing;
  const isGone = state.is === 'published' && isExpired(state.published, now);
  const [icon, tone, heading] = LOOKS[isGone ? 'expired' : state.is];
  const isPasted = state.is === 'asking' && state.question.about === 'pasted';
  const isUnderWay = state.is === 'working' || state.is === 'queued';
  return (
    <Card
      id={id}
      name={name}
      icon={icon ?? (kind === 'folder' ? Folder : FileIcon)}
      tone={tone}
      title={
        <>
          <p className="meta">
            <span className="card-name clip">{name}</span>
            {heading !== null && <span className="soft">{isPasted ? 'Publish this?' : heading}</span>}
            {!isUnderWay && <Moment at={begun} className="soft" />}
          </p>
          <Body publishing={publishing} />
        </>
      }
      tools={
        isUnderWay ? (
          <Button small onClick={() => void ask(commands.cancelPublishing({ id }))} aria-label={`Cancel ${name}`}>
            Cancel
          </Button>
        ) : state.is === 'failed' ? null : (
          <IconButton icon={X} label={`Dismiss ${name}`} onClick={() => void ask(commands.dismissPublishing({ id }))} />
        )
      }
    />
  );
});

function Body({ publishing }: { publishing: Publishing }) {
  const { commands, ask } = useShell();
  const { id, name, state, leftOut } = publishing;
  const retry = () => void ask(commands.retryPublishing({ id }));
  switch (state.is) {
    case 'asking':
      return <QuestionBody publishing={publishing} question={state.question} />;
    case 'queued':
      return <p className="soft">Starts when the uploads before it finish.</p>;
    case 'working':
      return <Work progress={state.progress} name={name} />;
    case 'published':
      return <PublishedBody publishing={publishing} published={state.published} />;
    case 'failed':
      return (
        <div className="card-body">
          <ProblemText problem={state.problem} />
          <SkippedFiles leftOut={leftOut} />
          <div className="card-actions">
            <Button small variant="primary" onClick={retry}>
              Try again
            </Button>
            <Button small aria-label={`Dismiss ${name}`} onClick={() => void ask(commands.dismissPublishing({ id }))}>
              Dismiss
            </Button>
          </div>
        </div>
      );
    case 'cancelled':
      return (
        <div className="card-body">
          <p className="soft">Nothing was published.</p>
          <div className="card-actions">
            <Button small onClick={retry}>
              Publish
            </Button>
          </div>
        </div>
      );
  }
}

/** Progress of a publish: the current step, the numbers, and a bar. */
function Work({ progress, name }: { progress: Progress; name: string }) {
  const now = useNow(1_000);
  const { doing, detail, part } = progressText(progress, now);
  return (
    <div className="work">
      <p className="work-text">
        <span>{doing}…</span>
        <span className="soft">{detail}</span>
      </p>
      <ProgressBar part={part} label={`${name}: ${doing}`} />
    </div>
  );
}

/** Asks for confirmation before publishing something that is probably not intended. */
function QuestionBody({ publishing: { id, name }, question }: { publishing: Publishing; question: Question }) {
  const { commands, ask } = useShell();
  const { isBusy, run } = useBusy();
  const { about, suggestions } = question;
  const answer = (instead: string | null) => run(ask(commands.answerPublishing({ id, instead })));
  const isPasted = about === 'pasted';
  return (
    <div className="card-body">
      <p>{questionText(question)}</p>
      <div className="suggestion">
        {suggestions.map((suggestion, index) => (
          <Button
            key={suggestion.grant}
            small
            variant={index === 0 ? 'primary' : 'plain'}
            icon={FolderOpen}
            disabled={isBusy}
            onClick={() => answer(suggestion.grant)}
          >
            {`Publish ${suggestion.name}`}
          </Button>
        ))}
        <Button
          small
          variant={isPasted ? 'primary' : about === 'personal' ? 'danger' : 'plain'}
          disabled={isBusy}
          onClick={() => answer(null)}
          aria-label={isPasted ? `Publish ${name}` : `Publish ${name} anyway`}
        >
          {isPasted ? 'Publish' : 'Publish anyway'}
        </Button>
        <Button small variant="quiet" onClick={() => void ask(commands.dismissPublishing({ id }))}>
          Don’t publish
        </Button>
      </div>
    </div>
  );
}
