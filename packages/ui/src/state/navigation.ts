import { createContext, use } from 'react';

/** A page that shared pages refer to: a page of the navigation, the page of a site, or the page of a domain. */
export type Place = 'publish' | 'sites' | 'domains' | 'activity' | 'sign-in' | { site: string } | { domain: string };

/** The navigation of a window. */
export interface Navigation {
  navigate(place: Place): void;
  /** Returns the address of a page, for links. */
  hrefOf(place: Place): string;
  /** The card to show. A new object scrolls to the card again. */
  target: { id?: string | undefined };
  /** True if each page scrolls below its head, as in a window; false if the whole document scrolls. */
  pagesScroll: boolean;
  /** True if a link can open in another tab, as in a browser. */
  hasTabs: boolean;
}

export const NavigationContext = createContext<Navigation | null>(null);

export function useNavigation(): Navigation {
  return use(NavigationContext)!;
}
