import './trouble.css';
import { CircleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import type { Problem } from '../../shared/problem.ts';
import { withFile } from '../words/folder.ts';

/** What was wrong, with the file at fault, and what to do about it: for a card that shows by itself that it failed. */
export function Failure({ problem }: { problem: Problem }) {
  return (
    <div className="failure">
      <p className="selectable">{withFile(problem)}</p>
      {problem.next !== null && <p className="soft selectable">{problem.next}</p>}
    </div>
  );
}

/** A problem in a box of its own, told to ears at once. */
export function Trouble({ problem, children }: { problem: Problem; children?: ReactNode }) {
  return (
    <div className="trouble" role="alert">
      <CircleAlert size={16} aria-hidden />
      <Failure problem={problem} />
      {children && <div className="trouble-actions">{children}</div>}
    </div>
  );
}
