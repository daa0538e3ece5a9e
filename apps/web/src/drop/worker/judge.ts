import {
  BUILD_CONFIGS,
  BUILDS,
  type FolderDoubt,
  folderDoubt,
  type FoundFile,
  FRONT_PAGE,
  PERSONAL_FOLDER,
  SOURCES,
} from '@berth/client/browser/upload';
import { ClientError } from '@berth/client/browser';
import { FileRefusals, formatBytes, type Limits, refusedPath } from '@berth/contract';
import type { Source } from './sources.ts';

/** The limits of a deploy. */
export type FileLimits = Omit<Limits, 'platformDomain'>;

/** Finds out whether a person probably meant another folder. @param name The name of the folder. */
export async function findDoubt(source: Source, name: string): Promise<FolderDoubt | null> {
  const hasPage = (folder: string) => source.has(`${folder}/${FRONT_PAGE}`);
  const frontPage = await source.has(FRONT_PAGE);
  const builds = await filter(BUILDS, hasPage);
  return folderDoubt({
    // The browser gives only the name of a folder, not its path.
    personal: !frontPage && PERSONAL_FOLDER.test(name),
    frontPage,
    source: await hasAny(source, SOURCES),
    unbuilt: await hasAny(source, BUILD_CONFIGS),
    builds,
    sites: frontPage ? [] : await filter((await source.folders()).filter(isOther), hasPage),
  });
}

/** Leaves out known and hidden folders and `node_modules`. */
function isOther(folder: string): boolean {
  return !/^[._]|^node_modules$/.test(folder) && !BUILDS.includes(folder);
}

async function hasAny(source: Source, names: readonly string[]): Promise<boolean> {
  for (const name of names) if (await source.has(name)) return true;
  return false;
}

async function filter(names: readonly string[], test: (name: string) => Promise<boolean>): Promise<string[]> {
  const kept: string[] = [];
  for (const name of names) if (await test(name)) kept.push(name);
  return kept;
}

/**
 * Refuses files that the server would refuse, before anything is read or sent.
 *
 * @param limits The limits of the deploy; `null` if they are unknown. The server checks them in any case.
 * @throws ClientError: `folder` that names the refused files; `refused` with `payload_too_large` for a limit. Source: api §3, §6.
 */
export function refuseFiles(found: readonly FoundFile[], limits: FileLimits | null): void {
  if (found.length === 0) throw new ClientError('folder', 'There are no files to publish.');
  if (!limits) return;
  const blocked = new Set(limits.blockedExtensions);
  const refusals = new FileRefusals();
  let totalBytes = 0;
  for (const { path, blob } of found) {
    const reason = refusedPath(path, blocked);
    if (reason) refusals.add(path, reason);
    if (blob.size > limits.maxFileSize) throw tooLarge('maxFileSize', limits.maxFileSize, path);
    totalBytes += blob.size;
  }
  const summary = refusals.summary();
  if (summary) {
    const { message, file, issues } = summary;
    throw new ClientError('folder', `${message}.`, { file, details: { issues } });
  }
  if (found.length > limits.maxFilesCount) throw tooLarge('maxFilesCount', limits.maxFilesCount);
  if (totalBytes > limits.maxTotalSize) throw tooLarge('maxTotalSize', limits.maxTotalSize);
}

/** The error with which the server would answer. */
function tooLarge(limit: 'maxFileSize' | 'maxFilesCount' | 'maxTotalSize', max: number, file?: string): ClientError {
  return new ClientError('refused', `The limit ${limit} is ${limit === 'maxFilesCount' ? max : formatBytes(max)}.`, {
    code: 'payload_too_large',
    status: 413,
    file,
    details: { limit, max, ...(file !== undefined && { file }) },
  });
}
