import type { Core } from '../../core.ts';

/**
 * How bad a finding is: `damage`: a site does not have the bytes it was published with; `drift`: something is out of step
 * and loses nothing; `advice`: it works, and could be better.
 */
export type Severity = 'damage' | 'drift' | 'advice';

/** One thing that is not as it should be. */
export interface Finding {
  kind: 'finding';
  severity: Severity;
  /** What was found, in whole sentences. */
  message: string;
  /** Whether this run has mended it. */
  fixed: boolean;
  pack?: string;
  /** SHA-256 of a content, in hex. */
  content?: string;
  account?: string;
  domain?: string;
  /** The deployments it hurts, {@link MOST_NAMED} at most. */
  deployments?: string[];
}

/** How far a long check has come. */
export interface Progress {
  kind: 'progress';
  done: number;
  total: number;
  unit: 'bytes' | 'deployments';
}

/** Something that was looked at and is worth a word, though nothing is wrong. */
export interface Note {
  kind: 'note';
  message: string;
}

/** What a check may know and do. */
export interface DoctorOptions {
  /** Mends what can be mended without losing anything. */
  fix: boolean;
  /** How old a pack is at least before it goes, in milliseconds. */
  graceMs: number;
  /** The host name of the API. */
  apiHost: string;
}

/** One question that the doctor asks. It holds a bounded part of what it reads, and is safe beside running servers. */
export interface Check {
  name: string;
  /** What is looked at. */
  title: string;
  run(core: Core, options: DoctorOptions): AsyncIterable<Finding | Progress | Note>;
}

/** How many deployments a finding names. */
export const MOST_NAMED = 20;

/** A finding that nobody has mended. */
export function finding(
  severity: Severity,
  message: string,
  about: Omit<Partial<Finding>, 'kind' | 'severity' | 'message'> = {},
): Finding {
  return { kind: 'finding', severity, message, fixed: false, ...about };
}
