import { realpathSync } from 'node:fs';
import { deployFolder } from '../deploy/deploy-folder.ts';
import { refuseBadPassword } from '../deploy/publish.ts';
import { markOf } from '../deploy/password-mark.ts';
import { ClientError } from '../errors.ts';
import { defaultCacheDir } from '../folder/cache-files.ts';
import { askDrive } from '../folder/drive.ts';
import { findPublished, nameOfTarget, type Published, type Target } from '../folder/published.ts';
import type { FolderEvent } from '../folder/events.ts';
import { takeAll } from '../progress.ts';
import { type ReadFolder, readFolder } from '../folder/read-folder.ts';
import type { RetryPolicy } from '../retry.ts';
import type { WatchInput, Live, Scan } from './state.ts';
import type { WatchEvent } from './events.ts';
import type { WatchFolderInput, WatchOptions } from './input.ts';
import { toScan, scanFolder } from './scan.ts';
import { readKeep } from './keep.ts';
import { watchLabel, withWatchLabel } from './marks.ts';
import { createPruner } from './pruner.ts';
import { isShown } from './shown.ts';

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
  remembered(): Promise<Omit<Live, 'sure'> | null>;
  look(): Promise<WatchInput>;
  /** Publishes the files of the last scan. */
  publish(): Promise<WatchInput>;
  /** Deletes old deployments. Emits failures as events, and retries at the next call. */
  prune(): Promise<void>;
}

/**
 * Creates the publisher of a watch.
 *
 * @param input Its `folder` must be absolute.
 * @param tell Receives the events of deploys, and which deployments were pruned.
 * @throws ClientError `signed-out`, `refused`, as `watchFolder`.
 */
export function createPublisher(
  input: WatchFolderInput,
  options: WatchOptions & { signal: AbortSignal },
  parts: PublisherParts,
  tell: (event: WatchEvent) => void,
): Publisher {
  const { folder, client, domain = null } = input;
  const { signal, delta, cacheDir = defaultCacheDir() } = options;
  if (client.key === null)
    throw new ClientError('signed-out', 'A watch needs a key: without an account each deploy has another link.');
  refuseBadPassword(input.password);
  const keep = (): number => readKeep(input);
  keep();
  const label = watchLabel(input);
  const labels = withWatchLabel(input.labels ?? [], label);
  const pruner = createPruner(client, label, keep);
  let found: ReadFolder | null = null;
  /** The last event of each type from the last scan. They are emitted with the deploy, as if it had read the folder itself. */
  const read = new Map<FolderEvent['type'], FolderEvent>();
  let knowsLive = false;
  let mayPrune = true;
  let pruning: Promise<void> = Promise.resolve();

  const targetAt = (root: string): Target => ({ client, root, domain });

  const isLiveAlready = async ({ root, files }: ReadFolder): Promise<boolean> => {
    const before = findPublished(cacheDir, targetAt(root));
    if (before === null || lookOf(before).id !== toScan(files).id) return false;
    if (before.password !== (await markOf(input.password, nameOfTarget(targetAt(root))))) return false;
    return isShown(client, before.deployment, domain, signal);
  };

  const deploy = async (snapshot: ReadFolder): Promise<WatchInput> => {
    let url: string | null = null;
    for (const event of read.values()) tell(event);
    const events = parts.deployFolder({ ...input, labels }, { signal, cacheDir, delta, retries: RETRIES, snapshot });
    const deployment = await takeAll(events, (event) => {
      tell(event);
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
      tell({ type: 'failed', error, waitMs: null });
    }
    if (deployments.length > 0) tell({ type: 'pruned', deployments });
  };

  return {
    async remembered() {
      const there = await askDrive(folder, signal);
      const before = there && findPublished(cacheDir, targetAt(realpathSync(folder)));
      return before && lookOf(before);
    },
    look: () =>
      orFailed(async () => {
        read.clear();
        const reading = () =>
          takeAll(parts.readFolder(folder, { cacheDir, signal }), (event) => read.set(event.type, event));
        const looked = await scanFolder(folder, reading, signal);
        found = looked.snapshot;
        return { type: 'scanned', scan: looked.scan };
      }),
    publish: () =>
      orFailed(async () => {
        if (found === null) throw new Error('Nothing was found that could be published');
        const isFound = !knowsLive && (await isLiveAlready(found));
        const happening: WatchInput = isFound ? { type: 'unchanged' } : await deploy(found);
        knowsLive = true;
        return happening;
      }),
    prune: () => (pruning = pruning.then(pruneOnce)),
  };
}

function lookOf({ files }: Published): Scan {
  const inOrder = [...files].map(([path, sha256]) => ({ path, sha256 })).toSorted((a, b) => (a.path < b.path ? -1 : 1));
  return toScan(inOrder);
}

async function orFailed(work: () => Promise<WatchInput>): Promise<WatchInput> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ClientError) return { type: 'failed', error };
    throw error;
  }
}
