import { hash } from 'node:crypto';
import { sql } from 'kysely';
import { decompressForm } from '../../compressor/forms.ts';
import type { Core } from '../../core.ts';
import { db, type StatementScope } from '../../database/tables.ts';
import { type CompressedForm, Compression } from '../../entities/index.ts';
import type { Coding } from '@berth/serving';
import type { PackReader } from '../../storage/packs.ts';
import { hexOf } from '../packs/contents.ts';
import { enterFence } from '../packs/fence.ts';
import { type Check, type Finding, finding, MAX_DEPLOYMENTS, note } from './checks.ts';

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
 * Reads every compressed form, checks its hash and decompresses it. The fix for a damaged form is to delete it: the
 * content is served uncompressed until it is compressed again. Source: serving S48; storage I2.
 */
export const forms: Check = {
  name: 'forms',
  title: 'Compressed forms',
  async *run(core, { fix }) {
    const totals = await countForms(core);
    if (totals.contents === 0) return;
    const reader = core.packs.scan();
    let [done, reported] = [0, 0];
    for (let last: Pick<Row, 'pack' | 'sha256'> | null = null; ;) {
      const rows = await rowsAfter(core, last);
      for (const row of rows) {
        const fault = await faultOf(reader, row);
        if (fault && (await isStillThere(core, row))) yield await toFinding(core, row, fault, fix);
        done += sizeOf(row);
        if (done - reported < PROGRESS_BYTES) continue;
        reported = done;
        yield { kind: 'progress', done, total: Math.max(totals.bytes, done), unit: 'bytes' };
      }
      if (rows.length < ROWS_AT_ONCE) break;
      last = rows.at(-1)!;
    }
    yield note(`${totals.contents} contents also have compressed forms, ${totals.bytes} bytes in total.`);
  },
};

const sizeOf = ({ forms }: Row) => Object.values(forms).reduce((sum, { length }) => sum + length, 0);

/** Returns the fault of a form as a sentence without a period; `null` if each form decompresses to the content. */
async function faultOf(reader: PackReader, { sha256, pack, length, forms }: Row): Promise<string | null> {
  for (const [coding, form] of Object.entries(forms) as [Coding, CompressedForm][]) {
    try {
      const bytes = await reader.read({ pack, offset: form.offset, length: form.length });
      if (hash('sha256', bytes) !== form.sha256) return `the ${coding} form does not match its hash`;
      if (hash('sha256', await decompressForm(coding, bytes, length)) !== sha256)
        return `the ${coding} form decompresses to other bytes`;
    } catch (error) {
      return `the ${coding} form cannot be read: ${(error as Error).message}`;
    }
  }
  return null;
}

async function toFinding(core: Core, row: Row, fault: string, fix: boolean): Promise<Finding> {
  const { sha256, pack } = row;
  const affected = findDeployments(core, sha256).limit(MAX_DEPLOYMENTS);
  const deployments = await (fix ? deleteForms(core, row) : affected.execute());
  return finding('damage', `Content ${sha256} in pack ${pack}: ${fault}.`, {
    pack,
    content: sha256,
    deployments: deployments.slice(0, MAX_DEPLOYMENTS).map(({ id }) => id),
    fixed: fix,
  });
}

function findDeployments(scope: StatementScope, sha256: string) {
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

async function deleteForms(core: Core, { sha256, pack }: Row): Promise<{ id: string }[]> {
  return core.database.transaction(async (em) => {
    await enterFence(em);
    await em.nativeDelete(Compression, { content: Buffer.from(sha256, 'hex'), pack });
    const rows = await db(em)
      .with('due', () => findDeployments(em, sha256).forUpdate())
      .updateTable('deployment as d')
      .set({ compress_at: core.now() })
      .from('due')
      .whereRef('d.id', '=', 'due.id')
      .returning('d.id')
      .execute();
    return rows.toSorted((a, b) => (a.id < b.id ? -1 : 1));
  });
}

/** False if a sweep has removed the forms in the meantime. */
async function isStillThere(core: Core, { sha256, pack }: Row): Promise<boolean> {
  const content = Buffer.from(sha256, 'hex');
  return (await core.database.em().count(Compression, { content, pack: { id: pack, state: 'sealed' } })) > 0;
}

/** Reads rows in the order of packs, so that each pack is read once. */
async function rowsAfter(core: Core, last: Pick<Row, 'pack' | 'sha256'> | null): Promise<Row[]> {
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
    .$if(last !== null, (query) =>
      query.where(({ eb, refTuple, tuple }) =>
        eb(refTuple('k.pack_id', 'k.content_hash'), '>', tuple(last!.pack, Buffer.from(last!.sha256, 'hex'))),
      ),
    )
    .orderBy('k.pack_id')
    .orderBy('k.content_hash')
    .limit(ROWS_AT_ONCE)
    .execute();
}

async function countForms(core: Core): Promise<{ contents: number; bytes: number }> {
  const { rows } = await sql<{ contents: number; bytes: number }>`
    select count(distinct k.content_hash)::int as contents, coalesce(sum((f.form ->> 'length')::bigint), 0)::float8 as bytes
    from compression k cross join jsonb_each(k.forms) as f (coding, form)`.execute(db(core));
  return rows[0]!;
}
