import { randomInt } from 'node:crypto';
import { basename, dirname } from 'node:path';
import { type BerthClient, ClientError, validateDomain } from '@berth/client';
import type { DomainValidation } from '@berth/contract';

/** Usual names of build output. A site in such a folder is named after the parent folder. */
const BUILDS = new Set(['dist', 'build', 'out', 'public', '_site', 'www', 'site', 'html', 'docs']);
const MAX_LENGTH = 40;
const MIN_LENGTH = 3;
const MAX_NUMBER = 5;
const RANDOM_NAMES = 3;
const LETTERS = 'abcdefghijkmnpqrstuvwxyz';

/** A name with the server's validation, which is `null` if the server cannot be reached. */
export interface SuggestedName {
  name: string;
  validation: DomainValidation | null;
}

/** Turns the name of a folder into the first label of a name below the platform domain. Source: api §4. */
function nameOfFolder(path: string): string {
  let folder = path;
  while (BUILDS.has(basename(folder).toLowerCase()) && dirname(folder) !== folder) folder = dirname(folder);
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

/**
 * Validates a name on the server.
 *
 * @param client `null` while signed out.
 * @returns `null` while signed out, or when the server cannot be reached.
 */
export async function validateName(client: BerthClient | null, name: string): Promise<DomainValidation | null> {
  try {
    return client && (await validateDomain(client, name));
  } catch (error) {
    if (error instanceof ClientError) return null;
    throw error;
  }
}

/**
 * Suggests a free name for a folder: the folder's name, or that with a number or random letters. A name that the account has
 * already is not free, because it shows something.
 *
 * @param isTaken True for the names of other watched folders.
 */
export async function suggestName(
  client: BerthClient | null,
  path: string,
  isTaken: (name: string) => boolean,
): Promise<SuggestedName> {
  const folderName = nameOfFolder(path);
  let last: SuggestedName = { name: folderName, validation: null };
  for (const name of candidates(folderName)) {
    if (isTaken(name)) continue;
    last = { name, validation: await validateName(client, name) };
    if (last.validation === null) return last;
    if (last.validation.valid && last.validation.available && !(await isOwn(client!, last.validation))) return last;
  }
  return last;
}

function* candidates(own: string): Generator<string> {
  yield own;
  for (let number = 2; number <= MAX_NUMBER; number += 1) yield `${own}-${number}`;
  for (let i = 0; i < RANDOM_NAMES; i += 1)
    yield `${own}-${Array.from({ length: 4 }, () => LETTERS[randomInt(LETTERS.length)]).join('')}`;
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
