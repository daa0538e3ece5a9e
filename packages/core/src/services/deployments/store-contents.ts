import type { EntityManager } from '@mikro-orm/postgresql';
import type { Caller, Core } from '../../core.ts';
import type { LockedAccount } from '../accounts/account-lock.ts';
import { addStorage, lockAddress, requireAnonymousStorage } from '../accounts/storage.ts';
import type { ContentLengths } from '../packs/contents.ts';
import { findOwnContents } from '../packs/own-contents.ts';

const NONE: ContentLengths = new Map();

/**
 * Counts the contents of a publication as stored for its owner, under the fence. Locks an anonymous address.
 *
 * @param account The account of the caller, already locked; `null` for an anonymous one.
 * @param fresh The contents that were not stored before.
 * @throws `forbidden`, with `details`, beyond the cap. Source: contract §6; security T26.
 */
export async function storeContents(
  em: EntityManager,
  core: Core,
  caller: Caller,
  account: LockedAccount | null,
  { files, reserved }: { files: readonly { sha256: string; size: number }[]; reserved: boolean },
  fresh: ReadonlySet<string>,
): Promise<void> {
  const contents = reserved ? NONE : new Map(files.map(({ sha256, size }) => [sha256, size]));
  if (caller.kind === 'anonymous') {
    await lockAddress(em, caller.address);
    return requireAnonymousStorage(em, caller.address, contents);
  }
  if (account) await storeForAccount(em, core, account, contents, fresh);
}

/**
 * Counts contents as stored for an account, except those that its recent deployments already have.
 *
 * @param account Already locked.
 * @param fresh The contents that were not stored before.
 * @throws `forbidden`, with `details`, beyond the cap. Source: contract §6.
 */
export async function storeForAccount(
  em: EntityManager,
  core: Core,
  account: LockedAccount,
  contents: ContentLengths,
  fresh: ReadonlySet<string>,
): Promise<void> {
  const known = new Set(contents.keys().filter((sha256) => !fresh.has(sha256)));
  const { lengths: own } = await findOwnContents(em, core, account.id, known);
  const further = new Map(contents.entries().filter(([sha256]) => !own.has(sha256)));
  await addStorage(em, core, account, further, { certain: further.size <= fresh.size });
}
