import type { Sketch } from '../visits.ts';

/** Test cases of a public suite on one site. */
export interface Group {
  title: string;
  site: Sketch;
  cases: Case[];
}

/** The request and the response of the original, and, if Berth differs, its response and the reason. */
export type Case = [asked: string, theirs: string] | [asked: string, theirs: string, ours: string, why: string];
