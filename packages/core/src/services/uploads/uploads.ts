import { MAX_ANONYMOUS_UPLOADS, MAX_OPEN_UPLOADS, UPLOAD_IDLE_SECONDS } from '@berth/contract';
import type { EntityManager } from '@mikro-orm/postgresql';
import { expressionBuilder, sql } from 'kysely';
import type { Caller, Core, Scope } from '../../core.ts';
import { db, type Tables } from '../../database/tables.ts';
import { Upload } from '../../entities/index.ts';
import { notFound, ServiceError } from '../../errors.ts';
import { failpoint } from '../../failpoints.ts';
import { lockAccount } from '../accounts/account-lock.ts';
import { markStorageInexact } from '../accounts/storage.ts';
import { type ContentLengths, joinNumbers, lengthsOf, unpackHashes } from '../packs/contents.ts';
import { secretHash } from '../random.ts';

/** An upload, without its lists of files and contents. */
export interface FoundUpload {
  /** The SHA-256 of the id, by which the database identifies the upload. */
  hash: Buffer;
  fingerprint: Buffer;
  /** When it was begun. An upload that is begun again after it was aborted has the same hash. */
  created: Date;
  committed: boolean;
  /** The number of missing contents. */
  missing: number;
}

const UPLOAD_ID = /^[0-9a-f]{32}$/;
/** The interval at which an upload that receives bytes is marked as active, in milliseconds. */
const TOUCH_INTERVAL_MS = 60_000;

/**
 * Finds an upload of the caller's account or, for an anonymous caller, of its address. Does not read the lists of the
 * upload, so it is fast for any number of files.
 *
 * @returns `null` if the upload is missing, belongs to another caller, or has expired. Source: api §9; security T22.
 */
export async function findUpload({ core, caller }: Scope<Caller>, name: string): Promise<FoundUpload | null> {
  if (!UPLOAD_ID.test(name)) return null;
  const hash = secretHash(name);
  const { rows } = await sql<Omit<FoundUpload, 'hash' | 'created'> & { createdMs: number }>`
    select fingerprint, (extract(epoch from created) * 1000)::float8 as "createdMs", committed is not null as committed,
      ((octet_length(asked) - coalesce((select sum(octet_length(hashes)) from upload_content where upload_hash = hash), 0)) / 32)::int as missing
    from upload where hash = ${hash} and expires > ${core.now()} and ${belongsTo(caller)}`.execute(db(core));
  if (!rows[0]) return null;
  const { createdMs, ...upload } = rows[0];
  return { hash, created: new Date(createdMs), ...upload };
}

/** Like {@link findUpload}, but throws `not_found`. */
export async function getUpload(scope: Scope<Caller>, name: string): Promise<FoundUpload> {
  const upload = await findUpload(scope, name);
  if (!upload) throw uploadNotFound();
  return upload;
}

export const uploadNotFound = () => notFound('upload');

/** Reads which contents the client must send, and which of these contents have arrived, in one snapshot. */
export async function readContents(
  core: Core,
  { hash }: FoundUpload,
): Promise<{ requested: ContentLengths; received: ReadonlySet<string> }> {
  const row = await db(core)
    .selectFrom('upload')
    .select(({ fn, ref, selectFrom, val }) => [
      'asked',
      joinNumbers(ref('lengths')).as('lengths'),
      selectFrom('upload_content')
        .select(fn.agg<Buffer | null>('string_agg', ['hashes', val('')]).as('hashes'))
        .whereRef('upload_hash', '=', 'upload.hash')
        .as('received'),
    ])
    .where('hash', '=', hash)
    .executeTakeFirst();
  if (!row) throw uploadNotFound();
  const receivedHashes = new Set(row.received && unpackHashes(row.received));
  return { requested: lengthsOf(row.asked, row.lengths), received: receivedHashes };
}

/** Marks an upload as active, at most once a minute. */
export async function touchUpload(core: Core, { hash }: FoundUpload): Promise<void> {
  const touchedAt = core.now();
  const touchedBefore = new Date(touchedAt.getTime() - TOUCH_INTERVAL_MS);
  await core.database.em().nativeUpdate(Upload, { hash, touched: { $lt: touchedBefore } }, { touched: touchedAt });
}

/** Returns a function that marks an upload as active; call it with every chunk. It logs failures. */
export function createTouch(core: Core, upload: FoundUpload): () => void {
  let touchedMs = core.now().getTime();
  return () => {
    const now = core.now().getTime();
    if (now - touchedMs < TOUCH_INTERVAL_MS) return;
    touchedMs = now;
    touchUpload(core, upload).catch((error: unknown) =>
      core.log.warn({ err: error }, 'An upload could not be marked as active'),
    );
  };
}

/**
 * Aborts an open upload at once; its bytes are removed later.
 *
 * @throws `not_found`, also for an upload that was aborted before; `business_logic_error` for an upload that was
 *   committed. Source: api §9.
 */
export async function abortUpload(scope: Scope<Caller>, name: string): Promise<{ upload: string }> {
  const { core, caller } = scope;
  const upload = await getUpload(scope, name);
  if (upload.committed)
    throw new ServiceError('business_logic_error', 'This upload was committed; delete its deployment instead.', {
      details: { state: 'committed' },
    });
  await core.database.transaction(async (em) => {
    if (caller.kind === 'account') await lockAccount(em, caller.account);
    if (!(await removeOpenUpload(em, caller, upload.hash))) throw uploadNotFound();
  });
  failpoint('upload.aborted');
  return { upload: name };
}

/**
 * Makes room for one more open upload of a credential or of an anonymous address: at the maximum, drops the upload that
 * has been idle longest. The transaction must have locked the account or the address.
 *
 * @throws `rate_limit_exceeded`, with the time after which to retry, if no upload has been idle for 10 minutes.
 *   Source: api §9.
 */
export async function makeUploadRoom(em: EntityManager, { core, caller }: Scope<Caller>): Promise<void> {
  const now = core.now();
  const maxUploads = caller.kind === 'account' ? MAX_OPEN_UPLOADS : MAX_ANONYMOUS_UPLOADS;
  const ownerFilter =
    caller.kind === 'account'
      ? { account: caller.account, token: caller.token }
      : { account: null, address: caller.address };
  const open = await em.find(
    Upload,
    { ...ownerFilter, committed: null, expires: { $gt: now } },
    { fields: ['touched'], orderBy: { touched: 'asc' }, limit: maxUploads, disableIdentityMap: true },
  );
  const [idlest] = open;
  if (!idlest || open.length < maxUploads) return;
  const waitMs = idlest.touched.getTime() + UPLOAD_IDLE_SECONDS * 1000 - now.getTime();
  if (waitMs >= 0) {
    const retryAfterSeconds = Math.max(1, Math.ceil(waitMs / 1000));
    throw new ServiceError(
      'rate_limit_exceeded',
      `At most ${maxUploads} uploads can be open at the same time: commit or abort an upload, or try again in ${retryAfterSeconds} seconds.`,
      { retryAfterSeconds },
    );
  }
  await removeOpenUpload(em, caller, idlest.hash);
}

/** Makes an upload refer to packs, so that the sweep keeps them. */
export async function referToPacks(em: EntityManager, hash: Buffer, packs: readonly string[]): Promise<void> {
  await sql`
    insert into upload_pack (upload_hash, pack_id) select ${hash}, unnest(${packs}::uuid[]) on conflict do nothing`.execute(
    db(em),
  );
}

/** Deletes an open upload and its references to packs. @returns True if the upload existed. */
async function removeOpenUpload(em: EntityManager, caller: Caller, hash: Uint8Array): Promise<boolean> {
  const removedCount = await em.nativeDelete(Upload, { hash, committed: null });
  if (removedCount === 1 && caller.kind === 'account') await markStorageInexact(em, caller.account);
  return removedCount === 1;
}

function belongsTo(caller: Caller) {
  const { eb, and } = expressionBuilder<Tables, 'upload'>();
  return caller.kind === 'account'
    ? eb('account_id', '=', caller.account)
    : and([eb('account_id', 'is', null), eb('address', '=', caller.address)]);
}
