import type { Core } from '../../core.ts';
import { failpoint } from '../../failpoints.ts';
import { compactedPacks, compactionFreedBytes, compactionWrittenBytes } from '../../metrics.ts';
import { attemptTask, throwIfDatabaseAway } from '../worklist.ts';
import { dropCandidate, dueCandidates, keepCandidate, postponeCandidate, sampleSparsePacks } from './candidates.ts';
import { releasePack, rewritePart } from './rewrite-pack.ts';
import { findSparsePack, type SparsePack, type StoredUnit } from './sparse-packs.ts';

interface CompactionOptions {
  /** The bytes after which a run starts no other pack and no other part of one. It may exceed them by one part. */
  maxBytes: number;
  signal?: AbortSignal | undefined;
}

/** The most packs that one run examines, and the time after which it examines no other. */
const MAX_CANDIDATES = 1_000;
const MAX_RUN_MS = 20_000;
const SAMPLE_SIZE = 10;
/** The size of a new pack. A larger content has a pack of its own. */
const MAX_PART_BYTES = 64 * 1024 ** 2;
/** The most rows that move in one transaction, because deploys wait for the fence meanwhile. */
const MAX_PART_UNITS = 1_000;

/**
 * Rewrites packs of which less than half is needed, so that the rest can be removed. Examines packs of which a reference has ended,
 * and a random sample. Safe concurrently with everything else, and after a crash at any step. If a pack fails, the error is logged
 * and the pack is tried again an hour later.
 *
 * @returns How many packs need nothing but their new copies. @throws the error of the database if it cannot be used.
 * Source: storage C1, C2.
 */
export async function compactPacks(
  core: Core,
  { maxBytes, signal = new AbortController().signal }: CompactionOptions,
): Promise<number> {
  let compacted = 0;
  let writtenBytes = 0;
  const endMs = performance.now() + MAX_RUN_MS;
  const candidates = new Set(await dueCandidates(core, MAX_CANDIDATES));
  const sample = await sampleSparsePacks(core, SAMPLE_SIZE);
  for (const id of candidates.union(new Set(sample))) {
    if (signal.aborted || writtenBytes >= maxBytes || performance.now() >= endMs) break;
    const outcome = await attemptTask(core, { task: 'compact packs', pack: id }, async () => {
      const pack = await findSparsePack(core, id, signal);
      if (signal.aborted) return false;
      const isDone = pack === null || (await compact(core, pack, (bytes) => (writtenBytes += bytes) < maxBytes));
      if (!isDone) await keepCandidate(core, id);
      else if (candidates.has(id)) await dropCandidate(core, id);
      return pack !== null && isDone;
    });
    if (outcome.ok) compacted += Number(outcome.value);
    else {
      await throwIfDatabaseAway(core, outcome.error);
      await postponeCandidate(core, id);
    }
  }
  return compacted;
}

/**
 * Moves what is needed of a pack, in as many parts as it takes.
 *
 * @param onWritten Receives the bytes of each part. Returns false if this run must not write another one.
 * @returns Whether the old pack was released. Otherwise the next run continues.
 */
async function compact(core: Core, pack: SparsePack, onWritten: (bytes: number) => boolean): Promise<boolean> {
  let newBytes = 0;
  const parts = partsOf(pack.live);
  for (const [index, part] of parts.entries()) {
    const { bytes, moved } = await rewritePart(core, pack.id, part);
    newBytes += bytes;
    compactionWrittenBytes.value += bytes;
    const mayContinue = onWritten(bytes);
    if (!moved) return false;
    failpoint('compaction.committed');
    if (!mayContinue && index < parts.length - 1) return false;
  }
  if (!(await releasePack(core, pack))) return false;
  failpoint('compaction.released');
  compactedPacks.value += 1;
  compactionFreedBytes.value += pack.sizeBytes - newBytes;
  return true;
}

/** Divides what moves into new packs of bounded size. */
function partsOf(units: readonly StoredUnit[]): StoredUnit[][] {
  const parts: StoredUnit[][] = [];
  let bytes = Infinity;
  for (const unit of units) {
    const unitBytes = unit.places.reduce((sum, { length }) => sum + length, 0);
    if (bytes + unitBytes > MAX_PART_BYTES || parts.at(-1)!.length === MAX_PART_UNITS) {
      parts.push([]);
      bytes = 0;
    }
    parts.at(-1)!.push(unit);
    bytes += unitBytes;
  }
  return parts;
}
