import type { EntityManager } from '@mikro-orm/postgresql';
import type { Caller, Core } from '../../core.ts';
import type { LockedAccount } from '../accounts/account-lock.ts';
import { addStorage, lockAnonymousAddress, requireAnonymousStorage } from '../accounts/storage.ts';
import type { ContentLengths } from '../packs/contents.ts';
import { findOwnContents } from '../packs/own-contents.ts';

const NO_CONTENTS: ContentLengths = new Map();

/**
 * Counts the contents of a publication as stored for its owner, under the fence. Locks an anonymous address.
 *
 * @param account The account of the caller, already locked; `null` for an anonymous one.
 * @param fresh The contents that were not stored before.
 * @throws `forbidden`, with `details`, beyond the cap. Source: api §6; security T26.
 */
export async function countStorage(
  em: EntityManager,
  core: Core,
  caller: Caller,
  account: LockedAccount | null,
  { files, reserved }: { files: readonly { sha256: string; size: number }[]; reserved: boolean },
  fresh: ReadonlySet<string>,
): Promise<void> {
  const contents = reserved ? NO_CONTENTS : new Map(files.map(({ sha256, size }) => [sha256, size]));
  if (caller.kind === 'anonymous') {
    await lockAnonymousAddress(em, caller.address);
    return requireAnonymousStorage(em, caller.address, contents);
  }
  if (account) await countAccountStorage(em, core, account, contents, fresh);
}

/**
 * Counts contents as stored for an account, except those that its recent deployments already have.
 *
 * @param account Already locked.
 * @param fresh The contents that were not stored before.
 * @throws `forbidden`, with `details`, beyond the cap. Source: api §6.
 */
export async function countAccountStorage(
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
