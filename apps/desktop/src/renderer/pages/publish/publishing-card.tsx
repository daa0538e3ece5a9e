import '../../components/card.css';
import {
  CircleAlert,
  CircleHelp,
  CircleOff,
  CircleCheck,
  Clock,
  File as FileIcon,
  Folder,
  Hourglass,
  X,
} from 'lucide-react';
import { memo } from 'react';
import type { Publishing, PublishingState } from '../../../shared/publishing.ts';
import { Button, IconButton } from '../../components/button.tsx';
import { SkippedFiles } from '../../components/skipped-files.tsx';
import { Moment } from '../../components/moment.tsx';
import { ProblemText } from '../../components/problem.tsx';
import { useNow } from '../../state/clock.ts';
import { useScrollToTarget } from '../../state/scroll-to-target.ts';
import { useShell } from '../../state/shell.ts';
import { questionText } from '../../text/question.ts';
import { PublishedBody } from './published-body.tsx';
import { QuestionBody } from './question-body.tsx';
import { Work } from './work.tsx';

const ICONS: Record<PublishingState['is'], { icon: typeof Folder | null; tone: string }> = {
  asking: { icon: CircleHelp, tone: 'is-warn' },
  queued: { icon: Clock, tone: '' },
  working: { icon: null, tone: 'is-busy' },
  published: { icon: CircleCheck, tone: 'is-good' },
  failed: { icon: CircleAlert, tone: 'is-bad' },
  cancelled: { icon: CircleOff, tone: '' },
};

const EXPIRED = { icon: Hourglass, tone: '' };

const HEADINGS: Record<Exclude<PublishingState['is'], 'working' | 'asking'>, string> = {
  queued: 'Queued',
  published: 'Published',
  failed: 'Not published',
  cancelled: 'Cancelled',
};

/** Card of one drop, from the drop until its link is ready. */
export const PublishingCard = memo(function PublishingCard({ publishing }: { publishing: Publishing }) {
  const { desktop, ask } = useShell();
  const ref = useScrollToTarget(publishing.id);
  const { id, name, kind, begun, state } = publishing;
  const { icon, tone } = isGone(state, useNow()) ? EXPIRED : ICONS[state.is];
  const Icon = icon ?? (kind === 'folder' ? Folder : FileIcon);
  const isUnderWay = state.is === 'working' || state.is === 'queued';
  return (
    <article ref={ref} tabIndex={-1} className="card" aria-label={name}>
      <div className="card-head">
        <span className={`card-icon ${tone}`}>
          <Icon size={18} aria-hidden />
        </span>
        <div className="card-title">
          <p className="meta">
            <span className="card-name clip">{name}</span>
            {state.is !== 'working' && (
              <span className="soft">{icon === Hourglass ? 'Expired' : headingOf(state)}</span>
            )}
            {!isUnderWay && <Moment at={begun} className="soft" />}
          </p>
          <Body publishing={publishing} />
        </div>
        <div className="card-tools">
          {isUnderWay ? (
            <Button
              small
              onClick={() => void ask(desktop.commands.cancelPublishing({ id }))}
              aria-label={`Cancel ${name}`}
            >
              Cancel
            </Button>
          ) : state.is === 'failed' ? null : (
            <IconButton
              icon={X}
              label={`Dismiss ${name}`}
              onClick={() => void ask(desktop.commands.dismissPublishing({ id }))}
            />
          )}
        </div>
      </div>
    </article>
  );
});

function headingOf(state: Exclude<PublishingState, { is: 'working' }>): string {
  return state.is === 'asking' ? questionText(state.question)[0] : HEADINGS[state.is];
}

/** Whether an anonymous deployment has expired. @param now Unix milliseconds. */
function isGone(state: PublishingState, now: number): boolean {
  return state.is === 'published' && state.published.expires !== null && state.published.expires * 1_000 <= now;
}

function Body({ publishing }: { publishing: Publishing }) {
  const { desktop, ask } = useShell();
  const { id, state, leftOut } = publishing;
  switch (state.is) {
    case 'asking':
      return <QuestionBody publishing={publishing} question={state.question} />;
    case 'queued':
      return <p className="soft">Starts when the uploads before it finish.</p>;
    case 'working':
      return <Work progress={state.progress} name={publishing.name} />;
    case 'published':
      return <PublishedBody publishing={publishing} published={state.published} />;
    case 'failed':
      return (
        <div className="card-body">
          <ProblemText problem={state.problem} />
          <SkippedFiles leftOut={leftOut} />
          <div className="card-actions">
            <Button small variant="primary" onClick={() => void ask(desktop.commands.retryPublishing({ id }))}>
              Try again
            </Button>
            <Button
              small
              aria-label={`Dismiss ${publishing.name}`}
              onClick={() => void ask(desktop.commands.dismissPublishing({ id }))}
            >
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
            <Button small onClick={() => void ask(desktop.commands.retryPublishing({ id }))}>
              Publish
            </Button>
          </div>
        </div>
      );
  }
}
