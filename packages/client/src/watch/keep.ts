import { ClientError } from '../errors.ts';
import type { WatchFolderInput } from './input.ts';

const KEEP = 10;

/** How many deployments of a watch stay, as it is by this moment. @throws ClientError `refused` when that is no such number. */
export function readKeep({ keep = KEEP }: Pick<WatchFolderInput, 'keep'>): number {
  const count = typeof keep === 'function' ? keep() : keep;
  if (Number.isInteger(count) && count >= 1) return count;
  throw new ClientError('refused', `A watch keeps at least 1 deployment, the live one; ${count} is no such number.`);
}
