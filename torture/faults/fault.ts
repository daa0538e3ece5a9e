import type { Invariant } from '../violations.ts';

/** One change of a file. The text must be in the file exactly once. */
export interface Edit {
  file: string;
  find: string;
  replace: string;
}

/** A fault that `npm test` does not find. */
export interface Fault {
  name: string;
  /** What is wrong with the code. */
  what: string;
  edits: readonly Edit[];
  /** The invariants that the fault breaks. A run must name at least one of them. */
  breaks: readonly Invariant[];
  /** The kinds of disturbances that reach the fault. */
  only: readonly string[];
  /** Further options of the run. Default: none. */
  options?: readonly string[];
  /** The time within which it must be found. Default: 90. */
  seconds?: number;
}

export const DEFAULT_SECONDS = 90;
