import './publishing-card.css';
import * as icons from 'lucide-react';
import { memo } from 'react';
import { Button, IconButton } from '../../components/button.tsx';
import { Card } from '../../components/card.tsx';
import { Moment, ProblemText, SkippedFiles } from '../../components/status.tsx';
import type { Progress, Publishing, PublishingActions, PublishingState } from '../../publishing.ts';
import { useNow } from '../../state/clock.ts';
import { BuildOutput } from './build-output.tsx';
import { isExpired, PublishedBody } from './published-body.tsx';
import { PausedBody, WorkProgress } from './publishing-progress.tsx';
import { QuestionBody, questionHeading } from './publishing-question.tsx';

/** The icon, its tone and the heading for each state. `null`: the icon of the dropped item, or no heading. */
const HEADINGS: Record<
  PublishingState['is'] | 'expired',
  [icon: icons.LucideIcon | null, tone: string, heading: string | null]
> = {
  asking: [icons.CircleHelp, 'is-warn', null],
  queued: [icons.Clock, '', 'Queued'],
  building: [icons.Hammer, 'is-busy', 'Building'],
  working: [null, 'is-busy', null],
  paused: [icons.CirclePause, '', 'Paused'],
  published: [icons.CircleCheck, 'is-good', 'Published'],
  expired: [icons.Hourglass, '', 'Expired'],
  failed: [icons.CircleAlert, 'is-bad', 'Not published'],
  cancelled: [icons.CircleOff, '', 'Cancelled'],
};

/** The phases in which an upload can be paused. */
const PAUSABLE: ReadonlySet<Progress['phase']> = new Set(['reading', 'sending', 'retrying']);

interface CardProps {
  publishing: Publishing;
  actions: PublishingActions;
  /** True if no later link was copied. */
  isLastCopied: boolean;
}

/** The card of a publish job, from its question until it is dismissed. */
export const PublishingCard = memo(function PublishingCard(props: CardProps) {
  const now = useNow();
  const { publishing, actions } = props;
  const { id, name, kind, begun, state } = publishing;
  const hasExpired = state.is === 'published' && isExpired(state.published, now);
  const [icon, tone, text] = HEADINGS[hasExpired ? 'expired' : state.is];
  const heading = state.is === 'asking' ? questionHeading(state.question) : text;
  const isActive = state.is === 'working' || state.is === 'building' || state.is === 'queued' || state.is === 'paused';
  const { pause } = actions;
  const canPause = pause !== null && state.is === 'working' && PAUSABLE.has(state.progress.phase);
  const cancel = () => actions.cancel(id);
  const dismiss = () => actions.dismiss(id);
  return (
    <Card
      id={id}
      name={name}
      icon={icon ?? (kind === 'folder' ? icons.Folder : icons.File)}
      tone={tone}
      title={
        <>
          <p className="meta">
            <span className="card-name clip">{name}</span>
            {heading !== null && <span className="soft">{heading}</span>}
            {!isActive && <Moment at={begun} className="soft" />}
          </p>
          <PublishingBody {...props} />
        </>
      }
      tools={
        isActive ? (
          <>
            {canPause && <IconButton icon={icons.Pause} label={`Pause ${name}`} onClick={() => pause(id)} />}
            <Button label="Cancel" small onClick={cancel} aria-label={`Cancel ${name}`} />
          </>
        ) : state.is === 'failed' ? null : (
          <IconButton icon={icons.X} label={`Dismiss ${name}`} onClick={dismiss} />
        )
      }
    >
      {state.is === 'building' && <BuildOutput build={publishing.build} isOpen />}
    </Card>
  );
});

function PublishingBody({ publishing, actions, isLastCopied }: CardProps) {
  const { id, name, state, leftOut } = publishing;
  const retry = () => actions.retry(id);
  const dismiss = () => actions.dismiss(id);
  switch (state.is) {
    case 'asking':
      return <QuestionBody publishing={publishing} actions={actions} question={state.question} />;
    case 'queued':
      return <p className="soft">Starts when the uploads before it finish.</p>;
    case 'building':
      return null;
    case 'working':
      return <WorkProgress progress={state.progress} name={name} />;
    case 'paused':
      return <PausedBody publishing={publishing} actions={actions} state={state} />;
    case 'published':
      return (
        <PublishedBody
          publishing={publishing}
          actions={actions}
          published={state.published}
          isLastCopied={isLastCopied}
        />
      );
    case 'failed':
      return (
        <div className="card-body">
          <ProblemText problem={state.problem} />
          <BuildOutput build={publishing.build} isOpen />
          <SkippedFiles leftOut={leftOut} />
          <div className="card-actions">
            <Button label="Try again" small variant="primary" onClick={retry} />
            <Button label="Dismiss" small aria-label={`Dismiss ${name}`} onClick={dismiss} />
          </div>
        </div>
      );
    case 'cancelled':
      return (
        <div className="card-body">
          <p className="soft">Nothing was published.</p>
          <div className="card-actions">
            <Button label="Publish" small onClick={retry} />
          </div>
        </div>
      );
  }
}
