import { createContext, use } from 'react';

/** A page that shared pages refer to. */
export type Place = 'publish' | 'sites' | 'domains' | 'activity' | 'sign-in';

/** The navigation of a window. */
export interface Navigation {
  navigate(place: Place): void;
  /** The card to show. A new object scrolls to the card again. */
  target: { id?: string | undefined };
}

export const NavigationContext = createContext<Navigation | null>(null);

export function useNavigation(): Navigation {
  return use(NavigationContext)!;
}
