import { useEffect, useRef, useState } from 'react';
import type { Publishing } from '../../shared/publishing.ts';
import { useAppState } from '../state/store.ts';
import { MILESTONES } from '@berth/ui/text/progress';

/** Announces the milestones of each drop to screen readers, but no progress numbers. */
export function Announcements() {
  const publishings = useAppState('publishings');
  const lastSentences = useRef<ReadonlyMap<string, string> | null>(null);
  const [announcement, setAnnouncement] = useState('');
  useEffect(() => {
    const sentences = new Map(publishings.map((publishing) => [publishing.id, sentence(publishing)]));
    const previous = lastSentences.current;
    lastSentences.current = sentences;
    // Drops that existed when the window opened are not announced.
    if (previous === null) return;
    const changedSentences = [...sentences].filter(([id, text]) => text !== '' && previous.get(id) !== text);
    if (changedSentences.length > 0) setAnnouncement(changedSentences.map(([, text]) => text).join(' '));
  }, [publishings]);
  return (
    <p className="hidden" aria-live="polite" data-testid="announcements">
      {announcement}
    </p>
  );
}

function sentence({ name, state }: Publishing): string {
  switch (state.is) {
    case 'asking':
      return `${name} needs an answer.`;
    case 'queued':
      return `${name} is queued.`;
    case 'building':
      return `${name} is being built.`;
    case 'working': {
      const milestone = MILESTONES[state.progress.phase];
      return milestone === undefined ? '' : `${name}: ${milestone}.`;
    }
    case 'published':
      return `${name} is published${state.published.copied ? ' and its link is copied' : ''}.`;
    case 'failed':
      return `${name} was not published: ${state.problem.message}`;
    case 'cancelled':
      return `${name} was cancelled.`;
  }
}
