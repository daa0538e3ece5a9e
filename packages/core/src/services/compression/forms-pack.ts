import type { Coding } from '@berth/serving';
import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import type { CompressedBytes } from '../../compressor/forms.ts';
import type { Core } from '../../core.ts';
import { db } from '../../database/tables.ts';
import { type CompressedForm, Deployment } from '../../entities/index.ts';
import { enterFence } from '../packs/fence.ts';
import { markSealed, type OpenPack, openPack } from '../packs/open-packs.ts';

/** The forms of one content that are worth keeping, in the pack of the turn. */
interface CompressedContent {
  /** SHA-256 of the content, in hex. */
  sha256: string;
  forms: Partial<Record<Coding, CompressedForm>>;
}

interface CompressionTurn {
  deployment: string;
  contents: readonly CompressedContent[];
  /** The durable pack of the forms; `null` if none was worth keeping. */
  pack: { id: string; sizeBytes: number } | null;
  /** Whether the deployment is finished. */
  isDone: boolean;
}

/** A pack of compressed forms. Its owner always ends it with `close`, and calls `keep` once rows refer to it. */
interface FormsPack extends Pick<OpenPack, 'keep' | 'close'> {
  /** Adds the forms of a content; there may be none. */
  add(sha256: string, forms: CompressedBytes): Promise<void>;
  /** Makes the pack durable, unless it is empty. @throws if that fails; the pack is then lost. */
  seal(): Promise<Pick<CompressionTurn, 'contents' | 'pack'>>;
}

/** Opens a pack of forms. Its row and its file are created with the first form. */
export function openFormsPack(core: Core): FormsPack {
  const pack = openPack(core);
  /** The SHA-256 of each form, by content. */
  const added: { sha256: string; digests: Map<Coding, string> }[] = [];
  return {
    keep: pack.keep,
    close: pack.close,
    async add(sha256, forms) {
      const digests = new Map<Coding, string>();
      added.push({ sha256, digests });
      for (const [coding, bytes] of Object.entries(forms) as [Coding, Uint8Array][]) {
        const sink = pack.begin((digest) => void digests.set(coding, digest.sha256));
        await sink.write(bytes);
        sink.end();
      }
    },
    async seal() {
      await pack.finish();
      const places = new Map(pack.contents().map((place) => [place.sha256, place]));
      const contents = added.map(({ sha256, digests }): CompressedContent => {
        const forms = [...digests].map(([coding, digest]) => [coding, places.get(digest)!]);
        return { sha256, forms: Object.fromEntries(forms) };
      });
      return { contents, pack: places.size === 0 ? null : { id: pack.id, ...(await pack.seal()) } };
    },
  };
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
  // Once null, it stays null, even if two processes compressed the deployment in turn.
  const compressAt = isDone ? null : core.now();
  await em.nativeUpdate(Deployment, { id: deployment, compressAt: { $ne: null } }, { compressAt });
  return { packUsed };
}
