import { createHash } from 'node:crypto';
import { hostname } from 'node:os';
import { resolve } from 'node:path';
import { MAX_LABELS } from '@berth/contract';
import { ClientError } from '../errors.ts';
import type { WatchFolderInput } from './input.ts';

/**
 * The label that a watch gives its deployments, by which it knows them again: the same for the same series, also after a
 * restart.
 *
 * @returns `watch-` and 16 hex digits: a label, whatever the series is called. Source: contract §1.
 */
export function watchLabel({ series, folder, domain }: Pick<WatchFolderInput, 'series' | 'folder' | 'domain'>): string {
  const watched = JSON.stringify(series === undefined ? [hostname(), resolve(folder), domain ?? null] : [series]);
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
