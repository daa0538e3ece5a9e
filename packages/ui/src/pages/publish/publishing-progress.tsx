import { Button } from '../../components/button.tsx';
import { ProgressBar } from '../../components/meter.tsx';
import type { PauseReason, Progress, Publishing, PublishingActions, PublishingState } from '../../publishing.ts';
import { useNow } from '../../state/clock.ts';
import { partOf, pauseText, progressText, sentText } from '../../text/progress.ts';

/** What a publish job does now, and how much of it is done. */
export function WorkProgress({ progress, name }: { progress: Progress; name: string }) {
  const now = useNow(1_000);
  const { doing, detail, part, isWaiting } = progressText(progress, now);
  return (
    <div className="work">
      <p className="work-text">
        <span>{doing}…</span>
        <span className="soft">{detail}</span>
      </p>
      <ProgressBar part={part} isWaiting={isWaiting} label={`${name}: ${doing}`} />
    </div>
  );
}

/** What continues an upload; `null` if the user need not do anything. */
const CONTINUE: Record<PauseReason, string | null> = {
  asked: 'Continue',
  offline: null,
  permission: 'Continue',
  'choose-again': 'Choose folder again',
};

interface PausedBodyProps {
  publishing: Publishing;
  actions: Pick<PublishingActions, 'resume'>;
  state: Extract<PublishingState, { is: 'paused' }>;
}

/** Why an upload is paused, and the button that continues it. */
export function PausedBody({ publishing, actions, state: { why, sent } }: PausedBodyProps) {
  const { name } = publishing;
  const label = CONTINUE[why];
  return (
    <div className="card-body">
      <div className="work">
        <p className="work-text">
          <span>{pauseText(why)}</span>
          {sent && <span className="soft">{sentText(sent)}</span>}
        </p>
        {sent && <ProgressBar part={partOf(sent.done, sent.total)} label={`${name}: paused`} />}
      </div>
      {label !== null && (
        <div className="card-actions">
          <Button label={label} small variant="primary" onClick={() => actions.resume(publishing)} />
        </div>
      )}
    </div>
  );
}
