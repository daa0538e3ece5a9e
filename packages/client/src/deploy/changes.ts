import { existsSync } from 'node:fs';
import { drain } from '../progress.ts';
import { defaultCacheDir } from '../folder/cache-files.ts';
import { findLastDeployment } from '../folder/last-deployment.ts';
import { readFolder, resolveSource } from '../folder/read-folder.ts';
import type { Amount, SkippedFile } from '../folder/snapshot.ts';
import { compareWithLastDeployment } from './compare.ts';
import type { Changes } from './events.ts';
import type { DeployFolderInput, DeployOptions } from './input.ts';
import { findShownDeployment } from './live-files.ts';

/** The result of a dry run. */
export interface FolderPlan {
  changes: Changes;
  /** The contents that the compared deployment does not have. The server may have some of them from other deployments. */
  missing: Amount;
  /** All files of the folder. */
  total: Amount;
  /** The id of the deployment that the folder was compared with; `null` if it was compared with nothing. */
  base: string | null;
  skipped: readonly SkippedFile[];
}

/**
 * Computes what publishing a folder would change. Sends no files.
 *
 * Compares the folder with what the domain shows. Without a domain, compares it with the last deployment of the folder from this
 * machine, and sends nothing at all.
 *
 * @throws ClientError of the kind `folder` or `aborted`; with a domain, also the errors of the server.
 */
export async function planFolder(
  { client, folder, domain, ignore }: DeployFolderInput,
  { cacheDir = defaultCacheDir(), signal }: DeployOptions = {},
): Promise<FolderPlan> {
  const { source, files, totalBytes, skipped } = await drain(readFolder(folder, { cacheDir, ignore, signal }));
  const lastDeployment = findLastDeployment(cacheDir, { client, source, domain: domain ?? null });
  const base =
    domain === undefined
      ? lastDeployment
      : await findShownDeployment(client, domain, lastDeployment, signal ?? new AbortController().signal);
  const { put, changes } = compareWithLastDeployment(base, files);
  const knownHashes = new Set(base?.files.values());
  const missing = { files: 0, bytes: 0 };
  for (const { sha256, size } of put) {
    if (knownHashes.has(sha256)) continue;
    knownHashes.add(sha256);
    missing.files += 1;
    missing.bytes += size;
  }
  const total = { files: files.length, bytes: totalBytes };
  return { changes, missing, total, base: base?.deployment ?? null, skipped };
}

/**
 * Returns the id of the deployment that this machine published last from a folder, with this credential and domain; `null` if
 * it never published the folder, or the folder does not exist. Sends nothing.
 */
export function findLastDeploymentId(
  { client, folder, domain }: DeployFolderInput,
  { cacheDir = defaultCacheDir() }: DeployOptions = {},
): string | null {
  if (!existsSync(folder)) return null;
  const target = { client, source: resolveSource(folder).source, domain: domain ?? null };
  return findLastDeployment(cacheDir, target)?.deployment ?? null;
}
