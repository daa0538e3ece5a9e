import type { Fault } from './fault.ts';
import { NODE_FAULTS } from './node-faults.ts';
import { PROCESS_FAULTS } from './process-faults.ts';
import { RECORD_FAULTS } from './record-faults.ts';
import { STORAGE_FAULTS } from './storage-faults.ts';

/** The faults that are seeded, one at a time. Each passes `npm test`. */
export const FAULTS: readonly Fault[] = [...STORAGE_FAULTS, ...RECORD_FAULTS, ...PROCESS_FAULTS, ...NODE_FAULTS];
