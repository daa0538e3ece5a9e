import './trouble.css';
import { CircleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import type { Problem } from '../../shared/problem.ts';
import { withFile } from '../words/folder.ts';

/** The message of a problem, its file and the next step. For a card that already shows that it failed. */
export function Failure({ problem }: { problem: Problem }) {
  return (
    <div className="failure">
      <p className="selectable">{withFile(problem)}</p>
      {problem.next !== null && <p className="soft selectable">{problem.next}</p>}
    </div>
  );
}

/** Problem box, announced to screen readers at once (`role="alert"`). */
export function Trouble({ problem, children }: { problem: Problem; children?: ReactNode }) {
  return (
    <div className="trouble" role="alert">
      <CircleAlert size={16} aria-hidden />
      <Failure problem={problem} />
      {children && <div className="trouble-actions">{children}</div>}
    </div>
  );
}
