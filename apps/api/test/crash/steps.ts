/** One step of a deploy: what was done, and when it began and ended. Only the order of the times has a meaning. */
export interface Step {
  name: 'pack written' | 'pack synced' | 'folder synced' | 'COMMIT sent' | 'COMMIT done' | '201 sent';
  start: number;
  end: number;
}

/** The prefix of the line that `record-steps.ts` writes for a step. */
export const STEP = 'step ';
