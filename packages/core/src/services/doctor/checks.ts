import type { Core } from '../../core.ts';

export interface Finding {
  kind: 'finding';
  /** `damage`: bytes of a site are lost. `drift`: records contradict each other. `advice`: something could be better. */
  severity: 'damage' | 'drift' | 'advice';
  message: string;
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

/** Information about something that is not a problem. */
export interface Note {
  kind: 'note';
  message: string;
}

export interface DoctorOptions {
  /** Fixes the problems that can be fixed without losing anything. */
  fix: boolean;
  /** Minimum age of a pack before it may be removed, in milliseconds. */
  graceMs: number;
  apiHost: string;
}

/** One check of the doctor. Its memory is bounded, and it can run while servers are running. */
export interface Check {
  name: string;
  title: string;
  run(core: Core, options: DoctorOptions): AsyncIterable<Finding | Progress | Note>;
}

/** Maximum number of deployments that a finding lists. */
export const MAX_DEPLOYMENTS = 20;

/** Creates a finding that is not fixed. */
export function finding(
  severity: Finding['severity'],
  message: string,
  about: Omit<Partial<Finding>, 'kind' | 'severity' | 'message'> = {},
): Finding {
  return { kind: 'finding', severity, message, fixed: false, ...about };
}

export function note(message: string): Note {
  return { kind: 'note', message };
}
