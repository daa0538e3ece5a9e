import { type Coding, isWorthCompressing, type StoredBytes } from '@berth/serving';
import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import type { Compressor } from '../../compressor/compressor.ts';
import type { CompressedBytes } from '../../compressor/forms.ts';
import type { Core } from '../../core.ts';
import { db } from '../../database/tables.ts';
import { type CompressedForm, Deployment } from '../../entities/index.ts';
import { failpoint } from '../../failpoints.ts';
import { compressedContents, compressionSavedBytes, compressorCrashes } from '../../metrics.ts';
import { hexOf, isOneOf, readFiles } from '../packs/contents.ts';
import { enterFence } from '../packs/fence.ts';
import { commitWithPack, markSealed, type OpenPack, openPack } from '../packs/open-packs.ts';
import { readContentOrNull } from '../packs/moved-contents.ts';
import { attemptTask } from '../worklist.ts';

interface CompressionOptions {
  /** Aborts the run. Finished forms are kept; the current content is not compressed. */
  signal?: AbortSignal;
  /** How long to work on a deployment before its forms are stored and the next deployment is compressed, in milliseconds. */
  turnMs?: number;
}

interface CompressionTurn {
  deployment: string;
  /** The SHA-256 of each compressed content, in hex, and the places in the pack of its forms. */
  contents: { sha256: string; forms: Partial<Record<Coding, CompressedForm>> }[];
  /** The durable pack of the forms; `null` if no form was worth keeping. */
  pack: { id: string; sizeBytes: number } | null;
  /** Whether all contents of the deployment are compressed. */
  isDone: boolean;
}

const TURN_MS = 10_000;
/** How long a process may work on a deployment before another process may compress it. */
const LEASE_MS = 2 * 60_000;
/** After this many crashes of the compressor process, a content stays uncompressed. */
const MAX_CRASHES = 2;

/**
 * Compresses the files of due deployments until none is due. Each content is compressed only once for all deployments;
 * the forms of one turn go into one new pack. Any number of processes may run this concurrently. If compressing a
 * deployment fails, the failure is logged, and the deployment is retried some minutes later.
 *
 * @returns The number of deployments that are finished.
 * @throws for errors of the database. Source: serving S48.
 */
export async function compressDeployments(
  core: Core,
  compressor: Compressor,
  { signal = new AbortController().signal, turnMs = TURN_MS }: CompressionOptions = {},
): Promise<number> {
  let doneCount = 0;
  while (!signal.aborted) {
    const deployment = await takeDueDeployment(core);
    if (deployment === null) break;
    const outcome = await attemptTask(core, { task: 'compress deployments', deployment }, () =>
      takeTurn(core, compressor, deployment, { signal, turnMs }),
    );
    if (outcome.ok && outcome.value) doneCount += 1;
  }
  return doneCount;
}

/** @returns Whether all contents of the deployment are compressed. */
async function takeTurn(
  core: Core,
  compressor: Compressor,
  deployment: string,
  { signal, turnMs }: Required<CompressionOptions>,
): Promise<boolean> {
  const uncompressed = await findUncompressedContents(core, deployment);
  const turnEnd = performance.now() + turnMs;
  const pack = openPack(core);
  const compressed: { sha256: string; digests: Map<Coding, string> }[] = [];
  try {
    for (const content of uncompressed) {
      const forms = await compressWithRetries(core, compressor, content, signal);
      if (forms === null) break;
      countForms(content, forms);
      compressed.push({ sha256: content.sha256, digests: await addForms(pack, forms) });
      if (performance.now() >= turnEnd) break;
    }
    const isDone = compressed.length === uncompressed.length;
    await pack.finish();
    const placeOfContent = new Map(pack.contents().map((place) => [place.sha256, place]));
    const contents = compressed.map(({ sha256, digests }) => {
      const forms = [...digests].map(([coding, digest]) => [coding, placeOfContent.get(digest)!] as const);
      return { sha256, forms: Object.fromEntries(forms) };
    });
    const sealedPack = placeOfContent.size === 0 ? null : { id: pack.id, ...(await pack.seal()) };
    failpoint('compression.sealed');
    await commitWithPack(core, pack, (em) => recordForms(em, core, { deployment, contents, pack: sealedPack, isDone }));
    failpoint('compression.recorded');
    return isDone;
  } finally {
    await pack.close();
  }
}

/**
 * Returns the forms of a content: none if its bytes are lost or the compressor crashes on it repeatedly; `null` if the run
 * was aborted. @throws for failures that may be temporary.
 */
async function compressWithRetries(
  core: Core,
  compressor: Compressor,
  content: StoredBytes,
  signal: AbortSignal,
): Promise<CompressedBytes | null> {
  const { sha256, pack } = content;
  const bytes = await readContentOrNull(core, content);
  if (bytes === null) core.log.warn({ content: sha256, pack }, 'A content is missing and was not compressed');
  for (let crashes = 0; bytes !== null && crashes < MAX_CRASHES; crashes += 1) {
    const outcome = await compressor.compress({ bytes, sha256 }, signal).catch((error: unknown) => {
      if (signal.aborted) return { kind: 'aborted' } as const;
      throw error;
    });
    switch (outcome.kind) {
      case 'aborted':
        return null;
      case 'forms':
        return outcome.forms;
      case 'damaged':
        core.log.error({ content: sha256, pack }, 'A content does not match its hash');
        return {};
      case 'crashed':
        compressorCrashes.value += 1;
        core.log.warn({ content: sha256, pack, how: outcome.how }, 'The compressor process crashed on a content');
        break;
      default:
        outcome satisfies never;
    }
  }
  return {};
}

function countForms({ length }: StoredBytes, forms: CompressedBytes): void {
  const formLengths = Object.values(forms).map((form) => form.length);
  compressedContents.value += 1;
  compressionSavedBytes.value += length - Math.min(length, ...formLengths);
}

/** Adds the forms of a content to a pack. Returns a map that has their SHA-256 once the pack is finished. */
async function addForms(pack: OpenPack, forms: CompressedBytes): Promise<Map<Coding, string>> {
  const digests = new Map<Coding, string>();
  for (const [coding, bytes] of Object.entries(forms) as [Coding, Uint8Array][]) {
    const sink = pack.begin((digest) => void digests.set(coding, digest.sha256));
    await sink.write(bytes);
    sink.end();
  }
  return digests;
}

const FIND_DUE = `select from deployment
  where compress_at <= $1 and status = 'success' and (expires is null or expires > $1) limit 1`;

/**
 * Takes the due deployment that has waited longest, so that no other process takes it before the lease expires.
 *
 * @returns `null` if none is due.
 */
async function takeDueDeployment(core: Core): Promise<string | null> {
  const now = core.now();
  // Most runs find nothing. A prepared statement costs them a fraction of an update.
  if ((await core.database.prepared(FIND_DUE, [now])).length === 0) return null;
  const { rows } = await sql<{ id: string }>`
    update deployment set compress_at = ${new Date(now.getTime() + LEASE_MS)}
    where id = (
      select id from deployment
      where compress_at <= ${now} and status = 'success' and (expires is null or expires > ${now})
      order by compress_at limit 1 for update skip locked)
    returning id`.execute(db(core));
  return rows[0]?.id ?? null;
}

/** Finds the contents of a deployment that are worth compressing and not compressed yet, in the order of their packs. Source: serving S48. */
async function findUncompressedContents(core: Core, deployment: string): Promise<StoredBytes[]> {
  const files = (await readFiles(core, { deployment })) ?? [];
  const worthwhile = files.filter(({ path, size }) => isWorthCompressing(path, size));
  const hashes = new Set(worthwhile.map(({ sha256 }) => sha256));
  if (hashes.size === 0) return [];
  return db(core)
    .selectFrom('content as c')
    .select(({ ref }) => [hexOf(ref('c.hash')).as('sha256'), 'c.pack_id as pack', 'c.offset', 'c.length'])
    .where(isOneOf([...hashes]))
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom('compression as k').select('k.content_hash').whereRef('k.content_hash', '=', 'c.hash'))),
    )
    .orderBy('c.pack_id')
    .orderBy('c.offset')
    .execute();
}

/**
 * Saves the compressed forms of some contents of a deployment, in order of hash, and when the deployment is due for
 * compression again. Skips contents that were swept in the meantime or that another process has compressed.
 *
 * @returns Whether a saved form is in the new pack.
 * @throws `unavailable` if the sweep has dropped the pack in the meantime. Source: storage P6, L2 to L5.
 */
async function recordForms(
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
  // A deployment that another process has finished in the meantime stays finished.
  const compressAt = isDone ? null : core.now();
  await em.nativeUpdate(Deployment, { id: deployment, compressAt: { $ne: null } }, { compressAt });
  return { packUsed };
}
