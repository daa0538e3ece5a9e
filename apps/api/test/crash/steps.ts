/** One step of a deploy: what was done, and when it began and was over. Only the order of the moments means anything. */
export interface Step {
  name: 'pack written' | 'pack synced' | 'folder synced' | 'COMMIT sent' | 'COMMIT done' | '201 sent';
  start: number;
  end: number;
}

/** What begins the line that `record-steps.ts` writes for a step. */
export const STEP = 'step ';
