import type { Core } from '../../core.ts';

/**
 * How bad a finding is. `damage`: a site does not have the bytes it was published with. `drift`: records are inconsistent, but
 * nothing is lost. `advice`: everything works, but could be better.
 */
export type Severity = 'damage' | 'drift' | 'advice';

/** One problem. */
export interface Finding {
  kind: 'finding';
  severity: Severity;
  /** What was found, in full sentences. */
  message: string;
  /** Whether this run fixed it. */
  fixed: boolean;
  pack?: string;
  /** SHA-256 of a content, in hex. */
  content?: string;
  account?: string;
  domain?: string;
  /** The affected deployments, at most {@link MAX_DEPLOYMENTS}. */
  deployments?: string[];
}

/** The progress of a long check. */
export interface Progress {
  kind: 'progress';
  done: number;
  total: number;
  unit: 'bytes' | 'deployments';
}

/** Information that is no problem. */
export interface Note {
  kind: 'note';
  message: string;
}

/** The options of a check. */
export interface DoctorOptions {
  /** Fixes what can be fixed without losing anything. */
  fix: boolean;
  /** Minimum age of a pack before it may be removed, in milliseconds. */
  graceMs: number;
  /** The host name of the API. */
  apiHost: string;
}

/** One check of the doctor. Its memory is bounded, and it is safe to run beside running servers. */
export interface Check {
  name: string;
  /** What the check covers, as a heading. */
  title: string;
  run(core: Core, options: DoctorOptions): AsyncIterable<Finding | Progress | Note>;
}

/** Maximum number of deployments that a finding lists. */
export const MAX_DEPLOYMENTS = 20;

/** Creates a finding that is not fixed. */
export function finding(
  severity: Severity,
  message: string,
  about: Omit<Partial<Finding>, 'kind' | 'severity' | 'message'> = {},
): Finding {
  return { kind: 'finding', severity, message, fixed: false, ...about };
}
