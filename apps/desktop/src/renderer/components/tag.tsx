import './tag.css';
import type { ReactNode } from 'react';
import type { Tone } from '../text/folder.ts';

/** A short text in a coloured box. */
export function Tag({ tone, title, children }: { tone: Tone; title?: string; children: ReactNode }) {
  return (
    <span className={`tag is-${tone}`} title={title}>
      {children}
    </span>
  );
}
