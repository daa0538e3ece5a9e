import { takeAll } from '../progress.ts';
import { defaultCacheDir } from '../folder/cache-files.ts';
import type { Amount } from '../folder/events.ts';
import { findPublished, type Published } from '../folder/published.ts';
import { readFolder } from '../folder/read-folder.ts';
import type { FolderFile, SkippedFile } from '../folder/snapshot.ts';
import { differenceOf } from './changes.ts';
import type { Changes } from './events.ts';
import type { DeployFolderInput, DeployOptions } from './input.ts';

/** What publishing a folder would do. */
export interface FolderPlan {
  /** How the folder differs from what was published of it before. */
  changes: Changes;
  /** What would have to be sent, as far as this machine knows: contents that were not in what was published before. */
  missing: Amount;
  total: Amount;
  /** The deployment that was published before; `null` when none is known. */
  base: string | null;
  skipped: readonly SkippedFile[];
}

/**
 * Says what publishing a folder would do. Nothing is sent.
 *
 * @throws ClientError of the kind `folder` or `aborted`.
 */
export async function planFolder(
  { client, folder, domain }: DeployFolderInput,
  { cacheDir = defaultCacheDir(), signal }: DeployOptions = {},
): Promise<FolderPlan> {
  const { root, files, totalBytes, skipped } = await takeAll(readFolder(folder, { cacheDir, signal }));
  const target = { client, root, domain: domain ?? null };
  const published = findPublished(cacheDir, target);
  const { put, changes } = differenceOf(published, files);
  const total = { files: files.length, bytes: totalBytes };
  return { changes, missing: unknownOf(put, published), total, base: published?.deployment ?? null, skipped };
}

/** How many contents were not in what was published before. */
function unknownOf(put: readonly FolderFile[], published: Published | null): Amount {
  const known = new Set(published?.files.values());
  const amount = { files: 0, bytes: 0 };
  for (const { sha256, size } of put) {
    if (known.has(sha256)) continue;
    known.add(sha256);
    amount.files += 1;
    amount.bytes += size;
  }
  return amount;
}
