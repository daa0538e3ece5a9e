import { createHash } from 'node:crypto';
import { hostname } from 'node:os';
import { resolve } from 'node:path';
import { type Deployment, MAX_LABELS } from '@berth/contract';
import type { BerthClient } from '../client.ts';
import { ClientError } from '../errors.ts';
import type { WatchFolderInput } from './input.ts';

/** How many pages of 100 deployments to search. */
const PAGES = 10;

const DEFAULT_KEEP = 10;

type Watched = Pick<WatchFolderInput, 'series' | 'folder' | 'domain'>;

/** Returns the label by which a watch recognises the deployments of its series: `watch-` and 16 hex digits. Source: api §1. */
function watchLabel({ series, folder, domain }: Watched): string {
  const watched = JSON.stringify(series === undefined ? [hostname(), resolve(folder), domain ?? null] : [series]);
  return `watch-${createHash('sha256').update(watched).digest('hex').slice(0, 16)}`;
}

/** Returns the labels of the deployments of a watch. @throws ClientError `refused` if there are too many labels. */
export function labelsOf(input: Watched & Pick<WatchFolderInput, 'labels'>): string[] {
  const labels = [...new Set([...(input.labels ?? []), watchLabel(input)])];
  if (labels.length <= MAX_LABELS) return labels;
  throw new ClientError('refused', `A watch adds a label, so it can have at most ${MAX_LABELS - 1} other labels.`);
}

/** Returns the current value of `keep`. @throws ClientError `refused` if the value is not a positive integer. */
export function readKeep({ keep = DEFAULT_KEEP }: Pick<WatchFolderInput, 'keep'>): number {
  const count = typeof keep === 'function' ? keep() : keep;
  if (Number.isInteger(count) && count >= 1) return count;
  throw new ClientError('refused', `keep must be a whole number of at least 1, not ${count}.`);
}

/**
 * Lists the versions of a watched folder, newest first: the deployments of its series that still exist, including those of
 * earlier runs. Searches the 1,000 newest deployments of the account.
 *
 * @throws ClientError.
 */
export async function listVersions(
  { client, ...watched }: Watched & Pick<WatchFolderInput, 'client'>,
  { signal }: { signal?: AbortSignal | undefined } = {},
): Promise<Deployment[]> {
  const label = watchLabel(watched);
  const foundVersions: Deployment[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < PAGES; page += 1) {
    const { deployments, nextCursor } = await client.api.deployments.list.query({ limit: 100, cursor }, { signal });
    foundVersions.push(...deployments.filter(({ labels, status }) => status === 'success' && labels.includes(label)));
    if (nextCursor === undefined) break;
    cursor = nextCursor;
  }
  return foundVersions;
}

export class Pruner {
  readonly #input: WatchFolderInput;
  #newestFirst: string[] = [];
  #listed = false;

  constructor(input: WatchFolderInput) {
    this.#input = input;
  }

  add(deployment: string): void {
    this.#newestFirst = [...new Set([deployment, ...this.#newestFirst])];
  }

  /**
   * Deletes all deployments but the newest. Keeps a deployment that a domain points at.
   *
   * @param onDeleted Called for each deleted deployment.
   * @throws ClientError; the next call deletes the remaining deployments.
   */
  async prune(signal: AbortSignal, onDeleted: (deployment: string) => void): Promise<void> {
    if (!this.#listed) {
      const versions = await listVersions(this.#input, { signal });
      this.#newestFirst = [...new Set([...this.#newestFirst, ...versions.map(({ deployment }) => deployment)])];
      this.#listed = true;
    }
    for (const deployment of this.#newestFirst.slice(readKeep(this.#input))) {
      if (!(await deleteUnlinked(this.#input.client, deployment, signal))) continue;
      this.#newestFirst = this.#newestFirst.filter((other) => other !== deployment);
      onDeleted(deployment);
    }
  }
}

/** Deletes a deployment. Returns false if the server refuses because a domain points at the deployment. */
async function deleteUnlinked({ api }: BerthClient, deployment: string, signal: AbortSignal): Promise<boolean> {
  try {
    await api.deployments.delete.mutate({ deployment }, { signal });
    return true;
  } catch (error) {
    if (error instanceof ClientError && (error.status === 404 || error.status === 422)) return error.status === 404;
    throw error;
  }
}
