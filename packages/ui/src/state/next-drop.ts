import { createContext, use } from 'react';
import type { NextDropOptions } from '../publishing.ts';

/** The options of the next drop and the functions that change them. */
export interface NextDrop {
  options: NextDropOptions;
  set(options: NextDropOptions): void;
  clear(): void;
  /** Changes when the options are cleared, so that the form starts again. */
  formKey: number;
}

/** The options of the next drop have a context of their own, so that typing renders only the form. */
export const NextDropContext = createContext<NextDrop | null>(null);

export function useNextDrop(): NextDrop {
  return use(NextDropContext)!;
}
