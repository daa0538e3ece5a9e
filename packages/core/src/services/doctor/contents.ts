import { createHash, hash } from 'node:crypto';
import { sql } from 'kysely';
import type { Core } from '../../core.ts';
import { db } from '../../database/tables.ts';
import type { ContentLocation } from '../../storage/packs.ts';
import { hashAtPosition } from '../packs/contents.ts';
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
    const { rows } = await sql<Row>`
      select encode(hash, 'hex') as sha256, pack_id as pack, "offset"::float8 as "offset", length::float8 as length
      from content where pack_id = ${pack} and ("offset", hash) > (${after.offset}, decode(${after.sha256}, 'hex'))
      order by "offset", hash limit ${CONTENTS_AT_ONCE}`.execute(db(core));
    yield* rows;
    if (rows.length < CONTENTS_AT_ONCE) return;
    after = rows.at(-1)!;
  }
}

/** A sweep may have removed the pack before it was read. */
async function isSealed(core: Core, pack: string): Promise<boolean> {
  const { rows } = await sql`select 1 from pack where id = ${pack} and state = 'sealed'`.execute(db(core));
  return rows.length > 0;
}

/** A sweep may have removed the content while it was read. */
async function isStillThere(core: Core, { sha256, pack, offset }: Row): Promise<boolean> {
  const { rows } = await sql`
    select 1 from content c join pack p on p.id = c.pack_id
    where c.hash = decode(${sha256}, 'hex') and c.pack_id = ${pack} and c."offset" = ${offset} and p.state = 'sealed'`.execute(
    db(core),
  );
  return rows.length > 0;
}

/** The deployments that need a pack, or one content in it. */
async function affected(core: Core, pack: string, sha256?: string): Promise<Pick<Finding, 'deployments'>> {
  const holds =
    sha256 === undefined
      ? sql`true`
      : sql`exists (
          select 1 from generate_series(1, length(m.hashes) / 32) as f (position)
          where ${hashAtPosition(sql.ref('m.hashes'), 'f.position')} = decode(${sha256}, 'hex'))`;
  const { rows } = await sql<{ id: string }>`
    select d.id from deployment_pack n
    join deployment d on d.id = n.deployment_id join manifest m on m.deployment_id = d.id
    where n.pack_id = ${pack} and d.status = 'success' and ${holds} order by d.id limit ${MAX_DEPLOYMENTS}`.execute(
    db(core),
  );
  return { deployments: rows.map(({ id }) => id) };
}

async function storedBytes(core: Core): Promise<number> {
  const { rows } = await sql<{ bytes: number }>`
    select coalesce(sum(length), 0)::float8 as bytes from content`.execute(db(core));
  return rows[0]!.bytes;
}

async function packsAfter(core: Core, last: string): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from pack where state = 'sealed' and (${last} = '' or id > nullif(${last}, '')::uuid)
    order by id limit ${PACKS_AT_ONCE}`.execute(db(core));
  return rows.map(({ id }) => id);
}
