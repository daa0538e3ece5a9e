import { createContext, use } from 'react';
import type { NextDropOptions } from '../../shared/publishing.ts';

/** The options of the next drop. A context separate from the shell's, so that typing renders only the form. */
export interface NextDrop {
  /** As typed, valid or not, so that no option is dropped silently. */
  options: NextDropOptions;
  set(options: NextDropOptions): void;
  clear(): void;
  /** Changes each time the options are cleared; used as the key that resets the form. */
  formKey: number;
}

export const NextDropContext = createContext<NextDrop | null>(null);

export function useNextDrop(): NextDrop {
  return use(NextDropContext)!;
}
