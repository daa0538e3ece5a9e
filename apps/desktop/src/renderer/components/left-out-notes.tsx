import './notes.css';
import { EyeOff } from 'lucide-react';
import type { LeftOut } from '../../shared/progress.ts';
import { leftOutWords } from '../words/left-out.ts';

/** Lists the files that were left out of a publish. */
export function LeftOutNotes({ leftOut }: { leftOut: readonly LeftOut[] }) {
  if (leftOut.length === 0) return null;
  return (
    <ul className="notes small" aria-label="Skipped files">
      {leftOut.map((each) => (
        <li key={each.reason}>
          <EyeOff size={14} aria-hidden />
          <span className="selectable">{leftOutWords(each)}</span>
        </li>
      ))}
    </ul>
  );
}
