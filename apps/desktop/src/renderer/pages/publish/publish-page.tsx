import './publish-page.css';
import { PageFrame } from '../../components/page.tsx';
import { useAppState } from '../../state/store.ts';
import { DropTarget } from './drop-target.tsx';
import { PublishingCard } from './publishing-card.tsx';

/** The drop target, and below it the list of drops so far. */
export function PublishPage() {
  const publishings = useAppState('publishings');
  return (
    <PageFrame title="Publish">
      <DropTarget isBig={publishings.length === 0} />
      {publishings.length > 0 && (
        <ul className="cards" aria-label="Drops">
          {publishings.map((publishing) => (
            <li key={publishing.id}>
              <PublishingCard publishing={publishing} />
            </li>
          ))}
        </ul>
      )}
    </PageFrame>
  );
}
