import './status.css';
import { moment } from '@berth/client/amounts';
import { CircleAlert, CircleCheck, CirclePause, EyeOff, LoaderCircle, TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import type { Problem } from '../backend.ts';
import type { SkippedFileGroup } from '../publishing.ts';
import { useNow } from '../state/clock.ts';
import { skippedText, withFile } from '../text/files.ts';
import { ago } from '../text/time.ts';
import { Button } from './button.tsx';

/** How good a status is. It selects the colour and the icon. */
export type Tone = 'good' | 'busy' | 'warn' | 'bad' | 'quiet';

const ICONS = { good: CircleCheck, busy: LoaderCircle, warn: TriangleAlert, bad: CircleAlert, quiet: CirclePause };

/** A status with a colour and an icon, because colour must not be the only signal. */
export function StatusLine({ tone, children }: { tone: Tone; children: ReactNode }) {
  const Icon = ICONS[tone];
  return (
    <p className={`status-line is-${tone}`}>
      <Icon size={15} className={tone === 'busy' ? 'turning' : ''} aria-hidden />
      <span>{children}</span>
    </p>
  );
}

export function Tag({ tone, title, children }: { tone: Tone; title?: string; children: ReactNode }) {
  return (
    <span className={`tag is-${tone}`} title={title}>
      {children}
    </span>
  );
}

/** The message of a problem, its file and the next step, for a card whose heading already says that it failed. */
export function ProblemText({ problem }: { problem: Problem }) {
  return (
    <div className="problem-text">
      <p className="selectable">{withFile(problem)}</p>
      {problem.next !== null && <p className="soft selectable">{problem.next}</p>}
    </div>
  );
}

interface ProblemBoxProps {
  problem: Problem | null;
  /** Called by the “Try again” button. Without `onRetry` there is no button. */
  onRetry?: (() => unknown) | false;
}

/** Shows a problem, if any, and announces it to screen readers at once. */
export function ProblemBox({ problem, onRetry }: ProblemBoxProps) {
  if (problem === null) return null;
  return (
    <div className="problem" role="alert">
      <CircleAlert size={16} aria-hidden />
      <ProblemText problem={problem} />
      {onRetry && <Button label="Try again" small onClick={onRetry} />}
    </div>
  );
}

export function SkippedFiles({ leftOut }: { leftOut: readonly SkippedFileGroup[] }) {
  if (leftOut.length === 0) return null;
  return (
    <ul className="file-list small" aria-label="Skipped files">
      {leftOut.map((each) => (
        <li key={each.reason}>
          <EyeOff size={14} aria-hidden />
          <span className="selectable">{skippedText(each)}</span>
        </li>
      ))}
    </ul>
  );
}

/** Shows a relative time, such as `2 min ago`, with the exact time as its tooltip. @param at Unix milliseconds. */
export function Moment({ at, className }: { at: number; className?: string }) {
  const now = useNow();
  return (
    <time className={className} dateTime={new Date(at).toISOString()} title={moment(Math.floor(at / 1_000))}>
      {ago(at, now)}
    </time>
  );
}
