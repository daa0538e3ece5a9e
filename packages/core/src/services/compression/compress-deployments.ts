import { performance } from 'node:perf_hooks';
import { isWorthCompressing, type StoredBytes } from '@berth/serving';
import { sql } from 'kysely';
import type { Compressor, UncompressedContent } from '../../compressor/compressor.ts';
import type { CompressedBytes } from '../../compressor/forms.ts';
import type { Core } from '../../core.ts';
import { db } from '../../database/tables.ts';
import { failpoint } from '../../failpoints.ts';
import { hashAtPosition } from '../packs/contents.ts';
import { commitWithPack } from '../packs/open-packs.ts';
import { attemptTask } from '../worklist.ts';
import { openFormsPack, recordForms } from './forms-pack.ts';

interface CompressionOptions {
  /** Aborts the run. Forms made so far are kept; the content in progress is dropped. */
  signal?: AbortSignal;
  /** How long to work on one deployment before its forms are stored and the next deployment gets a turn, in milliseconds. */
  turnMs?: number;
}

const TURN_MS = 10_000;
/** How long a process may work on a deployment before another process may take it. */
const LEASE_MS = 2 * 60_000;
/** After this many crashes of the compressor process, a content stays uncompressed. */
const MAX_CRASHES = 2;

/**
 * Compresses the files of due deployments, one content at a time, until none is due. Each content is compressed only once for
 * all deployments; the forms of one turn go into one new pack. Any number of processes may run this concurrently.
 *
 * A deployment that fails is logged and retried some minutes later. The run continues with the others.
 *
 * @returns The number of deployments that are finished.
 * @throws for errors of the database. Source: serving S48.
 */
export async function compressDeployments(
  core: Core,
  compressor: Compressor,
  { signal = new AbortController().signal, turnMs = TURN_MS }: CompressionOptions = {},
): Promise<number> {
  let done = 0;
  while (!signal.aborted) {
    const deployment = await takeDueDeployment(core);
    if (deployment === null) break;
    const outcome = await attemptTask(core, { task: 'compress deployments', deployment }, () =>
      takeTurn(core, compressor, deployment, { signal, turnMs }),
    );
    if (outcome.ok && outcome.value) done += 1;
  }
  return done;
}

/** @returns Whether the deployment is finished. */
async function takeTurn(
  core: Core,
  compressor: Compressor,
  deployment: string,
  { signal, turnMs }: Required<CompressionOptions>,
): Promise<boolean> {
  const left = await findUncompressedContents(core, deployment);
  const end = performance.now() + turnMs;
  const pack = openFormsPack(core);
  let compressed = 0;
  try {
    for (const content of left) {
      const forms = await compressWithRetries(core, compressor, content, signal);
      if (forms === null) break;
      await pack.add(content.sha256, forms);
      compressed += 1;
      if (performance.now() >= end) break;
    }
    const isDone = compressed === left.length;
    const sealed = await pack.seal();
    failpoint('compression.sealed');
    await commitWithPack(core, pack, (em) => recordForms(em, core, { deployment, ...sealed, isDone }));
    failpoint('compression.recorded');
    return isDone;
  } finally {
    await pack.close();
  }
}

/**
 * The forms of a content: none if its bytes are lost or the compressor crashes on it repeatedly, `null` if the run was aborted.
 *
 * @throws for failures that may be temporary.
 */
async function compressWithRetries(
  core: Core,
  compressor: Compressor,
  content: StoredBytes,
  signal: AbortSignal,
): Promise<CompressedBytes | null> {
  const { sha256, pack } = content;
  const bytes = await readContent(core, content);
  for (let crashes = 0; bytes !== null && crashes < MAX_CRASHES; crashes += 1) {
    const outcome = await compressOne(compressor, { bytes, sha256 }, signal);
    switch (outcome.kind) {
      case 'ended':
        return null;
      case 'forms':
        return outcome.forms;
      case 'damaged':
        core.log.error({ content: sha256, pack }, 'A content does not match its hash');
        return {};
      case 'crashed':
        core.log.warn({ content: sha256, pack, how: outcome.how }, 'The compressor process crashed on a content');
        break;
      default:
        outcome satisfies never;
    }
  }
  return {};
}

async function compressOne(compressor: Compressor, content: UncompressedContent, signal: AbortSignal) {
  try {
    return await compressor.compress(content, signal);
  } catch (error) {
    if (signal.aborted) return { kind: 'ended' } as const;
    throw error;
  }
}

/** @returns `null` if the bytes are missing: the pack was swept in the meantime, or they are lost. */
async function readContent(core: Core, content: StoredBytes): Promise<Buffer | null> {
  try {
    return await core.packs.read(content);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== undefined && code !== 'ENOENT') throw error;
    core.log.warn({ err: error, content: content.sha256 }, 'A content is missing and was not compressed');
    return null;
  }
}

/**
 * Takes the due deployment that has waited longest. If it is not finished, it becomes due again.
 *
 * Concurrent processes never take the same deployment. If a process crashes or fails, its deployment is due again when the
 * lease ends.
 *
 * @returns `null` if none is due.
 */
async function takeDueDeployment(core: Core): Promise<string | null> {
  const now = core.now();
  const { rows } = await sql<{ id: string }>`
    update deployment set compress_at = ${new Date(now.getTime() + LEASE_MS)}
    where id = (
      select id from deployment
      where compress_at <= ${now} and status = 'success' and (expires is null or expires > ${now})
      order by compress_at limit 1 for update skip locked)
    returning id`.execute(db(core));
  return rows[0]?.id ?? null;
}

/** The contents of a deployment that are worth compressing and not compressed yet. Source: serving S48. */
async function findUncompressedContents(core: Core, deployment: string): Promise<StoredBytes[]> {
  const { rows } = await sql<StoredBytes & { path: string }>`
    select f.path, encode(c.hash, 'hex') as sha256, c.pack_id as pack, c."offset"::float8 as "offset", c.length::float8 as length
    from manifest m
    cross join unnest(m.paths) with ordinality as f (path, position)
    join content c on c.hash = ${hashAtPosition(sql.ref('m.hashes'), 'f.position')}
    where m.deployment_id = ${deployment} and not exists (select 1 from compression k where k.content_hash = c.hash)`.execute(
    db(core),
  );
  const left = new Map<string, StoredBytes>();
  for (const { path, ...content } of rows)
    if (isWorthCompressing(path, content.length)) left.set(content.sha256, content);
  return [...left.values()];
}
