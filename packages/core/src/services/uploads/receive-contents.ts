import { CONTENT_HEAD_BYTES, type ReceivedContents } from '@berth/contract';
import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import type { Caller, Core, Scope } from '../../core.ts';
import { db } from '../../database/tables.ts';
import { Upload } from '../../entities/index.ts';
import { invalid, invalidFile, ServiceError } from '../../errors.ts';
import { failpoint } from '../../failpoints.ts';
import { startPhases } from '../../metrics.ts';
import type { ContentSink } from '../../storage/pack-builder.ts';
import { checkCredential, lockCredential } from '../authentication.ts';
import { assignToPacks } from '../packs/assign-to-packs.ts';
import {
  hashAtPosition,
  type NewPack,
  numberArray,
  packHashes,
  StoredContentsQuery,
  unpackHashes,
} from '../packs/contents.ts';
import { enterFence } from '../packs/fence.ts';
import { commitWithPack, markSealed, openPack, sealNewContents } from '../packs/open-packs.ts';
import { createTouch, type FoundUpload, getUpload, readContents, referToPacks, touchUpload } from './uploads.ts';

/** A body of contents that is being received. Its owner must always call `close`. */
export interface ContentsBody {
  /** The maximum size of the body, in bytes. */
  readonly maxBytes: number;
  /**
   * Starts a content. The sink of the previous content must have ended.
   *
   * @throws `validation_failed` if the content was not requested, has another length than announced, or is repeated.
   */
  begin(sha256: string, length: number): ContentSink;
  /**
   * Makes every content durable that arrived completely, and records it. Incomplete contents are skipped.
   *
   * @throws `validation_failed` that names a file whose bytes do not match its SHA-256, after all other contents are
   *   recorded; `authentication_failed` for a credential that was revoked in the meantime; `business_logic_error` if the
   *   upload was committed or dropped in the meantime; `unavailable`.
   */
  keep(): Promise<ReceivedContents>;
  /** Removes the contents that were not recorded. */
  close(): Promise<void>;
}

/**
 * Receives a body with missing contents of an upload. They are hashed and written to a new pack as they arrive. A content
 * that was already received is read and ignored.
 *
 * @throws `not_found`; `business_logic_error` for an upload that was committed.
 *   Source: api §9; storage P1 to P6; security T22.
 */
export async function receiveContents(scope: Scope<Caller>, name: string): Promise<ContentsBody> {
  const { core, caller } = scope;
  const upload = await getUpload(scope, name);
  if (upload.committed) throw uploadIsOver();
  await touchUpload(core, upload);
  const { requested, received } = await readContents(core, upload);
  const markActive = createTouch(core, upload);
  let ignoredCount = 0;
  const pack = openPack(core);
  const storedContents = new StoredContentsQuery(core);
  const arrivedHashes = new Set<string>();
  const completeContents = new Map<string, number>();
  let hashMismatch: { sha256: string; actual: string } | null = null;
  const endPhase = startPhases();
  let openContent: { sink: ContentSink; sha256: string } | null = null;

  function onDigest(sha256: string, digest: { sha256: string; size: number }): void {
    if (digest.sha256 === sha256) {
      completeContents.set(sha256, digest.size);
      storedContents.add(sha256);
    } else if (openContent?.sha256 !== sha256) hashMismatch ??= { sha256, actual: digest.sha256 };
  }

  return {
    maxBytes: requested.values().reduce((sum, length) => sum + length + CONTENT_HEAD_BYTES, 0),
    begin(sha256, length) {
      const expected = requested.get(sha256);
      if (expected === undefined) throw invalid('contents', `${sha256} must be one of the missing contents`);
      if (length !== expected)
        throw invalid('contents', `${sha256} must have ${expected} bytes as announced, not ${length}`);
      if (arrivedHashes.has(sha256)) throw invalid('contents', `${sha256} must be in the body only once`);
      arrivedHashes.add(sha256);
      if (received.has(sha256)) return { write: () => void markActive(), end: () => void (ignoredCount += 1) };
      const sink = pack.begin((digest) => onDigest(sha256, digest));
      openContent = { sink, sha256 };
      return {
        write(chunk) {
          markActive();
          return sink.write(chunk);
        },
        end() {
          openContent = null;
          sink.end();
        },
      };
    },
    async keep() {
      // The hash of an incomplete content does not match, so the content is not recorded.
      openContent?.sink.end();
      endPhase('receive');
      await pack.finish();
      if (completeContents.size > 0) {
        const newPack = await sealNewContents(core, pack, storedContents, (sha256) => completeContents.has(sha256));
        await newPack?.ready;
        await commitWithPack(core, pack, (em) => recordContents(em, scope, upload, completeContents, newPack));
        endPhase('store');
        failpoint('upload.contents-recorded');
      } else if (caller.kind === 'account') await checkCredential({ core, caller });
      if (hashMismatch) throw await contentMismatch(core, upload, hashMismatch.sha256, hashMismatch.actual);
      return { received: completeContents.size + ignoredCount, missing: (await getUpload(scope, name)).missing };
    },
    close: () => pack.close(),
  };
}

function uploadIsOver() {
  return new ServiceError('business_logic_error', 'This upload was committed or dropped; begin a new upload.', {
    details: { state: 'over' },
  });
}

async function recordContents(
  em: EntityManager,
  scope: Scope<Caller>,
  { hash }: FoundUpload,
  contents: ReadonlyMap<string, number>,
  pack: NewPack | null,
): Promise<{ packUsed: boolean }> {
  const { core } = scope;
  await enterFence(em);
  const { packs } = await assignToPacks(em, () => contents, pack);
  await pack?.sealed;
  failpoint('upload.contents-placed');
  await lockCredential(em, scope);
  await recordReceived(em, core, hash, contents);
  await referToPacks(em, hash, packs);
  const packUsed = pack !== null && packs.includes(pack.id);
  if (packUsed) await markSealed(em, core, pack.id, (await pack.sealed).sizeBytes);
  return { packUsed };
}

/** Locks the upload, so that a content that arrives in two bodies at once is recorded once. */
async function recordReceived(
  em: EntityManager,
  core: Core,
  hash: Buffer,
  contents: ReadonlyMap<string, number>,
): Promise<void> {
  const lockedRows = await em.nativeUpdate(Upload, { hash, committed: null }, { touched: core.now() });
  if (lockedRows !== 1) throw uploadIsOver();
  const bodies = await db(em).selectFrom('upload_content').select('hashes').where('upload_hash', '=', hash).execute();
  const receivedHashes = new Set(bodies.flatMap(({ hashes }) => unpackHashes(hashes)));
  const freshContents = [...contents].filter(([sha256]) => !receivedHashes.has(sha256));
  if (freshContents.length === 0) return;
  await sql`
    insert into upload_content (upload_hash, hashes, lengths)
    values (${hash}, ${packHashes(freshContents.map(([sha256]) => sha256))}, ${numberArray(freshContents.map(([, length]) => length))}::bigint[])`.execute(
    db(em),
  );
}

async function contentMismatch(core: Core, { hash }: FoundUpload, sha256: string, actual: string) {
  const { rows } = await sql<{ path: string }>`
    select f.path from upload u cross join unnest(u.paths) with ordinality as f (path, position)
    where u.hash = ${hash} and ${hashAtPosition(sql.ref('u.hashes'), 'f.position')} = decode(${sha256}, 'hex')
    order by f.position limit 1`.execute(db(core));
  const file = rows[0]?.path ?? sha256;
  return invalidFile(file, `the received bytes have the SHA-256 ${actual}, not ${sha256} as announced`);
}
