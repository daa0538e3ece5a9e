import { realpath } from 'node:fs/promises';
import { type BerthClient, ClientError, findWholeName, onDriveWithin, refuseUnusableDomain } from '@berth/client';
import { Labels, MAX_LABELS, Password } from '@berth/contract';
import { DRIVE_LIMIT_MS, IDENTIFY_LIMIT_MS } from '../drive-limits.ts';
import { readDomain } from '../sites/domain-name.ts';
import type { FolderRecord } from './folder-state.ts';

/** Checks the labels of a watch. The maximum is one lower than usual, because watching adds a label. @throws ClientError `refused`. */
export function checkLabels(labels: readonly string[]): string[] {
  const { data, error } = Labels.safeParse(labels);
  if (!data) throw new ClientError('refused', `These labels are invalid: ${error.issues[0]?.message}.`);
  const tooMany = `A watched folder can have at most ${MAX_LABELS - 1} labels, because watching adds one.`;
  if (data.length >= MAX_LABELS) throw new ClientError('refused', tooMany);
  return data;
}

/** Checks a password against the server's rules. @throws ClientError `refused`. */
export function checkPassword(typed: string): string {
  const { success, data, error } = Password.safeParse(typed);
  if (success) return data;
  throw new ClientError('refused', `This password is invalid: ${error.issues[0]?.message}.`);
}

/**
 * Checks that a folder exists and that what is published from it is not watched yet.
 *
 * @param root The folder that the user has chosen. @param path The folder that is published, which is inside it or the same. A
 *   build may not have written it yet.
 * @throws ClientError `folder` or `refused`.
 */
export async function checkPath(root: string, path: string, others: readonly FolderRecord[]): Promise<void> {
  const [realFolder, otherRealFolders] = await Promise.all([
    onDriveWithin(root, DRIVE_LIMIT_MS, async (stats) => {
      if (stats?.isDirectory() !== true) throw new ClientError('folder', `There is no folder at ${root}.`);
      return realpath(path).catch(() => path);
    }),
    Promise.all(others.map((other) => realPathOf(other.path))),
  ]);
  for (const [i, other] of others.entries())
    if (other.path === path || otherRealFolders[i] === realFolder)
      throw new ClientError('refused', `${path} is already watched. Its address is ${other.url ?? other.domain}.`);
}

/** The real path of a folder; the given path if the drive does not respond in time. */
function realPathOf(path: string): Promise<string> {
  return onDriveWithin(path, IDENTIFY_LIMIT_MS, () => realpath(path)).catch(() => path);
}

/**
 * Checks that no other watched folder uses a domain, and that the domain is available if the server can be reached.
 *
 * @param others The other watched folders of the same server.
 * @returns The normalized domain. @throws ClientError `refused`.
 */
export async function checkDomain(
  client: BerthClient,
  typed: string,
  others: readonly FolderRecord[],
): Promise<string> {
  const name = readDomain(typed);
  const wholeName = await findWholeName(client, name).catch(() => null);
  const hasSameDomain = async ({ domain, url }: FolderRecord): Promise<boolean> => {
    if (domain === name) return true;
    if (wholeName === null) return false;
    return wholeName === (url === null ? await findWholeName(client, domain).catch(() => null) : new URL(url).hostname);
  };
  for (const otherFolder of others)
    if (await hasSameDomain(otherFolder))
      throw new ClientError('refused', `${name} is already used for ${otherFolder.path}. Choose another name.`);
  await refuseUnusableDomain(client, name);
  return name;
}
