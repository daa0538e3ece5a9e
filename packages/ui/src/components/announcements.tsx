import { useEffect, useRef, useState } from 'react';
import type { Publishing } from '../publishing.ts';
import { announcementOf } from '../text/progress.ts';

/** The announcements of a drop since it began, or began again. */
type Said = ReadonlyMap<string, ReadonlySet<string>>;

/** Announces the milestones of each drop to screen readers, each of them once, but no progress numbers. */
export function Announcements({ publishings }: { publishings: readonly Publishing[] }) {
  const lastSaid = useRef<Said | null>(null);
  const [announcement, setAnnouncement] = useState('');
  useEffect(() => {
    const before = lastSaid.current;
    const said = new Map<string, ReadonlySet<string>>();
    const sentences: string[] = [];
    for (const publishing of publishings) {
      const { id, state } = publishing;
      const sentence = announcementOf(publishing);
      const known = before?.get(id) ?? new Set<string>();
      if (sentence !== '' && !known.has(sentence)) sentences.push(sentence);
      // A drop that has ended or is asked about announces its milestones again when it is repeated.
      const begins = state.is === 'failed' || state.is === 'cancelled' || state.is === 'asking';
      said.set(id, begins ? new Set([sentence]) : new Set([...known, sentence]));
    }
    lastSaid.current = said;
    // Drops that existed when the window opened are not announced.
    if (before !== null && sentences.length > 0) setAnnouncement(sentences.join(' '));
  }, [publishings]);
  return (
    <p className="hidden" aria-live="polite" data-testid="announcements">
      {announcement}
    </p>
  );
}
