import { realpath } from 'node:fs/promises';
import { type BerthClient, ClientError, findWholeName, onDriveWithin, refuseUnusableDomain } from '@berth/client';
import { Labels, MAX_LABELS, Password } from '@berth/contract';
import { ANSWER_WITHIN_MS, GIVEN_WITHIN_MS } from '../drive-limits.ts';
import { readDomain } from '../sites/domain-name.ts';
import type { FolderRecord } from './folder-state.ts';

/** Checks the labels of a watch: one fewer than usual, because the watch adds its own. @throws ClientError `refused`. */
export function checkLabels(labels: readonly string[]): string[] {
  const read = Labels.safeParse(labels);
  if (!read.success) throw new ClientError('refused', `These labels are invalid: ${read.error.issues[0]?.message}.`);
  if (read.data.length >= MAX_LABELS)
    throw new ClientError(
      'refused',
      `A watched folder can have at most ${MAX_LABELS - 1} labels, because watching adds one.`,
    );
  return read.data;
}

/** Checks a password by the server's rules. @throws ClientError `refused`. */
export function checkPassword(typed: string): string {
  const read = Password.safeParse(typed);
  if (read.success) return read.data;
  throw new ClientError('refused', `This password is invalid: ${read.error.issues[0]?.message}.`);
}

/** Checks that a path is a folder and is not watched already. @throws ClientError `folder` or `refused`. */
export async function checkPath(path: string, others: readonly FolderRecord[]): Promise<void> {
  const [real, places] = await Promise.all([
    onDriveWithin(path, ANSWER_WITHIN_MS, async (found) => {
      if (found?.isDirectory() !== true) throw new ClientError('folder', `There is no folder at ${path}.`);
      return realpath(path);
    }),
    Promise.all(others.map((other) => placeOf(other.path))),
  ]);
  for (const [i, other] of others.entries())
    if (other.path === path || places[i] === real)
      throw new ClientError('refused', `${path} is already watched. Its address is ${other.url ?? other.domain}.`);
}

/** The real path of a folder; the given path if the drive does not answer in time. */
function placeOf(path: string): Promise<string> {
  return onDriveWithin(path, GIVEN_WITHIN_MS, () => realpath(path)).catch(() => path);
}

/**
 * Checks that a name is available, if the server can be reached, and that no other watched folder uses it.
 *
 * @param others The other watched folders of the same server.
 * @returns The normalized name. @throws ClientError `refused`.
 */
export async function checkDomain(
  client: BerthClient,
  typed: string,
  others: readonly FolderRecord[],
): Promise<string> {
  const name = readDomain(typed);
  const whole = await findWholeName(client, name).catch(() => null);
  const isSame = async ({ domain, url }: FolderRecord): Promise<boolean> => {
    if (domain === name) return true;
    if (whole === null) return false;
    return whole === (url === null ? await findWholeName(client, domain).catch(() => null) : new URL(url).hostname);
  };
  for (const other of others)
    if (await isSame(other))
      throw new ClientError('refused', `${name} is already used for ${other.path}. Choose another name.`);
  await refuseUnusableDomain(client, name);
  return name;
}
