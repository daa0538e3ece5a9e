import { randomInt } from 'node:crypto';
import { basename, dirname } from 'node:path';
import { type BerthClient, ClientError, validateDomain } from '@berth/client';
import type { DomainValidation } from '@berth/contract';

/** What build tools call their folder: the site has the name of what is around it. */
const BUILDS = new Set(['dist', 'build', 'out', 'public', '_site', 'www', 'site', 'html', 'docs']);
const LONGEST = 40;
const SHORTEST = 3;
const NUMBERED = 5;
const RANDOM = 3;
const LETTERS = 'abcdefghijkmnpqrstuvwxyz';

/** A name, and what the server says about it; `null` when it cannot be asked. */
export interface SuggestedName {
  name: string;
  validation: DomainValidation | null;
}

/** The first part of a name below the platform domain, made of the name of a folder. Source: contract §4. */
export function nameOfFolder(path: string): string {
  let folder = path;
  while (BUILDS.has(basename(folder).toLowerCase()) && dirname(folder) !== folder) folder = dirname(folder);
  const slug = basename(folder)
    .normalize('NFKD')
    .toLowerCase()
    .replace(/\p{M}+/gu, '')
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, LONGEST)
    .replace(/^-|-$/g, '');
  if (slug === '') return 'my-site';
  return slug.length < SHORTEST ? `${slug}-site` : slug;
}

/**
 * Whether a name can be had, as far as that can be known.
 *
 * @param client `null` when nobody is signed in.
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
 * A free name for a folder: its own, else that with a number, else with letters at random. A name that the account has
 * already is not free: it shows something.
 *
 * @param isTaken Whether a name is another folder's.
 */
export async function suggestName(
  client: BerthClient | null,
  path: string,
  isTaken: (name: string) => boolean,
): Promise<SuggestedName> {
  const own = nameOfFolder(path);
  let last: SuggestedName = { name: own, validation: null };
  for (const name of candidates(own)) {
    if (isTaken(name)) continue;
    last = { name, validation: await validateName(client, name) };
    if (last.validation === null) return last;
    if (last.validation.valid && last.validation.available && !(await isOwn(client!, last.validation))) return last;
  }
  return last;
}

function* candidates(own: string): Generator<string> {
  yield own;
  for (let number = 2; number <= NUMBERED; number += 1) yield `${own}-${number}`;
  for (let i = 0; i < RANDOM; i += 1)
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
