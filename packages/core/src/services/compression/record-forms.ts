import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import type { Coding } from '@berth/serving';
import type { Core } from '../../core.ts';
import { db } from '../../database/tables.ts';
import type { CompressedForm } from '../../entities/index.ts';
import { enterFence } from '../packs/fence.ts';
import { markSealed } from '../packs/open-packs.ts';

/** The forms of one content that are worth keeping, in the pack of the turn. */
export interface CompressedContent {
  /** SHA-256 of the content, in hex. */
  sha256: string;
  forms: Partial<Record<Coding, CompressedForm>>;
}

/** The result of one turn with a deployment. */
export interface CompressionTurn {
  deployment: string;
  contents: readonly CompressedContent[];
  /** The durable pack of the forms; `null` if none was worth keeping. */
  pack: { id: string; sizeBytes: number } | null;
  /** Whether the deployment is finished. */
  isDone: boolean;
}

/**
 * Records a turn in the caller's transaction: the rows of its contents, in order of hash, and when the deployment is due
 * again. Skips contents that were swept in the meantime, and leaves those that another process has already compressed.
 *
 * @returns Whether any row refers to the pack.
 * @throws `unavailable` if the sweep has abandoned the pack in the meantime. Source: storage P6, L2 to L5.
 */
export async function recordForms(
  em: EntityManager,
  core: Core,
  { deployment, contents, pack, isDone }: CompressionTurn,
): Promise<{ packUsed: boolean }> {
  await enterFence(em);
  const { rows } = await sql<{ pack: string | null }>`
    insert into compression (content_hash, pack_id, forms)
    select c.hash, case when m.forms <> '{}' then ${pack?.id ?? null}::uuid end, m.forms
    from jsonb_to_recordset(${JSON.stringify(contents)}::jsonb) as m (sha256 text, forms jsonb)
    join content c on c.hash = decode(m.sha256, 'hex')
    order by c.hash
    on conflict do nothing returning pack_id as pack`.execute(db(em));
  const packUsed = rows.some((row) => row.pack !== null);
  if (pack && packUsed) await markSealed(em, core, pack.id, pack.sizeBytes);
  // Null is final, also if two processes took turns with the deployment.
  await db(em)
    .updateTable('deployment')
    .set({ compress_at: isDone ? null : core.now() })
    .where('id', '=', deployment)
    .where('compress_at', 'is not', null)
    .execute();
  return { packUsed };
}
