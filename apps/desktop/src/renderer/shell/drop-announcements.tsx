import { Announcements } from '@berth/ui/components/announcements';
import { useAppState } from '../state/store.ts';

/** Announces drops to screen readers. It renders at each change of a drop, so that the window around it does not. */
export function DropAnnouncements() {
  return <Announcements publishings={useAppState('publishings')} />;
}
