import { realpathSync } from 'node:fs';
import { deployFolder } from '../deploy/deploy-folder.ts';
import { checkPassword } from '../deploy/publish.ts';
import { hashPassword } from '../deploy/password-hash.ts';
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
import { drain } from '../progress.ts';
import { type ReadFolder, readFolder } from '../folder/read-folder.ts';
import type { RetryPolicy } from '../retry.ts';
import type { WatchInput, Live, Scan } from './state.ts';
import type { WatchEvent } from './events.ts';
import type { WatchFolderInput, WatchOptions } from './input.ts';
import { summarizeFiles, scanFolder } from './scan.ts';
import { readKeep } from './keep.ts';
import { watchLabel, withWatchLabel } from './watch-label.ts';
import { createPruner } from './pruner.ts';
import { isLive } from './is-live.ts';

/** A deploy stops retrying early, because the watch pauses and then publishes the newest state of the folder. */
const RETRIES: Partial<RetryPolicy> = { attempts: 3, withinMs: 5_000 };

/** The functions that a publisher uses. Tests replace them. */
export interface PublisherParts {
  readFolder: typeof readFolder;
  deployFolder: typeof deployFolder;
}

export const PUBLISHER_PARTS: PublisherParts = { readFolder, deployFolder };

/** Runs the effects of a watch. Failures are returned as inputs of the watch. */
export interface Publisher {
  /** Returns the last deployment according to the local cache. @throws ClientError `aborted`. */
  readCachedLive(): Promise<Omit<Live, 'confirmed'> | null>;
  scan(): Promise<WatchInput>;
  /** Publishes the files of the last scan. */
  publish(): Promise<WatchInput>;
  /** Deletes old deployments. Emits failures as events, and retries at the next call. */
  prune(): Promise<void>;
}

/**
 * Creates the publisher of a watch.
 *
 * @param input Its `folder` must be absolute.
 * @param emit Receives the events of deploys, and which deployments were pruned.
 * @throws ClientError `signed-out`, `refused`, as `watchFolder`.
 */
export function createPublisher(
  input: WatchFolderInput,
  options: WatchOptions & { signal: AbortSignal },
  parts: PublisherParts,
  emit: (event: WatchEvent) => void,
): Publisher {
  const { folder, client, domain = null } = input;
  const { signal, delta, cacheDir = defaultCacheDir() } = options;
  if (client.key === null)
    throw new ClientError('signed-out', 'A watch needs a key. Without an account, each deploy gets a different link.');
  checkPassword(input.password);
  const keep = (): number => readKeep(input);
  keep();
  const label = watchLabel(input);
  const labels = withWatchLabel(input.labels ?? [], label);
  const pruner = createPruner(client, label, keep);
  let snapshot: ReadFolder | null = null;
  /** The last event of each type from the last scan. They are emitted with the deploy, as if it had read the folder itself. */
  const scanEvents = new Map<FolderEvent['type'], FolderEvent>();
  let liveIsKnown = false;
  let mayPrune = true;
  let pruning: Promise<void> = Promise.resolve();

  const targetAt = (root: string): PublishTarget => ({ client, root, domain });

  const isAlreadyLive = async ({ root, files }: ReadFolder): Promise<boolean> => {
    const before = findLastDeployment(cacheDir, targetAt(root));
    if (before === null || scanOf(before).id !== summarizeFiles(files).id) return false;
    if (before.password !== (await hashPassword(input.password, targetCacheName(targetAt(root))))) return false;
    return isLive(client, before.deployment, domain, signal);
  };

  const deploy = async (snapshot: ReadFolder): Promise<WatchInput> => {
    let url: string | null = null;
    for (const event of scanEvents.values()) emit(event);
    const events = parts.deployFolder({ ...input, labels }, { signal, cacheDir, delta, retries: RETRIES, snapshot });
    const deployment = await drain(events, (event) => {
      emit(event);
      if (event.type === 'committed') pruner.add(event.deployment.deployment);
      if (event.type === 'linked') url = event.domain.url;
    });
    return { type: 'published', deployment, url: url ?? deployment.url };
  };

  const pruneOnce = async (): Promise<void> => {
    const deployments: string[] = [];
    try {
      if (mayPrune) await pruner.prune(signal, (deployment) => deployments.push(deployment));
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof ClientError)) throw error;
      mayPrune = error.kind !== 'signed-out';
      emit({ type: 'failed', error, waitMs: null });
    }
    if (deployments.length > 0) emit({ type: 'pruned', deployments });
  };

  return {
    async readCachedLive() {
      const there = await statOnDrive(folder, signal);
      const before = there && findLastDeployment(cacheDir, targetAt(realpathSync(folder)));
      return before && scanOf(before);
    },
    scan: () =>
      failureAsInput(async () => {
        scanEvents.clear();
        const reading = () =>
          drain(parts.readFolder(folder, { cacheDir, signal }), (event) => scanEvents.set(event.type, event));
        const scanned = await scanFolder(folder, reading, signal);
        snapshot = scanned.snapshot;
        return { type: 'scanned', scan: scanned.scan };
      }),
    publish: () =>
      failureAsInput(async () => {
        if (snapshot === null) throw new Error('A publish started before the first scan');
        const isUnchanged = !liveIsKnown && (await isAlreadyLive(snapshot));
        const result: WatchInput = isUnchanged ? { type: 'unchanged' } : await deploy(snapshot);
        liveIsKnown = true;
        return result;
      }),
    prune: () => (pruning = pruning.then(pruneOnce)),
  };
}

function scanOf({ files }: LastDeployment): Scan {
  const inOrder = [...files].map(([path, sha256]) => ({ path, sha256 })).toSorted((a, b) => (a.path < b.path ? -1 : 1));
  return summarizeFiles(inOrder);
}

async function failureAsInput(work: () => Promise<WatchInput>): Promise<WatchInput> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ClientError) return { type: 'failed', error };
    throw error;
  }
}
