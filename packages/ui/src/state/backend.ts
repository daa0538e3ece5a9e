import { createContext, use } from 'react';
import type { Backend } from '../backend.ts';

export const BackendContext = createContext<Backend | null>(null);

/** Returns how this window reaches the server, the clipboard and the browser. */
export function useBackend(): Backend {
  return use(BackendContext)!;
}
