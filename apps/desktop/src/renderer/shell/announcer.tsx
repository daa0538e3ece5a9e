import { useEffect, useRef, useState } from 'react';
import type { Publishing } from '../../shared/publishing.ts';
import { useApp } from '../state/store.ts';
import { milestone } from '../words/progress.ts';

/** Announces the milestones of each drop to screen readers, but not its progress numbers. */
export function Announcer() {
  const publishings = useApp('publishings');
  const before = useRef<ReadonlyMap<string, string> | null>(null);
  const [said, setSaid] = useState('');
  useEffect(() => {
    const stages = new Map(publishings.map((publishing) => [publishing.id, sentence(publishing)]));
    const known = before.current;
    before.current = stages;
    // Do not announce what already existed when the window opened.
    if (known === null) return;
    const changed = [...stages].filter(([id, text]) => text !== '' && known.get(id) !== text);
    if (changed.length > 0) setSaid(changed.map(([, text]) => text).join(' '));
  }, [publishings]);
  return (
    <p className="hidden" aria-live="polite" data-testid="announcer">
      {said}
    </p>
  );
}

function sentence({ name, state }: Publishing): string {
  switch (state.is) {
    case 'asking':
      return `${name} needs an answer.`;
    case 'queued':
      return `${name} is queued.`;
    case 'working': {
      const stage = milestone(state.progress);
      return stage === null ? '' : `${name}: ${stage}.`;
    }
    case 'published':
      return `${name} is published${state.published.copied ? ' and its link is copied' : ''}.`;
    case 'failed':
      return `${name} was not published: ${state.problem.message}`;
    case 'cancelled':
      return `${name} was cancelled.`;
  }
}
