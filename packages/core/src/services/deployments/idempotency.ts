import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto';
import { IDEMPOTENCY_WINDOW_SECONDS, MAX_IDEMPOTENCY_KEY } from '@berth/contract';
import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import type { Caller, Core } from '../../core.ts';
import { db } from '../../database/tables.ts';
import { IdempotencyRecord } from '../../entities/index.ts';
import { invalid, ServiceError } from '../../errors.ts';

/** An idempotency key and its scope. Equal keys in different scopes are independent. */
export interface IdempotencyKey {
  scope: string;
  key: string;
}

/** A request with an idempotency key. A request with the same key and another fingerprint is refused. */
export type KeyedRequest = IdempotencyKey & { fingerprint: Buffer };

const IV_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Parses an `Idempotency-Key`. Its scope is the credential, or the address of an anonymous client.
 *
 * @throws `validation_failed` if the key is empty or too long. Source: api §1, §3.
 */
export function readIdempotencyKey(header: string | undefined, caller: Caller): IdempotencyKey | null {
  if (header === undefined) return null;
  const key = header.trim();
  if (key.length < 1 || key.length > MAX_IDEMPOTENCY_KEY)
    throw invalid('Idempotency-Key', `a key must have 1 to ${MAX_IDEMPOTENCY_KEY} characters`);
  const scope = caller.kind === 'account' ? `token:${caller.account}:${caller.token}` : `address:${caller.address}`;
  return { scope, key };
}

/**
 * Returns the fingerprint of a request: equal requests have equal fingerprints. It is a keyed hash, so that a weak site
 * password cannot be found by hashing guesses. Source: api §3; security T25.
 */
export function fingerprintOf(core: Core, request: unknown): Buffer {
  const hmac = createHmac('sha256', core.keys.idempotency);
  for (const piece of jsonPieces(request)) hmac.update(piece);
  return hmac.digest();
}

/** Sorts the files of a request for {@link fingerprintOf}, so that their order does not matter. */
export function canonicalFiles(files: readonly { path: string; sha256: string; size: number }[]): unknown[] {
  return files.map(({ path, sha256, size }) => [path, sha256, size]).toSorted((a, b) => (a[0]! < b[0]! ? -1 : 1));
}

/** Creates the error for a key that was used for another request. Source: api §3. */
export function keyUsed(noun: 'deploy' | 'upload'): ServiceError {
  const message = `This Idempotency-Key was used for another ${noun}; use a new key for each ${noun}.`;
  return new ServiceError('business_logic_error', message, { details: { state: 'idempotency_key_used' } });
}

const PIECE_ITEMS = 256;

/** Yields the JSON of a value in pieces, because the JSON of thousands of files in one string takes much memory. */
function* jsonPieces(value: unknown): Generator<string> {
  if (!Array.isArray(value)) {
    yield JSON.stringify(value) ?? 'null';
    return;
  }
  yield '[';
  if (value.length > PIECE_ITEMS)
    for (let start = 0; start < value.length; start += PIECE_ITEMS)
      yield (start > 0 ? ',' : '') + JSON.stringify(value.slice(start, start + PIECE_ITEMS)).slice(1, -1);
  else
    for (const [i, item] of value.entries()) {
      if (i > 0) yield ',';
      yield* jsonPieces(item);
    }
  yield ']';
}

/**
 * Locks an idempotency key until the transaction ends, and finds its stored outcome. Waits while a concurrent request holds
 * the lock.
 *
 * @returns The stored body, or `null` if the key is new.
 * @throws `business_logic_error` if the key was used for another request. Source: api §3.
 */
export async function findReplay<T>(em: EntityManager, core: Core, request: KeyedRequest): Promise<T | null> {
  const { scope, key, fingerprint } = request;
  await sql`select pg_advisory_xact_lock(hashtextextended(${JSON.stringify([scope, key])}, 0))`.execute(db(em));
  const record = await em.findOne(IdempotencyRecord, { scope, key });
  if (!record) return null;
  if (record.created <= windowStart(core)) {
    await em.nativeDelete(IdempotencyRecord, { scope, key });
    em.clear();
    return null;
  }
  if (Buffer.compare(record.fingerprint, fingerprint) !== 0) throw keyUsed('deploy');
  return decrypt(core, request, Buffer.from(record.response)) as T;
}

/** Returns whether a key has a stored outcome. Takes no lock, so a concurrent request may store an outcome at any time. */
export async function hasStoredOutcome(core: Core, { scope, key }: IdempotencyKey): Promise<boolean> {
  const filter = { scope, key, created: { $gt: windowStart(core) } };
  return (await core.database.em().count(IdempotencyRecord, filter)) > 0;
}

/** Stores the body of a 201 under its key. It is encrypted, because it may contain a claim hash. */
export function storeOutcome(em: EntityManager, core: Core, request: KeyedRequest, body: object): void {
  em.persist(em.create(IdempotencyRecord, { ...request, response: encrypt(core, request, body), created: core.now() }));
}

/** Deletes the outcomes that are older than the window of 24 hours. */
export async function deleteOldOutcomes(core: Core): Promise<void> {
  await db(core).deleteFrom('idempotency_record').where('created', '<=', windowStart(core)).execute();
}

function windowStart(core: Core): Date {
  return new Date(core.now().getTime() - IDEMPOTENCY_WINDOW_SECONDS * 1000);
}

function encrypt(core: Core, id: IdempotencyKey, body: object): Buffer {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv('aes-256-gcm', core.keys.idempotency, iv).setAAD(associatedData(id));
  return Buffer.concat([iv, cipher.update(JSON.stringify(body)), cipher.final(), cipher.getAuthTag()]);
}

function decrypt(core: Core, id: IdempotencyKey, stored: Buffer): unknown {
  const tag = stored.subarray(stored.length - TAG_BYTES);
  const decipher = createDecipheriv('aes-256-gcm', core.keys.idempotency, stored.subarray(0, IV_BYTES))
    .setAAD(associatedData(id))
    .setAuthTag(tag);
  const text = Buffer.concat([decipher.update(stored.subarray(IV_BYTES, stored.length - TAG_BYTES)), decipher.final()]);
  return JSON.parse(text.toString());
}

function associatedData({ scope, key }: IdempotencyKey): Buffer {
  return Buffer.from(JSON.stringify([scope, key]));
}
