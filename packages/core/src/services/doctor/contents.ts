import { createHash, hash } from 'node:crypto';
import { sql } from 'kysely';
import type { Core } from '../../core.ts';
import { db } from '../../database/tables.ts';
import { Content, Pack } from '../../entities/index.ts';
import type { ContentLocation, PackReader } from '../../storage/packs.ts';
import { hashAtPosition, hexOf } from '../packs/contents.ts';
import { type Check, type Finding, finding, MAX_DEPLOYMENTS } from './checks.ts';

interface Row extends ContentLocation {
  sha256: string;
}

const PACKS_AT_ONCE = 500;
const CONTENTS_AT_ONCE = 5_000;
const WHOLE_BYTES = 256 * 1024;
const PROGRESS_BYTES = 16 * 1024 * 1024;
/** Maximum number of damaged contents that are listed for a pack; further ones are only counted. */
const MAX_FAULTS = 20;

/** Reads every content of every sealed pack and checks its hash. Source: storage I2; security T36. */
export const contents: Check = {
  name: 'contents',
  title: 'Hashes of stored contents',
  async *run(core) {
    const totalBytes = await storedBytes(core);
    let checkedBytes = 0;
    for await (const pack of sealedPacks(core))
      for await (const step of readPack(core, pack)) {
        if (typeof step === 'object') yield step;
        else
          yield {
            kind: 'progress',
            done: (checkedBytes += step),
            total: Math.max(totalBytes, checkedBytes),
            unit: 'bytes',
          };
      }
  },
};

/** Checks one pack. Yields findings, and the number of bytes that were read since the previous number. */
async function* readPack(core: Core, pack: string): AsyncGenerator<Finding | number> {
  const reader = core.packs.scan();
  // Most packs are found by reading them, because each question to the store takes time.
  let isFound = false;
  let readBytes = 0;
  let faults = 0;
  for await (const row of contentsOf(core, pack)) {
    const fault = await faultOf(reader, row);
    if (fault && !isFound && (await core.packs.modified(pack)) === null) break;
    isFound = true;
    readBytes += row.length;
    if (fault && (await isStillThere(core, row))) {
      faults += 1;
      if (faults <= MAX_FAULTS)
        yield finding('damage', `Content ${row.sha256} in pack ${pack}: ${fault}.`, {
          pack,
          content: row.sha256,
          ...(await deploymentsOf(core, pack, row.sha256)),
        });
    }
    if (readBytes >= PROGRESS_BYTES) {
      yield readBytes;
      readBytes = 0;
    }
  }
  if (!isFound && (await core.packs.modified(pack)) === null) {
    // A sweep may have removed the pack in the meantime.
    if ((await core.database.em().count(Pack, { id: pack, state: 'sealed' })) > 0)
      yield finding('damage', `The file of pack ${pack} is missing.`, { pack, ...(await deploymentsOf(core, pack)) });
    return;
  }
  if (faults > MAX_FAULTS)
    yield finding('damage', `${faults - MAX_FAULTS} more contents in pack ${pack} are damaged.`, {
      pack,
      ...(await deploymentsOf(core, pack)),
    });
  yield readBytes;
}

/** Returns the fault of a content as a sentence without a period; `null` if its bytes match its hash. */
async function faultOf(reader: PackReader, row: Row): Promise<string | null> {
  try {
    return (await digestOf(reader, row)) === row.sha256 ? null : 'the bytes do not match the hash';
  } catch (error) {
    return `the bytes cannot be read: ${(error as Error).message}`;
  }
}

async function digestOf(reader: PackReader, row: Row): Promise<string> {
  if (row.length <= WHOLE_BYTES) return hash('sha256', await reader.read(row));
  const digest = createHash('sha256');
  for await (const chunk of reader.stream(row)) digest.update(chunk as Buffer);
  return digest.digest('hex');
}

async function* contentsOf(core: Core, pack: string): AsyncGenerator<Row> {
  for (let after = { offset: -1, sha256: '' }; ;) {
    const last = [after.offset, Buffer.from(after.sha256, 'hex')] as const;
    const rows = await db(core)
      .selectFrom('content')
      .select((eb) => [hexOf(eb.ref('hash')).as('sha256'), 'pack_id as pack', 'offset', 'length'])
      .where('pack_id', '=', pack)
      .where(({ eb, refTuple, tuple }) => eb(refTuple('offset', 'hash'), '>', tuple(...last)))
      .orderBy('offset')
      .orderBy('hash')
      .limit(CONTENTS_AT_ONCE)
      .execute();
    yield* rows;
    if (rows.length < CONTENTS_AT_ONCE) return;
    after = rows.at(-1)!;
  }
}

/** False if a sweep has removed the content in the meantime. */
async function isStillThere(core: Core, { sha256, pack, offset }: Row): Promise<boolean> {
  const hash = Buffer.from(sha256, 'hex');
  return (await core.database.em().count(Content, { hash, pack: { id: pack, state: 'sealed' }, offset })) > 0;
}

async function deploymentsOf(core: Core, pack: string, sha256?: string): Promise<Pick<Finding, 'deployments'>> {
  const referringDeployments = db(core)
    .selectFrom('deployment_pack as n')
    .innerJoin('deployment as d', 'd.id', 'n.deployment_id')
    .innerJoin('manifest as m', 'm.deployment_id', 'd.id')
    .select('d.id')
    .where('n.pack_id', '=', pack)
    .where('d.status', '=', 'success')
    .orderBy('d.id')
    .limit(MAX_DEPLOYMENTS);
  const hasContent = sql<boolean>`exists (
    select 1 from generate_series(1, length(m.hashes) / 32) as f (position)
    where ${hashAtPosition(sql.ref('m.hashes'), 'f.position')} = decode(${sha256}, 'hex'))`;
  const rows = await (sha256 === undefined ? referringDeployments : referringDeployments.where(hasContent)).execute();
  return { deployments: rows.map(({ id }) => id) };
}

async function storedBytes(core: Core): Promise<number> {
  const { bytes } = await db(core)
    .selectFrom('content')
    .select(({ cast, fn, lit }) => cast<number>(fn.coalesce(fn.sum('length'), lit(0)), 'float8').as('bytes'))
    .executeTakeFirstOrThrow();
  return bytes;
}

async function* sealedPacks(core: Core): AsyncGenerator<string> {
  for (let last = ''; ;) {
    const rows = await db(core)
      .selectFrom('pack')
      .select('id')
      .where('state', '=', 'sealed')
      .$if(last !== '', (query) => query.where('id', '>', last))
      .orderBy('id')
      .limit(PACKS_AT_ONCE)
      .execute();
    for (const { id } of rows) yield id;
    if (rows.length < PACKS_AT_ONCE) return;
    last = rows.at(-1)!.id;
  }
}
