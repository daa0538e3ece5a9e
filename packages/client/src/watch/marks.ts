import { createHash } from 'node:crypto';
import { hostname } from 'node:os';
import { MAX_LABELS } from '@berth/contract';
import { ClientError } from '../errors.ts';

/**
 * The label that a watch gives its deployments, by which it knows them again: the same for the same folder of the same
 * machine and the same domain, also after a restart.
 *
 * @param folder An absolute path.
 * @returns `watch-` and 16 hex digits: a label. Source: contract §1.
 */
export function watchLabel(folder: string, domain: string | null): string {
  const watched = JSON.stringify([hostname(), folder, domain]);
  return `watch-${createHash('sha256').update(watched).digest('hex').slice(0, 16)}`;
}

/**
 * The labels of a watch's deployments.
 *
 * @throws ClientError `refused` when there is no room for its own.
 */
export function withWatchLabel(labels: readonly string[], own: string): string[] {
  const all = [...new Set([...labels, own])];
  if (all.length > MAX_LABELS)
    throw new ClientError(
      'refused',
      `A watch marks its deployments with a label of its own: give it at most ${MAX_LABELS - 1} others.`,
    );
  return all;
}
