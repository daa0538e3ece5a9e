import { drain } from '../progress.ts';
import { defaultCacheDir } from '../folder/cache-files.ts';
import type { Amount } from '../folder/events.ts';
import { findLastDeployment, type LastDeployment } from '../folder/last-deployment.ts';
import { readFolder } from '../folder/read-folder.ts';
import type { FolderFile, SkippedFile } from '../folder/snapshot.ts';
import type { Changes } from './events.ts';
import type { DeployFolderInput, DeployOptions } from './input.ts';

/** The result of a dry run. */
export interface FolderPlan {
  /** The difference to the last deployment of the folder. */
  changes: Changes;
  /** An estimate of what would be sent: the contents that were not in the last deployment. The server is not asked. */
  missing: Amount;
  total: Amount;
  /** The id of the last deployment; `null` if unknown. */
  base: string | null;
  skipped: readonly SkippedFile[];
}

/**
 * Computes what publishing a folder would do. Sends nothing.
 *
 * @throws ClientError of the kind `folder` or `aborted`.
 */
export async function planFolder(
  { client, folder, domain }: DeployFolderInput,
  { cacheDir = defaultCacheDir(), signal }: DeployOptions = {},
): Promise<FolderPlan> {
  const { root, files, totalBytes, skipped } = await drain(readFolder(folder, { cacheDir, signal }));
  const target = { client, root, domain: domain ?? null };
  const lastDeployment = findLastDeployment(cacheDir, target);
  const { put, changes } = compareWithLastDeployment(lastDeployment, files);
  const total = { files: files.length, bytes: totalBytes };
  return {
    changes,
    missing: countNewContents(put, lastDeployment),
    total,
    base: lastDeployment?.deployment ?? null,
    skipped,
  };
}

function countNewContents(put: readonly FolderFile[], lastDeployment: LastDeployment | null): Amount {
  const known = new Set(lastDeployment?.files.values());
  const amount = { files: 0, bytes: 0 };
  for (const { sha256, size } of put) {
    if (known.has(sha256)) continue;
    known.add(sha256);
    amount.files += 1;
    amount.bytes += size;
  }
  return amount;
}

/** Changes, and the files that must be published for them. */
export interface Difference {
  changes: Changes;
  /** The added and changed files. */
  put: readonly FolderFile[];
}

/** Compares files with the deployment that was published before. If it is unknown, all files count as added. */
export function compareWithLastDeployment(
  lastDeployment: LastDeployment | null,
  files: readonly FolderFile[],
): Difference {
  const before = lastDeployment?.files ?? new Map<string, string>();
  const added: string[] = [];
  const changed: string[] = [];
  const put: FolderFile[] = [];
  const now = new Set<string>();
  for (const file of files) {
    now.add(file.path);
    const sha256 = before.get(file.path);
    if (sha256 === file.sha256) continue;
    put.push(file);
    (sha256 === undefined ? added : changed).push(file.path);
  }
  const removed = [...before.keys()].filter((path) => !now.has(path));
  return { changes: { added, changed, removed, unchanged: files.length - put.length }, put };
}
