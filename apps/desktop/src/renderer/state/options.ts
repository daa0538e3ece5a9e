import { createContext, use } from 'react';
import type { NextDropOptions } from '../../shared/publishing.ts';

/** What the next drop gets besides a link. It stands beside the shell: a letter that is typed draws nothing but the form. */
export interface NextDrop {
  /** As they were typed, so that none is left out in silence. */
  options: NextDropOptions;
  set(options: NextDropOptions): void;
  clear(): void;
  /** Another number after each clearing: the form starts anew with it. */
  round: number;
}

export const NextDropContext = createContext<NextDrop | null>(null);

export function useNextDrop(): NextDrop {
  return use(NextDropContext)!;
}
