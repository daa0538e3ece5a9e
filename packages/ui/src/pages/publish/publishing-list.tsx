import type { Publishing, PublishingActions } from '../../publishing.ts';
import { PublishingCard } from './publishing-card.tsx';

interface PublishingListProps {
  publishings: readonly Publishing[];
  actions: PublishingActions;
}

/** The cards of all publish jobs; nothing if there are none. */
export function PublishingList({ publishings, actions }: PublishingListProps) {
  if (publishings.length === 0) return null;
  const lastCopied = lastCopiedId(publishings);
  return (
    <ul className="cards" aria-label="Drops">
      {publishings.map((publishing) => (
        <li key={publishing.id}>
          <PublishingCard publishing={publishing} actions={actions} isLastCopied={publishing.id === lastCopied} />
        </li>
      ))}
    </ul>
  );
}

/** Returns the id of the job whose link was copied last, because the clipboard holds one link. */
function lastCopiedId(publishings: readonly Publishing[]): string | undefined {
  let last: { id: string; at: number } | undefined;
  for (const { id, state } of publishings) {
    if (state.is !== 'published' || !state.published.copied) continue;
    if (last === undefined || state.published.at > last.at) last = { id, at: state.published.at };
  }
  return last?.id;
}
