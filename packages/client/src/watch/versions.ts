import { createHash } from 'node:crypto';
import { hostname } from 'node:os';
import { resolve } from 'node:path';
import { type Deployment, MAX_LABELS } from '@berth/contract';
import type { BerthClient } from '../client.ts';
import { ClientError } from '../errors.ts';
import type { WatchFolderInput } from './input.ts';

/** How many pages of the account's deployments to search, with 100 deployments each. */
const PAGES = 10;

const DEFAULT_KEEP = 10;

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

/** The current value of `keep`. @throws ClientError `refused` if it is not a positive integer. */
export function readKeep({ keep = DEFAULT_KEEP }: Pick<WatchFolderInput, 'keep'>): number {
  const count = typeof keep === 'function' ? keep() : keep;
  if (Number.isInteger(count) && count >= 1) return count;
  throw new ClientError('refused', `keep must be a whole number of at least 1, not ${count}.`);
}

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
async function findLabelled({ api }: BerthClient, label: string, signal?: AbortSignal): Promise<Deployment[]> {
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

/** Keeps track of the deployments of a watch, and deletes old ones. */
export class Pruner {
  readonly #client: BerthClient;
  readonly #label: string;
  readonly #keep: () => number;
  #newestFirst: string[] = [];
  #listed = false;

  /**
   * @param label Only deployments with this label are deleted. Those of earlier runs are found among the 1,000 newest of the account.
   * @param keep How many to keep. Called each time.
   */
  constructor(client: BerthClient, label: string, keep: () => number) {
    this.#client = client;
    this.#label = label;
    this.#keep = keep;
  }

  /** Records a new deployment. */
  add(deployment: string): void {
    this.#newestFirst = [...new Set([deployment, ...this.#newestFirst])];
  }

  /**
   * Deletes all but the newest ones. Keeps a deployment that a domain points at, because the server refuses to delete it.
   *
   * @param onDeleted Called for each deleted deployment.
   * @throws ClientError; the next call continues with the rest.
   */
  async prune(signal: AbortSignal, onDeleted: (deployment: string) => void): Promise<void> {
    if (!this.#listed) {
      const before = await findLabelled(this.#client, this.#label, signal);
      this.#newestFirst = [...new Set([...this.#newestFirst, ...before.map(({ deployment }) => deployment)])];
      this.#listed = true;
    }
    for (const deployment of this.#newestFirst.slice(this.#keep())) {
      if (!(await deleteUnlinked(this.#client, deployment, signal))) continue;
      this.#newestFirst = this.#newestFirst.filter((other) => other !== deployment);
      onDeleted(deployment);
    }
  }
}

/** @returns `false` if a domain points at it. */
async function deleteUnlinked({ api }: BerthClient, deployment: string, signal: AbortSignal): Promise<boolean> {
  try {
    await api.deployments.delete.mutate({ deployment }, { signal });
  } catch (error) {
    if (error instanceof ClientError && error.status === 404) return true;
    if (error instanceof ClientError && error.status === 422) return false;
    throw error;
  }
  return true;
}
