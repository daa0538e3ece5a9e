import { ClientError } from '../errors.ts';
import type { WatchFolderInput } from './input.ts';

const KEEP = 10;

/** The current value of `keep`. @throws ClientError `refused` if it is not a positive integer. */
export function readKeep({ keep = KEEP }: Pick<WatchFolderInput, 'keep'>): number {
  const count = typeof keep === 'function' ? keep() : keep;
  if (Number.isInteger(count) && count >= 1) return count;
  throw new ClientError('refused', `keep must be a whole number of at least 1, not ${count}.`);
}
