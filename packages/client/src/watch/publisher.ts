import { createHash } from 'node:crypto';
import { realpathSync } from 'node:fs';
import pLimit from 'p-limit';
import type { BerthClient } from '../client.ts';
import { deployFolder } from '../deploy/deploy.ts';
import { wholeDomainName } from '../deploy/domain-name.ts';
import { checkPassword } from '../deploy/publish.ts';
import { hashPassword } from '../deploy/resume-state.ts';
import { ClientError } from '../errors.ts';
import { defaultCacheDir } from '../folder/cache-files.ts';
import { statOnDrive } from '../folder/drive.ts';
import {
  findLastDeployment,
  targetCacheName,
  type LastDeployment,
  type PublishTarget,
} from '../folder/last-deployment.ts';
import type { FolderEvent } from '../folder/events.ts';
import { type ReadFolder, readFolder } from '../folder/read-folder.ts';
import type { FolderFile } from '../folder/snapshot.ts';
import { drain } from '../progress.ts';
import type { RetryPolicy } from '../retry.ts';
import type { WatchInput, Live, Scan } from './state.ts';
import type { WatchEvent } from './events.ts';
import type { WatchFolderInput, WatchOptions } from './input.ts';
import { Pruner, readKeep, watchLabel, withWatchLabel } from './versions.ts';

/** A deploy stops retrying early, because the watch pauses and then publishes the newest state of the folder. */
const RETRIES: Partial<RetryPolicy> = { attempts: 3, withinMs: 5_000 };

/** The functions that a publisher uses. Tests replace them. */
export interface PublisherParts {
  readFolder: typeof readFolder;
  deployFolder: typeof deployFolder;
}

export const PUBLISHER_PARTS: PublisherParts = { readFolder, deployFolder };

/** Scans, publishes and prunes for a watch. Failures are returned as inputs of the watch. */
export class WatchPublisher {
  readonly #input: WatchFolderInput;
  readonly #options: WatchOptions & { signal: AbortSignal };
  readonly #cacheDir: string;
  readonly #parts: PublisherParts;
  readonly #emit: (event: WatchEvent) => void;
  readonly #labels: readonly string[];
  readonly #pruner: Pruner;
  readonly #runOnePruning = pLimit(1);
  /** The last event of each type from the last scan. They are emitted with the deploy, as if it had read the folder itself. */
  readonly #scanEvents = new Map<FolderEvent['type'], FolderEvent>();
  #snapshot: ReadFolder | null = null;
  #isLiveKnown = false;
  #mayPrune = true;

  /**
   * @param input Its `folder` must be absolute.
   * @param emit Receives the events of deploys, and which deployments were pruned.
   * @throws ClientError `signed-out`, `refused`, as `watchFolder`.
   */
  constructor(
    input: WatchFolderInput,
    options: WatchOptions & { signal: AbortSignal },
    parts: PublisherParts,
    emit: (event: WatchEvent) => void,
  ) {
    if (input.client.key === null)
      throw new ClientError(
        'signed-out',
        'A watch needs a key. Without an account, each deploy gets a different link.',
      );
    checkPassword(input.password);
    readKeep(input);
    this.#input = input;
    this.#options = options;
    this.#cacheDir = options.cacheDir ?? defaultCacheDir();
    this.#parts = parts;
    this.#emit = emit;
    const label = watchLabel(input);
    this.#labels = withWatchLabel(input.labels ?? [], label);
    this.#pruner = new Pruner(input.client, label, () => readKeep(input));
  }

  /** Returns the last deployment according to the local cache. @throws ClientError `aborted`. */
  async readCachedLive(): Promise<Omit<Live, 'confirmed'> | null> {
    const { folder } = this.#input;
    const stats = await statOnDrive(folder, this.#options.signal);
    const before = stats && findLastDeployment(this.#cacheDir, this.#targetOf(realpathSync(folder)));
    return before && scanOf(before);
  }

  /** Scans the folder. */
  scan(): Promise<WatchInput> {
    const { folder } = this.#input;
    const { signal } = this.#options;
    return failureAsInput(async () => {
      this.#scanEvents.clear();
      const stats = await statOnDrive(folder, signal);
      if (stats?.isDirectory() !== true)
        return { type: 'scanned', scan: { found: 'gone', id: 'gone', frontPage: false } };
      const events = this.#parts.readFolder(folder, { cacheDir: this.#cacheDir, signal });
      this.#snapshot = await drain(events, (event) => this.#scanEvents.set(event.type, event));
      return { type: 'scanned', scan: summarizeFiles(this.#snapshot.files) };
    });
  }

  /** Publishes the files of the last scan. */
  publish(): Promise<WatchInput> {
    return failureAsInput(async () => {
      if (this.#snapshot === null) throw new Error('A publish started before the first scan');
      const isUnchanged = !this.#isLiveKnown && (await this.#isAlreadyLive(this.#snapshot));
      const result: WatchInput = isUnchanged ? { type: 'unchanged' } : await this.#deploy(this.#snapshot);
      this.#isLiveKnown = true;
      return result;
    });
  }

  /** Deletes old deployments. Emits failures as events, and retries at the next call. */
  prune(): Promise<void> {
    return this.#runOnePruning(() => this.#pruneOnce());
  }

  async #isAlreadyLive({ root, files }: ReadFolder): Promise<boolean> {
    const { client, domain = null, password } = this.#input;
    const target = this.#targetOf(root);
    const before = findLastDeployment(this.#cacheDir, target);
    if (before === null || scanOf(before).id !== summarizeFiles(files).id) return false;
    if (before.password !== (await hashPassword(password, targetCacheName(target)))) return false;
    return isLive(client, before.deployment, domain, this.#options.signal);
  }

  async #deploy(snapshot: ReadFolder): Promise<WatchInput> {
    const { signal, delta } = this.#options;
    let url: string | null = null;
    for (const event of this.#scanEvents.values()) this.#emit(event);
    const events = this.#parts.deployFolder(
      { ...this.#input, labels: this.#labels },
      { signal, cacheDir: this.#cacheDir, delta, retries: RETRIES, snapshot },
    );
    const deployment = await drain(events, (event) => {
      this.#emit(event);
      if (event.type === 'committed') this.#pruner.add(event.deployment.deployment);
      if (event.type === 'linked') url = event.domain.url;
    });
    return { type: 'published', deployment, url: url ?? deployment.url };
  }

  async #pruneOnce(): Promise<void> {
    const { signal } = this.#options;
    const deployments: string[] = [];
    try {
      if (this.#mayPrune) await this.#pruner.prune(signal, (deployment) => deployments.push(deployment));
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof ClientError)) throw error;
      this.#mayPrune = error.kind !== 'signed-out';
      this.#emit({ type: 'failed', error, waitMs: null });
    }
    if (deployments.length > 0) this.#emit({ type: 'pruned', deployments });
  }

  #targetOf(root: string): PublishTarget {
    const { client, domain = null } = this.#input;
    return { client, root, domain };
  }
}

function scanOf({ files }: LastDeployment): Scan {
  const inOrder = [...files].map(([path, sha256]) => ({ path, sha256 })).toSorted((a, b) => (a.path < b.path ? -1 : 1));
  return summarizeFiles(inOrder);
}

/** Summarizes files by their paths and contents. @param files Ordered by path, by code unit. */
function summarizeFiles(files: readonly Pick<FolderFile, 'path' | 'sha256'>[]): Scan {
  if (files.length === 0) return { found: 'empty', id: 'empty', frontPage: false };
  const hash = createHash('sha256');
  for (const { path, sha256 } of files) hash.update(`${sha256} ${path}\n`);
  return { found: 'files', id: hash.digest('hex'), frontPage: files.some(({ path }) => path === 'index.html') };
}

/**
 * Whether a deployment is live: whether the domain points at it or, without a domain, whether it exists permanently.
 *
 * @throws ClientError if the server cannot be reached.
 */
async function isLive(
  { api }: BerthClient,
  deployment: string,
  domain: string | null,
  signal: AbortSignal,
): Promise<boolean> {
  try {
    const known = await api.deployments.get.query({ deployment }, { signal });
    if (known.status !== 'success' || known.expires !== undefined) return false;
    if (domain === null) return true;
    return (
      (await api.domains.get.query({ domain: wholeDomainName(domain, known) }, { signal })).deployment === deployment
    );
  } catch (error) {
    // A deploy token is not allowed to ask, so assume that it is not live.
    if (error instanceof ClientError && (error.status === 404 || error.status === 403)) return false;
    throw error;
  }
}

async function failureAsInput(work: () => Promise<WatchInput>): Promise<WatchInput> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ClientError) return { type: 'failed', error };
    throw error;
  }
}
