import { randomInt } from 'node:crypto';
import { basename, dirname } from 'node:path';
import { type BerthClient, ClientError, validateDomain } from '@berth/client';
import type { DomainValidation } from '@berth/contract';

/** Usual names of build folders. A site in such a folder is named after the parent folder. */
const BUILD_FOLDERS = new Set(['dist', 'build', 'out', 'public', '_site', 'www', 'site', 'html', 'docs']);
const MAX_LENGTH = 40;
const MIN_LENGTH = 3;
const MAX_NUMBER = 5;
const RANDOM_NAMES = 3;
const LETTERS = 'abcdefghijkmnpqrstuvwxyz';

export interface SuggestedName {
  name: string;
  /** The server's validation; `null` if the server cannot be reached. */
  validation: DomainValidation | null;
}

/** Turns the name of a folder into the first label of a name below the platform domain. Source: api §4. */
function nameOfFolder(path: string): string {
  let folder = path;
  while (BUILD_FOLDERS.has(basename(folder).toLowerCase()) && dirname(folder) !== folder) folder = dirname(folder);
  const slug = basename(folder)
    .normalize('NFKD')
    .toLowerCase()
    .replace(/\p{M}+/gu, '')
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, MAX_LENGTH)
    .replace(/^-|-$/g, '');
  if (slug === '') return 'my-site';
  return slug.length < MIN_LENGTH ? `${slug}-site` : slug;
}

/** Validates a name on the server. @returns `null` while the user is signed out (`client` is `null`) or the server cannot be reached. */
export async function validateName(client: BerthClient | null, name: string): Promise<DomainValidation | null> {
  try {
    return client && (await validateDomain(client, name));
  } catch (error) {
    if (error instanceof ClientError) return null;
    throw error;
  }
}

/**
 * Suggests a free name for a folder: the folder's name, if necessary with a number or random letters. A name that the account
 * already owns is not free, because it shows a site.
 *
 * @param isTaken Returns true for the names of other watched folders.
 */
export async function suggestName(
  client: BerthClient | null,
  path: string,
  isTaken: (name: string) => boolean,
): Promise<SuggestedName> {
  const folderName = nameOfFolder(path);
  let suggestion: SuggestedName = { name: folderName, validation: null };
  for (const name of candidates(folderName)) {
    if (isTaken(name)) continue;
    const validation = await validateName(client, name);
    suggestion = { name, validation };
    if (validation === null) return suggestion;
    if (validation.valid && validation.available && !(await isOwn(client!, validation))) return suggestion;
  }
  return suggestion;
}

function* candidates(folderName: string): Generator<string> {
  yield folderName;
  for (let number = 2; number <= MAX_NUMBER; number += 1) yield `${folderName}-${number}`;
  for (let i = 0; i < RANDOM_NAMES; i += 1)
    yield `${folderName}-${Array.from({ length: 4 }, () => LETTERS[randomInt(LETTERS.length)]).join('')}`;
}

async function isOwn({ api }: BerthClient, { normalized }: DomainValidation): Promise<boolean> {
  try {
    await api.domains.get.query({ domain: normalized! });
    return true;
  } catch (error) {
    if (error instanceof ClientError) return false;
    throw error;
  }
}
