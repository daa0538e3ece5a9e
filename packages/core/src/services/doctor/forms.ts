import { hash } from 'node:crypto';
import { sql } from 'kysely';
import { decompressForm } from '../../compressor/forms.ts';
import type { Core } from '../../core.ts';
import { db, type StatementScope } from '../../database/tables.ts';
import { type CompressedForm, Compression } from '../../entities/index.ts';
import type { Coding } from '@berth/serving';
import { hexOf } from '../packs/contents.ts';
import { enterFence } from '../packs/fence.ts';
import { type Check, type Finding, finding, MAX_DEPLOYMENTS, type Note } from './checks.ts';

interface Row {
  sha256: string;
  /** Length of the content in bytes. */
  length: number;
  pack: string;
  forms: Partial<Record<Coding, CompressedForm>>;
}

const ROWS_AT_ONCE = 500;
const PROGRESS_BYTES = 16 * 1024 * 1024;

/**
 * Reads every compressed form, checks its hash and decompresses it. A damaged form is fixed by deleting it: the content is
 * served uncompressed until it is compressed again.
 *
 * Source: serving S48; storage I2.
 */
export const forms: Check = {
  name: 'forms',
  title: 'Compressed forms',
  async *run(core, { fix }) {
    const all = await count(core);
    if (all.contents === 0) return;
    let [done, reported] = [0, 0];
    for (let last = ''; ;) {
      const rows = await rowsAfter(core, last);
      for (const row of rows) {
        const fault = await faultOf(core, row);
        if (fault && (await isStillThere(core, row))) yield await toFinding(core, row, fault, fix);
        done += sizeOf(row);
        if (done - reported < PROGRESS_BYTES) continue;
        reported = done;
        yield { kind: 'progress', done, total: Math.max(all.bytes, done), unit: 'bytes' };
      }
      if (rows.length < ROWS_AT_ONCE) break;
      last = rows.at(-1)!.sha256;
    }
    yield {
      kind: 'note',
      message: `${all.contents} contents also have compressed forms, ${all.bytes} bytes in total.`,
    } satisfies Note;
  },
};

const sizeOf = ({ forms }: Row) => Object.values(forms).reduce((sum, { length }) => sum + length, 0);

/** The fault of the forms, as the end of a sentence; `null` if each decompresses to the content. */
async function faultOf(core: Core, { sha256, pack, length, forms }: Row): Promise<string | null> {
  for (const [coding, form] of Object.entries(forms) as [Coding, CompressedForm][]) {
    try {
      const bytes = await core.packs.read({ pack, offset: form.offset, length: form.length });
      if (hash('sha256', bytes) !== form.sha256) return `does not match its hash as ${coding}`;
      if (hash('sha256', await decompressForm(coding, bytes, length)) !== sha256)
        return `decompresses to other bytes from ${coding}`;
    } catch (error) {
      return `cannot be read as ${coding}: ${(error as Error).message}`;
    }
  }
  return null;
}

async function toFinding(core: Core, row: Row, fault: string, fix: boolean): Promise<Finding> {
  const { sha256, pack } = row;
  const deployments = fix ? await deleteForms(core, row) : await holders(core, row);
  return finding('damage', `Content ${sha256} in pack ${pack} ${fault}.`, {
    pack,
    content: sha256,
    deployments: deployments.slice(0, MAX_DEPLOYMENTS),
    fixed: fix,
  });
}

function holdersOf(scope: StatementScope, sha256: string) {
  return db(scope)
    .selectFrom('deployment as d')
    .select('d.id')
    .where('d.status', '=', 'success')
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('deployment_pack as n')
          .innerJoin('content as c', 'c.pack_id', 'n.pack_id')
          .select('n.pack_id')
          .whereRef('n.deployment_id', '=', 'd.id')
          .where('c.hash', '=', Buffer.from(sha256, 'hex')),
      ),
    )
    .orderBy('d.id');
}

async function holders(core: Core, { sha256 }: Row): Promise<string[]> {
  const rows = await holdersOf(core, sha256).limit(MAX_DEPLOYMENTS).execute();
  return rows.map(({ id }) => id);
}

/** Deletes the forms of a content and schedules its deployments for compression. @returns The deployments. */
async function deleteForms(core: Core, { sha256, pack }: Row): Promise<string[]> {
  return core.database.transaction(async (em) => {
    await enterFence(em);
    await em.nativeDelete(Compression, { content: Buffer.from(sha256, 'hex'), pack });
    const rows = await db(em)
      .with('due', () => holdersOf(em, sha256).forUpdate())
      .updateTable('deployment as d')
      .set({ compress_at: core.now() })
      .from('due')
      .whereRef('d.id', '=', 'due.id')
      .returning('d.id')
      .execute();
    return rows.map(({ id }) => id).toSorted();
  });
}

/** A sweep may have removed the forms while they were read. */
async function isStillThere(core: Core, { sha256, pack }: Row): Promise<boolean> {
  const forms = { content: Buffer.from(sha256, 'hex'), pack: { id: pack, state: 'sealed' } } as const;
  return (await core.database.em().count(Compression, forms)) > 0;
}

async function rowsAfter(core: Core, last: string): Promise<Row[]> {
  return db(core)
    .selectFrom('compression as k')
    .innerJoin('content as c', 'c.hash', 'k.content_hash')
    .select((eb) => [
      hexOf(eb.ref('k.content_hash')).as('sha256'),
      'c.length',
      eb.ref('k.pack_id').$notNull().as('pack'),
      'k.forms',
    ])
    .where('k.pack_id', 'is not', null)
    .where('k.content_hash', '>', Buffer.from(last, 'hex'))
    .orderBy('k.content_hash')
    .limit(ROWS_AT_ONCE)
    .execute();
}

async function count(core: Core): Promise<{ contents: number; bytes: number }> {
  const { rows } = await sql<{ contents: number; bytes: number }>`
    select count(distinct k.content_hash)::int as contents, coalesce(sum((f.form ->> 'length')::bigint), 0)::float8 as bytes
    from compression k cross join jsonb_each(k.forms) as f (coding, form)`.execute(db(core));
  return rows[0]!;
}
