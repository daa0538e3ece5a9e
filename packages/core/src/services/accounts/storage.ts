import { ANONYMOUS_STORAGE_BYTES, formatByteLimit, formatBytes } from '@berth/contract';
import type { EntityManager } from '@mikro-orm/postgresql';
import { type Expression, type RawBuilder, sql } from 'kysely';
import type { Core } from '../../core.ts';
import { db, type StatementScope } from '../../database/tables.ts';
import { ServiceError } from '../../errors.ts';
import { runQueued } from '../run-queued.ts';
import { type RunLimits, runWorklist } from '../worklist.ts';
import { type ContentLengths, hashAtPosition, numberArray, packHashes } from '../packs/contents.ts';
import type { LockedAccount } from './account-lock.ts';

/** The account or the anonymous address whose deployments and open uploads refer to contents. */
type StorageOwner = { account: string } | { address: string };

/** The bytes that are stored for an owner, and the bytes that further contents would add. */
interface StorageUsage {
  used: number;
  added: number;
}

/** The maximum number of accounts that one run of the sweep measures. */
const MAX_MEASURED_ACCOUNTS = 100;

/**
 * Returns the storage cap of a plan in bytes; `undefined` for no cap. The plan `null` stands for an anonymous address.
 * Source: api §6.
 */
export function storageCapOf(core: Core, plan: string | null): number | undefined {
  return plan === null ? ANONYMOUS_STORAGE_BYTES : core.plans.get(plan).caps?.storage;
}

/** Throws `forbidden`, with `details`, if `used` and `added` together exceed the cap. */
export function refuseBeyondStorageCap({ used, added }: StorageUsage, limit: number | undefined): void {
  if (limit !== undefined && used + added > limit)
    throw new ServiceError(
      'forbidden',
      `Storage is limited to ${formatByteLimit(limit)}: ${formatBytes(used)} are in use, and this adds ${formatBytes(added)}. Delete deployments that are no longer needed, or change the plan.`,
      { details: { cap: 'storage', used, limit } },
    );
}

/**
 * Measures storage exactly, in one snapshot. The cost grows with the number of files in all deployments and open uploads.
 *
 * @param contents Further contents. The lengths of contents that the owner does not have yet count as `added`.
 * @param manifests The lists of contents to measure. Default: those of all deployments and open uploads.
 */
export async function measureStorage(
  scope: StatementScope,
  owner: StorageOwner,
  contents: ContentLengths = new Map(),
  manifests: Expression<unknown> = allListsOf(scope, owner),
): Promise<StorageUsage> {
  const hashes = packHashes([...contents.keys()]);
  const { rows } = await sql<StorageUsage>`
    with ${distinctContents(manifests)}, further as (
      select ${hashAtPosition(hashes, 'position')} as hash, size
      from unnest(${numberArray([...contents.values()])}::bigint[]) with ordinality as f (size, position))
    select (select coalesce(sum(size), 0)::float8 from held) as used,
      (select coalesce(sum(size), 0)::float8 from further f where not exists (select 1 from held h where h.hash = f.hash)) as added`.execute(
    db(scope),
  );
  return rows[0]!;
}

/**
 * Counts contents as stored for an account, which the transaction must have locked.
 *
 * @param contents The contents that were not found among the account's own.
 * @param options.certain True if none of the account's deployments can have any of the contents.
 * @param options.leaving Deployments that will be deleted when the contents are published. They do not count against the cap.
 * @throws `forbidden`, with `details`, beyond the cap. Source: api §6; security T26.
 */
export async function addStorage(
  em: EntityManager,
  core: Core,
  account: LockedAccount,
  contents: ContentLengths,
  { certain, leaving = [] }: { certain: boolean; leaving?: readonly string[] },
): Promise<void> {
  const owner = { account: account.id };
  const limit = storageCapOf(core, account.plan);
  let isExact = account.storageExact && (certain || contents.size === 0);
  let storage: StorageUsage = { used: account.storageBytes, added: 0 };
  // Contents of the account's open uploads are already counted. Most accounts have none, and 10,000 contents take a while to search.
  if (contents.size > 0)
    storage.added = (await hasOpenUploads(em, owner))
      ? (await measureStorage(em, owner, contents, uploadListsOf(em, owner))).added
      : sumOf(contents);
  if (limit !== undefined && storage.used + storage.added > limit) {
    if (!isExact) storage = await measureStorage(em, owner, contents);
    isExact = true;
    const isBeyond = storage.used + storage.added > limit;
    const remaining = isBeyond && leaving.length > 0 ? allListsOf(em, owner, leaving) : null;
    refuseBeyondStorageCap(remaining ? await measureStorage(em, owner, contents, remaining) : storage, limit);
  }
  if (contents.size === 0 && isExact === account.storageExact) return;
  await db(em)
    .updateTable('account')
    .set((eb) => ({
      storage_bytes: storage.used + storage.added,
      storage_exact: isExact,
      storage_version: eb('storage_version', '+', 1),
    }))
    .where('id', '=', account.id)
    .execute();
}

/**
 * Throws `forbidden`, with `details`, if further contents would exceed the cap of an anonymous address. The transaction
 * must have locked the address. Source: api §6; security T26.
 */
export async function requireAnonymousStorage(
  em: EntityManager,
  address: string,
  contents: ContentLengths,
): Promise<void> {
  const addedBytes = sumOf(contents);
  const usedBytes = await estimateStorage(em, { address });
  if (usedBytes + addedBytes <= ANONYMOUS_STORAGE_BYTES) return;
  refuseBeyondStorageCap(await measureStorage(em, { address }, contents), ANONYMOUS_STORAGE_BYTES);
}

/** Locks an anonymous address until the transaction ends. Source: storage L4. */
export async function lockAnonymousAddress(em: EntityManager, address: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`storage:${address}`}, 0))`.execute(db(em));
}

/** Marks the storage counter of a locked account as an upper bound: a deployment or an upload is being removed. */
export async function markStorageInexact(em: EntityManager, account: string): Promise<void> {
  await db(em)
    .updateTable('account')
    .set((eb) => ({ storage_exact: false, storage_version: eb('storage_version', '+', 1) }))
    .where('id', '=', account)
    .execute();
}

/** Returns the number of bytes that are stored for an account. Measures them if the counter is an upper bound. */
export async function readStorage(core: Core, account: string): Promise<number> {
  return runQueued(core, `storage:${account}`, async () => {
    const row = await db(core)
      .selectFrom('account')
      .select(['storage_bytes', 'storage_exact', 'storage_version'])
      .where('id', '=', account)
      .executeTakeFirst();
    if (!row || row.storage_exact) return row?.storage_bytes ?? 0;
    const { used } = await measureStorage(core, { account });
    // The account is not locked. The measurement is stored only if the storage has not changed since the row was read.
    await db(core)
      .updateTable('account')
      .set({ storage_bytes: used, storage_exact: true })
      .where('id', '=', account)
      .where('storage_version', '=', row.storage_version)
      .execute();
    return used;
  });
}

/** Measures the storage of accounts whose counter is an upper bound, so that requests rarely need to measure it. */
export function measureInexactStorage(core: Core, limits: RunLimits): Promise<number> {
  return runWorklist<{ id: string }>(
    core,
    {
      task: 'measure storage',
      due: (skip, limit) =>
        db(core.database.em())
          .selectFrom('account')
          .select('id')
          .where('storage_exact', '=', false)
          .where(({ eb, fn, val }) => eb.not(eb('id', '=', fn.any(val(skip)))))
          .orderBy('id')
          .limit(limit)
          .execute(),
      groupOf: ({ id }) => id,
      idsOf: ({ id }) => ({ account: id }),
      work: async ({ id }) => (await readStorage(core, id)) >= 0,
    },
    { ...limits, limit: MAX_MEASURED_ACCOUNTS },
  );
}

/** SQL for `held`, the distinct contents of manifests. `|| ''` decompresses the packed hashes once, not at each access. */
function distinctContents(manifests: Expression<unknown>): RawBuilder<unknown> {
  return sql`
    manifests as materialized (select hashes || ''::bytea as hashes, sizes from ${manifests} m (hashes, sizes)),
    held as materialized (
      select ${hashAtPosition(sql.ref('m.hashes'), 'f.position')} as hash, max(f.size) as size
      from manifests m cross join lateral unnest(m.sizes) with ordinality as f (size, position) group by 1)`;
}

const columnsOf = (owner: StorageOwner) =>
  'account' in owner ? { account_id: owner.account } : { account_id: null, address: owner.address };

const uploadListsOf = (scope: StatementScope, owner: StorageOwner) =>
  db(scope)
    .selectFrom('upload')
    .select(['hashes', 'sizes'])
    .where('committed', 'is', null)
    .where(({ and }) => and(columnsOf(owner)));

async function hasOpenUploads(scope: StatementScope, owner: StorageOwner): Promise<boolean> {
  const upload = await uploadListsOf(scope, owner).clearSelect().select('committed').limit(1).executeTakeFirst();
  return upload !== undefined;
}

const allListsOf = (scope: StatementScope, owner: StorageOwner, except: readonly string[] = []) =>
  db(scope)
    .selectFrom('deployment')
    .innerJoin('manifest', 'deployment_id', 'id')
    .select(['hashes', 'sizes'])
    .where('status', '=', 'success')
    .where(({ and }) => and(columnsOf(owner)))
    .where(({ eb, fn, not, val }) => not(eb('id', '=', fn.any(val(except)))))
    .unionAll(uploadListsOf(scope, owner));

/** Returns an upper bound of the bytes that are stored for an owner. Reads no manifests, so it is fast. */
export async function estimateStorage(scope: StatementScope, owner: StorageOwner): Promise<number> {
  if ('account' in owner) {
    const row = await db(scope)
      .selectFrom('account')
      .select('storage_bytes')
      .where('id', '=', owner.account)
      .executeTakeFirst();
    return row?.storage_bytes ?? 0;
  }
  const { address } = owner;
  const { rows } = await sql<{ bytes: number }>`
    select ((select coalesce(sum(size), 0) from deployment where status = 'success' and account_id is null and address = ${address})
      + (select coalesce(sum(f.size), 0) from upload u cross join unnest(u.sizes) as f (size)
         where committed is null and account_id is null and address = ${address}))::float8 as bytes`.execute(db(scope));
  return rows[0]!.bytes;
}

const sumOf = (contents: ContentLengths) => contents.values().reduce((sum, bytes) => sum + bytes, 0);
