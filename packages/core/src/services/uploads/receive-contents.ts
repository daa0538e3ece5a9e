import { CONTENT_HEAD_BYTES, type ReceivedContents } from '@berth/contract';
import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import type { Caller, Core } from '../../core.ts';
import { invalid, invalidFile, ServiceError } from '../../errors.ts';
import { failpoint } from '../../failpoints.ts';
import type { ContentSink } from '../../storage/pack-builder.ts';
import { hashAt, lookUpStored, type NewPack, numberArray, packHashes, placeContents } from '../packs/contents.ts';
import { enterFence } from '../packs/fence.ts';
import { commitWith, markSealed, openPack } from '../packs/open-packs.ts';
import { sealNew } from '../packs/seal-new.ts';
import { getUpload, missingOf, type OpenUpload } from './uploads.ts';

/** The contents of one body, on their way in. Its owner always ends it with `close`. */
export interface ContentsBody {
  /** Most bytes that the body can have. */
  readonly maxBytes: number;
  /**
   * Starts the next content; the one before has ended.
   *
   * @throws `validation_failed` for one that was not asked for, was announced with another length, or stands twice.
   */
  begin(sha256: string, length: number): ContentSink;
  /**
   * Makes every content durable that arrived whole, and enters it. A content that was begun and has not ended is left out.
   *
   * @throws `validation_failed` naming the file whose bytes are not those of its SHA-256, once the others are kept;
   *   `business_logic_error` when the upload is over meanwhile; `unavailable`.
   */
  keep(): Promise<ReceivedContents>;
  /** Lets go of what was not kept. */
  close(): Promise<void>;
}

/**
 * Takes contents that an upload waits for: they go into a pack as they arrive, hashed on the way, no more than one body in
 * one pack. One that came already may come again.
 *
 * @throws `not_found`; `business_logic_error` for an upload that was committed. Source: contract §9; security P1 to P6, T22.
 */
export async function receiveContents(core: Core, caller: Caller, name: string): Promise<ContentsBody> {
  const upload = await getUpload(core, caller, name);
  if (upload.committed) throw isOver();
  const pack = openPack(core);
  const lookup = lookUpStored(core);
  const arrived = new Set<string>();
  const whole = new Map<string, number>();
  let wrong: { sha256: string; instead: string } | null = null;
  let open: { sink: ContentSink; sha256: string } | null = null;

  function told(sha256: string, digest: { sha256: string; size: number }): void {
    if (digest.sha256 === sha256) {
      whole.set(sha256, digest.size);
      lookup.add(sha256);
    } else if (open?.sha256 !== sha256) wrong ??= { sha256, instead: digest.sha256 };
  }

  return {
    maxBytes: [...upload.asked.values()].reduce((sum, length) => sum + length + CONTENT_HEAD_BYTES, 0),
    begin(sha256, length) {
      const expected = upload.asked.get(sha256);
      if (expected === undefined) throw invalid('contents', `${sha256} was not asked for`);
      if (length !== expected)
        throw invalid('contents', `${sha256} was announced with ${expected} bytes, not with ${length}`);
      if (arrived.has(sha256)) throw invalid('contents', `${sha256} stands twice in the body`);
      arrived.add(sha256);
      const sink = pack.begin((digest) => told(sha256, digest));
      open = { sink, sha256 };
      return {
        write: (chunk) => sink.write(chunk),
        end() {
          open = null;
          sink.end();
        },
      };
    },
    async keep() {
      // It is hashed as far as it came, and found not to be what it should be.
      open?.sink.end();
      await pack.finish();
      if (whole.size > 0) {
        const fresh = await sealNew(pack, lookup, (sha256) => whole.has(sha256));
        await commitWith(core, pack, (em) => record(em, core, upload, whole, fresh));
        failpoint('upload.contents-recorded');
      }
      if (wrong) throw await otherBytes(core, upload, wrong);
      return { received: whole.size, missing: missingOf(await getUpload(core, caller, name)).length };
    },
    close: () => pack.close(),
  };
}

function isOver() {
  return new ServiceError('business_logic_error', 'This upload was committed, or is over; it takes no more contents.', {
    details: { state: 'over' },
  });
}

/** Enters what a body brought, in one transaction: places, what the upload has, what it holds on to. */
async function record(
  em: EntityManager,
  core: Core,
  { hash }: OpenUpload,
  contents: ReadonlyMap<string, number>,
  pack: NewPack | null,
): Promise<{ packUsed: boolean }> {
  const db = em.getKysely();
  await enterFence(em);
  const packs = await placeContents(em, [...contents.keys()], pack);
  await pack?.sealed;
  failpoint('upload.contents-placed');
  const { numAffectedRows } = await sql`
    insert into upload_content (upload_hash, hashes, lengths)
    select hash, ${packHashes([...contents.keys()])}, ${numberArray([...contents.values()])}::bigint[]
    from upload where hash = ${hash} and committed is null for share`.execute(db);
  if (numAffectedRows !== 1n) throw isOver();
  await sql`
    insert into upload_pack (upload_hash, pack_id) select ${hash}, unnest(${packs}::uuid[]) on conflict do nothing`.execute(
    db,
  );
  const packUsed = pack !== null && packs.includes(pack.id);
  if (packUsed) await markSealed(em, core, pack.id, (await pack.sealed).sizeBytes);
  return { packUsed };
}

async function otherBytes(core: Core, { hash }: OpenUpload, { sha256, instead }: { sha256: string; instead: string }) {
  const { rows } = await sql<{ path: string }>`
    select f.path from upload u cross join unnest(u.paths) with ordinality as f (path, position)
    where u.hash = ${hash} and ${hashAt(sql.ref('u.hashes'), 'f.position')} = decode(${sha256}, 'hex')
    order by f.position limit 1`.execute(core.database.kysely);
  return invalidFile(
    rows[0]?.path ?? sha256,
    `the bytes that arrived have the SHA-256 ${instead}, not ${sha256} as announced`,
  );
}
