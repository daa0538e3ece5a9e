import { realpath } from 'node:fs/promises';
import pLimit from 'p-limit';
import type { BerthClient } from '../client.ts';
import { deployFolder } from '../deploy/deploy.ts';
import { wholeDomainName } from '../deploy/domain-name.ts';
import { checkPassword } from '../deploy/publish.ts';
import { hashPassword } from '../deploy/saved-resume-state.ts';
import { ClientError } from '../errors.ts';
import { defaultCacheDir } from '../folder/cache-files.ts';
import { statOnDrive, unlessAborted } from '../folder/drive.ts';
import { findLastDeployment, type LastDeployment, targetCacheName } from '../folder/last-deployment.ts';
import { isHtmlFile, type ReadFolder, readFolder } from '../folder/read-folder.ts';
import { type FolderEvent, type FolderFile, hashOfFiles } from '../folder/snapshot.ts';
import { drain } from '../progress.ts';
import type { RetryPolicy } from '../retry.ts';
import type { WatchInput, Live, Scan } from './state.ts';
import type { WatchEvent } from './events.ts';
import type { WatchFolderInput, WatchOptions } from './input.ts';
import { labelsOf, Pruner, readKeep } from './versions.ts';
import { createWatcher } from './watcher.ts';

/** The retries of a deploy. They stop early, because the watch pauses and then publishes the newest state of the folder. */
const RETRIES: Partial<RetryPolicy> = { attempts: 3, withinMs: 5_000 };

/** The functions that a watch uses. Tests replace them to cause rare situations. */
export const WATCH_PARTS = { readFolder, deployFolder, createWatcher };
export type WatchParts = typeof WATCH_PARTS;

/** The input of a watch, and the functions that it uses. */
export interface WatchContext {
  /** The input of the watch, with an absolute path as `folder`. */
  input: WatchFolderInput;
  options: WatchOptions & { signal: AbortSignal };
  parts: WatchParts;
  emit(event: WatchEvent): void;
}

/** Scans, publishes and prunes for a watch. */
export class WatchPublisher {
  readonly #context: WatchContext;
  readonly #cacheDir: string;
  readonly #labels: readonly string[];
  readonly #pruner: Pruner;
  readonly #runOnePruning = pLimit(1);
  /** The last event of each type from the last scan. The watch emits them when it deploys the scanned files. */
  readonly #scanEvents = new Map<FolderEvent['type'], FolderEvent>();
  #snapshot: ReadFolder | null = null;
  #isLiveKnown = false;
  #mayPrune = true;

  /** @throws ClientError `signed-out` or `refused`, for the reasons that `watchFolder` names. */
  constructor(context: WatchContext) {
    const { input, options } = context;
    if (input.client.key === null)
      throw new ClientError('signed-out', 'A watch needs a key. Without a key, each deploy gets a different link.');
    checkPassword(input.password);
    readKeep(input);
    this.#context = context;
    this.#cacheDir = options.cacheDir ?? defaultCacheDir();
    this.#labels = labelsOf(input);
    this.#pruner = new Pruner(input);
  }

  /** Returns what is live according to the local cache. @throws ClientError `aborted`. */
  async readCachedLive(): Promise<Omit<Live, 'confirmed'> | null> {
    const { input, options } = this.#context;
    const { client, folder, domain = null } = input;
    const stats = await statOnDrive(folder, options.signal);
    const source = stats && (await unlessAborted(realpath(folder), options.signal));
    const lastDeployment = source && findLastDeployment(this.#cacheDir, { client, source, domain });
    return lastDeployment ? scanOf(lastDeployment) : null;
  }

  async scan(): Promise<WatchInput> {
    const { input, options, parts } = this.#context;
    this.#scanEvents.clear();
    await options.source?.ready(options.signal);
    const stats = await statOnDrive(input.folder, options.signal);
    if (!(stats?.isDirectory() || (stats?.isFile() && isHtmlFile(input.folder))))
      return { type: 'scanned', scan: { found: 'gone', id: 'gone', frontPage: false } };
    const events = (options.disk?.readFolder ?? parts.readFolder)(input.folder, {
      cacheDir: this.#cacheDir,
      ignore: input.ignore,
      signal: options.signal,
    });
    this.#snapshot = await drain(events, (event) => this.#scanEvents.set(event.type, event));
    return { type: 'scanned', scan: summarizeFiles(this.#snapshot.files) };
  }

  /** Publishes the files of the last scan. @throws ClientError. */
  async publish(): Promise<WatchInput> {
    if (this.#snapshot === null) throw new Error('A publish started before the first scan');
    const isUnchanged = !this.#isLiveKnown && (await this.#isAlreadyLive(this.#snapshot));
    const result: WatchInput = isUnchanged ? { type: 'unchanged' } : await this.#deploy(this.#snapshot);
    this.#isLiveKnown = true;
    return result;
  }

  /** Deletes old deployments. Emits a failure as an event; the next call tries again. */
  prune(): Promise<void> {
    const { options, emit } = this.#context;
    return this.#runOnePruning(async () => {
      const deployments: string[] = [];
      try {
        if (this.#mayPrune) await this.#pruner.prune(options.signal, (deployment) => deployments.push(deployment));
      } catch (error) {
        if (options.signal.aborted) return;
        if (!(error instanceof ClientError)) throw error;
        this.#mayPrune = error.kind !== 'signed-out';
        emit({ type: 'failed', error, waitMs: null, during: 'prune' });
      }
      if (deployments.length > 0) emit({ type: 'pruned', deployments });
    });
  }

  async #isAlreadyLive({ source, files }: ReadFolder): Promise<boolean> {
    const { client, domain = null, password } = this.#context.input;
    const target = { client, source, domain };
    const lastDeployment = findLastDeployment(this.#cacheDir, target);
    if (lastDeployment === null || scanOf(lastDeployment).id !== summarizeFiles(files).id) return false;
    if (lastDeployment.password !== (await hashPassword(password, targetCacheName(target)))) return false;
    return isLive(client, lastDeployment.deployment, domain, this.#context.options.signal);
  }

  async #deploy(snapshot: ReadFolder): Promise<WatchInput> {
    const { input, options, parts, emit } = this.#context;
    const { signal, delta, disk } = options;
    let url: string | null = null;
    for (const event of this.#scanEvents.values()) emit(event);
    const events = parts.deployFolder(
      // The watch prunes its series itself, because others may publish to the domain too.
      { ...input, keep: undefined, labels: this.#labels },
      { signal, cacheDir: this.#cacheDir, delta, retries: RETRIES, snapshot, disk },
    );
    const deployment = await drain(events, (event) => {
      emit(event);
      if (event.type === 'committed') this.#pruner.add(event.deployment.deployment);
      if (event.type === 'linked') url = event.domain.url;
    });
    return { type: 'published', deployment, url: url ?? deployment.url };
  }
}

function scanOf({ files }: LastDeployment): Scan {
  const inOrder = [...files].map(([path, sha256]) => ({ path, sha256 })).toSorted((a, b) => (a.path < b.path ? -1 : 1));
  return summarizeFiles(inOrder);
}

/** Summarizes files by their paths and hashes. @param files Sorted by path in code unit order. */
function summarizeFiles(files: readonly Pick<FolderFile, 'path' | 'sha256'>[]): Scan {
  if (files.length === 0) return { found: 'empty', id: 'empty', frontPage: false };
  return { found: 'files', id: hashOfFiles(files), frontPage: files.some(({ path }) => path === 'index.html') };
}

/** Returns true if the domain points at the deployment or, without a domain, if the deployment exists and never expires. */
async function isLive(
  { api }: BerthClient,
  deployment: string,
  domain: string | null,
  signal: AbortSignal,
): Promise<boolean> {
  try {
    const foundDeployment = await api.deployments.get.query({ deployment }, { signal });
    if (foundDeployment.status !== 'success' || foundDeployment.expires !== undefined) return false;
    if (domain === null) return true;
    const linkedDomain = await api.domains.get.query({ domain: wholeDomainName(domain, foundDeployment) }, { signal });
    return linkedDomain.deployment === deployment;
  } catch (error) {
    // A deploy token is not allowed to read deployments (403). The deployment then counts as not live.
    if (error instanceof ClientError && (error.status === 404 || error.status === 403)) return false;
    throw error;
  }
}
