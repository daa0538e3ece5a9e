import { useCallback, useEffect, useState } from 'react';
import type { DesktopApi } from '../../shared/contract.ts';
import type { Place } from '../state/shell.ts';

/** Where the window is: where somebody went, or where the menu, the tray or a link wants it to be. */
export function usePlace(desktop: DesktopApi): { place: Place; go: (place: Place) => void } {
  const [place, setPlace] = useState<Place>({ page: 'publish' });
  const go = useCallback((next: Place) => setPlace(next), []);
  useEffect(() => desktop.events.navigate(go), [desktop, go]);
  return { place, go };
}
