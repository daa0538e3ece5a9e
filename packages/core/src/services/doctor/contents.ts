import { createHash, hash } from 'node:crypto';
import { sql } from 'kysely';
import type { Core } from '../../core.ts';
import { db } from '../../database/tables.ts';
import { Content, Pack } from '../../entities/index.ts';
import type { ContentLocation } from '../../storage/packs.ts';
import { hashAtPosition, hexOf } from '../packs/contents.ts';
import { type Check, type Finding, finding, MAX_DEPLOYMENTS, type Progress } from './checks.ts';

interface Row extends ContentLocation {
  sha256: string;
}

const PACKS_AT_ONCE = 500;
const CONTENTS_AT_ONCE = 5_000;
const WHOLE_BYTES = 256 * 1024;
const PROGRESS_BYTES = 16 * 1024 * 1024;
/** Maximum number of findings per pack; further damaged contents are only counted. */
const MAX_FAULTS = 20;

/** Reads every content of every sealed pack and checks its hash. Source: storage I2; security T36. */
export const contents: Check = {
  name: 'contents',
  title: 'Hashes of stored contents',
  async *run(core) {
    const total = await storedBytes(core);
    let done = 0;
    for (let last = ''; ;) {
      const packs = await packsAfter(core, last);
      for (const pack of packs)
        for await (const step of readPack(core, pack)) {
          if (step.kind === 'finding') yield step;
          else yield { ...step, done: (done += step.done), total: Math.max(total, done) };
        }
      if (packs.length < PACKS_AT_ONCE) return;
      last = packs.at(-1)!;
    }
  },
};

/** @returns Findings, and progress with the number of bytes read since the last step. */
async function* readPack(core: Core, pack: string): AsyncGenerator<Finding | Progress> {
  let read = 0;
  let faults = 0;
  const step = (): Progress => ({ kind: 'progress', done: read, total: 0, unit: 'bytes' });
  if ((await core.packs.modified(pack)) === null) {
    if (await isSealed(core, pack))
      yield finding('damage', `The file of pack ${pack} is missing.`, { pack, ...(await affected(core, pack)) });
    return;
  }
  for await (const row of contentsOf(core, pack)) {
    const fault = await faultOf(core, row);
    read += row.length;
    if (fault && (await isStillThere(core, row))) {
      faults += 1;
      if (faults <= MAX_FAULTS)
        yield finding('damage', `Content ${row.sha256} in pack ${pack} ${fault}.`, {
          pack,
          content: row.sha256,
          ...(await affected(core, pack, row.sha256)),
        });
    }
    if (read >= PROGRESS_BYTES) {
      yield step();
      read = 0;
    }
  }
  if (faults > MAX_FAULTS)
    yield finding('damage', `${faults - MAX_FAULTS} more contents in pack ${pack} are damaged.`, {
      pack,
      ...(await affected(core, pack)),
    });
  yield step();
}

/** The fault of a content, as the end of a sentence; `null` if its bytes match its hash. */
async function faultOf(core: Core, row: Row): Promise<string | null> {
  try {
    return (await digestOf(core, row)) === row.sha256 ? null : 'does not match its hash';
  } catch (error) {
    return `cannot be read: ${(error as Error).message}`;
  }
}

async function digestOf({ packs }: Core, row: Row): Promise<string> {
  if (row.length <= WHOLE_BYTES) return hash('sha256', await packs.read(row));
  const digest = createHash('sha256');
  for await (const chunk of packs.stream(row)) digest.update(chunk as Buffer);
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

/** A sweep may have removed the pack before it was read. */
async function isSealed(core: Core, pack: string): Promise<boolean> {
  return (await core.database.em().count(Pack, { id: pack, state: 'sealed' })) > 0;
}

/** A sweep may have removed the content while it was read. */
async function isStillThere(core: Core, { sha256, pack, offset }: Row): Promise<boolean> {
  const content = { hash: Buffer.from(sha256, 'hex'), pack: { id: pack, state: 'sealed' }, offset } as const;
  return (await core.database.em().count(Content, content)) > 0;
}

async function affected(core: Core, pack: string, sha256?: string): Promise<Pick<Finding, 'deployments'>> {
  const all = db(core)
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
  const rows = await (sha256 === undefined ? all : all.where(hasContent)).execute();
  return { deployments: rows.map(({ id }) => id) };
}

async function storedBytes(core: Core): Promise<number> {
  const { bytes } = await db(core)
    .selectFrom('content')
    .select(({ cast, fn, lit }) => cast<number>(fn.coalesce(fn.sum('length'), lit(0)), 'float8').as('bytes'))
    .executeTakeFirstOrThrow();
  return bytes;
}

async function packsAfter(core: Core, last: string): Promise<string[]> {
  const rows = await db(core)
    .selectFrom('pack')
    .select('id')
    .where('state', '=', 'sealed')
    .$if(last !== '', (query) => query.where('id', '>', last))
    .orderBy('id')
    .limit(PACKS_AT_ONCE)
    .execute();
  return rows.map(({ id }) => id);
}
