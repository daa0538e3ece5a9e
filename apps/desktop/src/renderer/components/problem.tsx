import './problem.css';
import { CircleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import type { Problem } from '../../shared/problem.ts';
import { withFile } from '../text/folder.ts';

/** The message of a problem, its file and the next step. For a card that already shows that it failed. */
export function ProblemText({ problem }: { problem: Problem }) {
  return (
    <div className="problem-text">
      <p className="selectable">{withFile(problem)}</p>
      {problem.next !== null && <p className="soft selectable">{problem.next}</p>}
    </div>
  );
}

/** Problem box, announced to screen readers at once (`role="alert"`). */
export function ProblemBox({ problem, children }: { problem: Problem; children?: ReactNode }) {
  return (
    <div className="problem" role="alert">
      <CircleAlert size={16} aria-hidden />
      <ProblemText problem={problem} />
      {children && <div className="problem-actions">{children}</div>}
    </div>
  );
}
