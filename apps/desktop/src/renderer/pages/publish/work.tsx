import { ProgressBar } from '../../components/progress-bar.tsx';
import type { Progress } from '../../../shared/progress.ts';
import { useNow } from '../../state/clock.ts';
import { progressText } from '../../text/progress.ts';

/** Progress of a publish: the current step, the numbers, and a bar. */
export function Work({ progress, name }: { progress: Progress; name: string }) {
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
