import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import type { Caller, Core } from '../../core.ts';
import { db } from '../../database/tables.ts';
import { notFound, ServiceError } from '../../errors.ts';
import { type ContentLengths, splitNumbers, unpackHashes } from '../packs/contents.ts';
import { secretHash } from '../random.ts';

/** An upload, without its lists. */
export interface Upload {
  /** The SHA-256 of its id, which identifies it in the database. */
  hash: Buffer;
  fingerprint: Buffer;
  committed: boolean;
  /** The number of missing contents. */
  missing: number;
}

/** The contents of an open upload. */
export interface UploadContents {
  /** The contents that the client must send. */
  asked: ContentLengths;
  /** Those of them that have arrived. */
  received: ReadonlySet<string>;
}

const NAME = /^[0-9a-f]{32}$/;
/** The interval at which an upload in use is marked as active, in milliseconds. */
const TOUCH_MS = 60_000;

/**
 * Finds an upload by its id. It belongs to the account that began it, or to the address if it is anonymous. Its lists
 * are not read, so a request that has nothing to do is cheap however large the upload is.
 *
 * @returns `null` if it is missing, belongs to another caller, or has expired.
 * Source: api §9; security T22.
 */
export async function findUpload(core: Core, caller: Caller, name: string): Promise<Upload | null> {
  if (!NAME.test(name)) return null;
  const hash = secretHash(name);
  const { rows } = await sql<Omit<Upload, 'hash'>>`
    select fingerprint, committed is not null as committed,
      ((octet_length(asked) - coalesce((select sum(octet_length(hashes)) from upload_content where upload_hash = hash), 0)) / 32)::int as missing
    from upload where hash = ${hash} and expires > ${core.now()} and ${belongsTo(caller)}`.execute(db(core));
  return rows[0] ? { hash, ...rows[0] } : null;
}

/** Like {@link findUpload}. @throws `not_found`, the same for a missing upload and for one of another caller. */
export async function getUpload(core: Core, caller: Caller, name: string): Promise<Upload> {
  const upload = await findUpload(core, caller, name);
  if (!upload) throw uploadNotFound();
  return upload;
}

/** The error for a missing upload. */
export function uploadNotFound() {
  return notFound('upload');
}

/** The error for an upload that was committed. @param advice What to do instead. */
export function alreadyCommitted(advice: string) {
  return new ServiceError('business_logic_error', `This upload was committed; ${advice}.`, {
    details: { state: 'committed' },
  });
}

/** Reads the contents of an upload, in one snapshot. */
export async function contentsOf(core: Core, { hash }: Pick<Upload, 'hash'>): Promise<UploadContents> {
  const { rows } = await sql<{ asked: Buffer; lengths: string; received: Buffer | null }>`
    select asked, array_to_string(lengths, ',') as lengths,
      (select string_agg(hashes, '') from upload_content where upload_hash = hash) as received
    from upload where hash = ${hash}`.execute(db(core));
  const [row] = rows;
  if (!row) throw uploadNotFound();
  const lengths = splitNumbers(row.lengths);
  return {
    asked: new Map(unpackHashes(row.asked).map((sha256, i) => [sha256, lengths[i]!])),
    received: new Set(row.received ? unpackHashes(row.received) : []),
  };
}

/** The missing contents of an upload, in the order in which they were requested. */
export async function findMissingHashes(core: Core, upload: Upload): Promise<string[]> {
  if (upload.missing === 0) return [];
  const { asked, received } = await contentsOf(core, upload);
  return asked
    .keys()
    .filter((sha256) => !received.has(sha256))
    .toArray();
}

/** Marks an upload as active, at most once a minute. */
export async function touchUpload(core: Core, { hash }: Pick<Upload, 'hash'>): Promise<void> {
  const now = core.now();
  await sql`
    update upload set touched = ${now} where hash = ${hash} and touched < ${new Date(now.getTime() - TOUCH_MS)}`.execute(
    db(core),
  );
}

/** Returns a function that marks an upload as active; call it with every chunk. A failure is logged. */
export function createTouch(core: Core, upload: Pick<Upload, 'hash'>): () => void {
  let touched = core.now().getTime();
  return () => {
    const now = core.now().getTime();
    if (now - touched < TOUCH_MS) return;
    touched = now;
    touchUpload(core, upload).catch((error: unknown) =>
      core.log.warn({ err: error }, 'An upload could not be marked as in use'),
    );
  };
}

/** Deletes an open upload and its references to packs. @returns True if there was one. */
export async function removeOpenUpload(em: EntityManager, hash: Buffer): Promise<boolean> {
  const { numAffectedRows } = await sql`delete from upload where hash = ${hash} and committed is null`.execute(db(em));
  return numAffectedRows === 1n;
}

/** SQL condition: the row of `upload` belongs to the caller. */
export function belongsTo(caller: Caller) {
  return caller.kind === 'account'
    ? sql`account_id = ${caller.account}`
    : sql`account_id is null and address = ${caller.address}`;
}
