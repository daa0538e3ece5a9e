import type { Sketch } from '../visits.ts';

/** Cases of a public suite that ask one site. */
export interface Group {
  title: string;
  site: Sketch;
  cases: Case[];
}

/** What is asked, and what the origin answers; where Berth answers otherwise, also that, and why. */
export type Case = [asked: string, theirs: string] | [asked: string, theirs: string, ours: string, why: string];
