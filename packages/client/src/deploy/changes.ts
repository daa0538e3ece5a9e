import { existsSync } from 'node:fs';
import { drain } from '../progress.ts';
import { defaultCacheDir } from '../folder/cache-files.ts';
import { findLastDeployment, type LastDeployment } from '../folder/last-deployment.ts';
import { readFolder, resolveSource } from '../folder/read-folder.ts';
import type { Amount, FolderFile, SkippedFile } from '../folder/snapshot.ts';
import type { Changes } from './events.ts';
import type { DeployFolderInput, DeployOptions } from './input.ts';

/** The result of a dry run. */
export interface FolderPlan {
  changes: Changes;
  /** The contents that were not in the last deployment. The server may already have some of them. */
  missing: Amount;
  /** All files of the folder. */
  total: Amount;
  /** The id of the last deployment of the folder; `null` if unknown. */
  base: string | null;
  skipped: readonly SkippedFile[];
}

/**
 * Computes what publishing a folder would do. Sends nothing.
 *
 * @throws ClientError of the kind `folder` or `aborted`.
 */
export async function planFolder(
  { client, folder, domain, ignore }: DeployFolderInput,
  { cacheDir = defaultCacheDir(), signal }: DeployOptions = {},
): Promise<FolderPlan> {
  const { source, files, totalBytes, skipped } = await drain(readFolder(folder, { cacheDir, ignore, signal }));
  const lastDeployment = findLastDeployment(cacheDir, { client, source, domain: domain ?? null });
  const { put, changes } = compareWithLastDeployment(lastDeployment, files);
  const known = new Set(lastDeployment?.files.values());
  const missing = { files: 0, bytes: 0 };
  for (const { sha256, size } of put) {
    if (known.has(sha256)) continue;
    known.add(sha256);
    missing.files += 1;
    missing.bytes += size;
  }
  const total = { files: files.length, bytes: totalBytes };
  return { changes, missing, total, base: lastDeployment?.deployment ?? null, skipped };
}

/**
 * Returns the id of the deployment that this machine published last from a folder, with this credential and domain; `null` if
 * there is none or the folder does not exist. Sends nothing.
 */
export function findLastDeploymentId(
  { client, folder, domain }: DeployFolderInput,
  { cacheDir = defaultCacheDir() }: DeployOptions = {},
): string | null {
  if (!existsSync(folder)) return null;
  const target = { client, source: resolveSource(folder).source, domain: domain ?? null };
  return findLastDeployment(cacheDir, target)?.deployment ?? null;
}

/** The changes of a folder, and its added and changed files (`put`). */
export type Difference = { changes: Changes; put: readonly FolderFile[] };

/** Compares files with the last deployment. If the last deployment is unknown, all files count as added. */
export function compareWithLastDeployment(
  lastDeployment: LastDeployment | null,
  files: readonly FolderFile[],
): Difference {
  const hashesBefore = lastDeployment?.files ?? new Map<string, string>();
  const added: string[] = [];
  const changed: string[] = [];
  const put: FolderFile[] = [];
  const currentPaths = new Set<string>();
  for (const file of files) {
    currentPaths.add(file.path);
    const sha256 = hashesBefore.get(file.path);
    if (sha256 === file.sha256) continue;
    put.push(file);
    (sha256 === undefined ? added : changed).push(file.path);
  }
  const removed = [...hashesBefore.keys()].filter((path) => !currentPaths.has(path));
  return { changes: { added, changed, removed, unchanged: files.length - put.length }, put };
}
