import { useCallback, useEffect, useState } from 'react';
import type { DesktopApi } from '../../shared/contract.ts';
import type { Route } from '../state/shell.ts';

/** The route that the window shows. Changed by the user, and by `navigate` events from the menu, the tray or a link. */
export function useRoute(desktop: DesktopApi): { route: Route; navigate: (route: Route) => void } {
  const [route, setRoute] = useState<Route>({ page: 'publish' });
  const navigate = useCallback((next: Route) => setRoute(next), []);
  useEffect(() => desktop.events.navigate(navigate), [desktop, navigate]);
  return { route, navigate };
}
