import { createHash } from 'node:crypto';
import { hostname } from 'node:os';
import { resolve } from 'node:path';
import { MAX_LABELS } from '@berth/contract';
import { ClientError } from '../errors.ts';
import type { WatchFolderInput } from './input.ts';

/**
 * The label by which a watch recognises its deployments. It depends only on the series, so it survives a restart.
 *
 * @returns `watch-` and 16 hex digits, which is a valid label for any name of a series. Source: api §1.
 */
export function watchLabel({ series, folder, domain }: Pick<WatchFolderInput, 'series' | 'folder' | 'domain'>): string {
  const watched = JSON.stringify(series === undefined ? [hostname(), resolve(folder), domain ?? null] : [series]);
  return `watch-${createHash('sha256').update(watched).digest('hex').slice(0, 16)}`;
}

/**
 * The labels of a watch's deployments.
 *
 * @throws ClientError `refused` if there are too many other labels.
 */
export function withWatchLabel(labels: readonly string[], own: string): string[] {
  const all = [...new Set([...labels, own])];
  if (all.length > MAX_LABELS)
    throw new ClientError(
      'refused',
      `A watch adds its own label, so it can have at most ${MAX_LABELS - 1} other labels.`,
    );
  return all;
}
