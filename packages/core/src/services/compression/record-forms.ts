import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import type { Core } from '../../core.ts';
import type { CompressedForm } from '../../entities/index.ts';
import type { Coding } from '../../serving/site.ts';
import { enterFence } from '../packs/fence.ts';
import { markSealed } from '../packs/open-packs.ts';

/** What came of a content: the forms worth keeping, in the pack of the turn. */
export interface CompressedContent {
  /** Of the content, in hex. */
  sha256: string;
  forms: Partial<Record<Coding, CompressedForm>>;
}

/** What one turn with a deployment came to. */
export interface Turn {
  deployment: string;
  contents: readonly CompressedContent[];
  /** The durable pack of the forms; `null` when none was worth keeping. */
  pack: { id: string; sizeBytes: number } | null;
  /** Whether nothing of the deployment is left to compress. */
  isDone: boolean;
}

/**
 * Writes a turn down, in the caller's one transaction: rows of contents, in the order of their hashes, and when the deployment
 * is due again. A content that was swept meanwhile is left out, one that another process has compressed first stays as it is.
 *
 * @returns Whether anything refers to the pack.
 * @throws `unavailable` when the sweep has given the pack up meanwhile. Source: security P6, L2 to L5.
 */
export async function recordForms(
  em: EntityManager,
  core: Core,
  { deployment, contents, pack, isDone }: Turn,
): Promise<{ packUsed: boolean }> {
  const db = em.getKysely();
  await enterFence(em);
  const { rows } = await sql<{ pack: string | null }>`
    insert into compression (content_hash, pack_id, forms)
    select c.hash, case when m.forms <> '{}' then ${pack?.id ?? null}::uuid end, m.forms
    from jsonb_to_recordset(${JSON.stringify(contents)}::jsonb) as m (sha256 text, forms jsonb)
    join content c on c.hash = decode(m.sha256, 'hex')
    order by c.hash
    on conflict do nothing returning pack_id as pack`.execute(db);
  const packUsed = rows.some((row) => row.pack !== null);
  if (pack && packUsed) await markSealed(em, core, pack.id, pack.sizeBytes);
  // Null is the last word, also where two processes had the deployment in turn.
  await sql`
    update deployment set compress_at = ${isDone ? null : core.now()} where id = ${deployment} and compress_at is not null`.execute(
    db,
  );
  return { packUsed };
}
