import './status-line.css';
import { CircleAlert, CircleCheck, CirclePause, LoaderCircle, TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import type { Tone } from '../text/folder.ts';

const ICONS = { good: CircleCheck, busy: LoaderCircle, warn: TriangleAlert, bad: CircleAlert, quiet: CirclePause };

/** A status with a colour and an icon: colour is never the only signal. */
export function StatusLine({ tone, children }: { tone: Tone; children: ReactNode }) {
  const Icon = ICONS[tone];
  return (
    <p className={`status-line is-${tone}`}>
      <Icon size={15} className={tone === 'busy' ? 'turning' : ''} aria-hidden />
      <span>{children}</span>
    </p>
  );
}
