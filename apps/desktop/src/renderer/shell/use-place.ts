import { useCallback, useEffect, useState } from 'react';
import type { DesktopApi } from '../../shared/contract.ts';
import type { Place } from '../state/shell.ts';

/** The place that the window shows. Changed by the user, and by `navigate` events from the menu, the tray or a link. */
export function usePlace(desktop: DesktopApi): { place: Place; go: (place: Place) => void } {
  const [place, setPlace] = useState<Place>({ page: 'publish' });
  const go = useCallback((next: Place) => setPlace(next), []);
  useEffect(() => desktop.events.navigate(go), [desktop, go]);
  return { place, go };
}
