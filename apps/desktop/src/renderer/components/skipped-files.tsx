import './file-list.css';
import { EyeOff } from 'lucide-react';
import type { LeftOut } from '../../shared/progress.ts';
import { skippedText } from '../text/skipped-files.ts';

/** Lists the files that a publish skipped. */
export function SkippedFiles({ leftOut }: { leftOut: readonly LeftOut[] }) {
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
