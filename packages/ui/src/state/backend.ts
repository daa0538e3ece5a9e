import { createContext, use } from 'react';
import type { Backend, SitesApi } from '../backend.ts';

export const BackendContext = createContext<Backend | null>(null);

/** Returns how this window reaches the server, the clipboard and the browser. */
export function useBackend(): Backend {
  return use(BackendContext)!;
}

export const SitesApiContext = createContext<SitesApi | null>(null);

/** Returns the requests for sites and their versions. Only windows that show these pages provide them. */
export function useSitesApi(): SitesApi {
  return use(SitesApiContext)!;
}
