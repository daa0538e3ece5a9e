import type { Deployment } from '@berth/contract';
import type { BerthClient } from '../client.ts';
import type { WatchFolderInput } from './input.ts';
import { watchLabel } from './watch-label.ts';

/** How many pages of the account's deployments to search, with 100 deployments each. */
const PAGES = 10;

/**
 * Lists the versions of a watched folder: the deployments of its series that still exist, including those of earlier runs. Searches
 * the 1,000 newest deployments of the account.
 *
 * @returns Newest first.
 * @throws ClientError.
 */
export function listVersions(
  { client, ...watched }: Pick<WatchFolderInput, 'client' | 'series' | 'folder' | 'domain'>,
  { signal }: { signal?: AbortSignal | undefined } = {},
): Promise<Deployment[]> {
  return findLabelled(client, watchLabel(watched), signal);
}

/** Lists the live deployments with a label, newest first, among the 1,000 newest of the account. @throws ClientError. */
export async function findLabelled({ api }: BerthClient, label: string, signal?: AbortSignal): Promise<Deployment[]> {
  const found: Deployment[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < PAGES; page += 1) {
    const { deployments, nextCursor } = await api.deployments.list.query({ limit: 100, cursor }, { signal });
    found.push(...deployments.filter(({ labels, status }) => status === 'success' && labels.includes(label)));
    if (nextCursor === undefined) break;
    cursor = nextCursor;
  }
  return found;
}
