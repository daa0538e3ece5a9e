import { randomBytes } from 'node:crypto';
import type { FilterQuery } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import type { Core } from '../../core.ts';
import { db } from '../../database/tables.ts';
import { Deployment, Pack } from '../../entities/index.ts';
import { failpoint } from '../../failpoints.ts';
import { sweepFenceMisses, sweepRemoved, sweepStepFailures, sweepStepSeconds } from '../../metrics.ts';
import { measureInexactStorage } from '../accounts/storage.ts';
import { compactPacks } from '../compaction/compact-packs.ts';
import { deleteOldOutcomes } from '../deployments/idempotency.ts';
import { tryCloseFence } from '../packs/fence.ts';
import { arePacksHeld } from '../packs/hold.ts';
import { dropPack, removeDeadPack } from '../packs/open-packs.ts';
import { dropSettledSuspects, removeUnreferenced, suspectForgottenPacks } from '../packs/suspects.ts';
import { attemptTask, type RunLimits, runWorklist, throwIfDatabaseAway, type Worklist } from '../worklist.ts';
import { expireDeployments, expireUploads } from './expire.ts';

export interface SweepOptions {
  /** How long a pack is kept after the last reference to it has ended, in milliseconds. */
  graceMs: number;
  /** How long a process may be silent before its open packs are dropped, in milliseconds. */
  bootStaleMs: number;
  /** How long to wait for the fence, in milliseconds; 0 does not wait. */
  fenceWaitMs: number;
  /** The maximum number of deployments, and of packs, that one run removes. */
  batch: number;
  /** The bytes after which one run rewrites no other pack. */
  compactionBytes: number;
  signal?: AbortSignal;
}

/** The default waiting times and sizes of a sweep. Source: storage C1, W4, W5. */
export const DEFAULT_SWEEP: SweepOptions = {
  graceMs: 24 * 60 * 60 * 1000,
  bootStaleMs: 10 * 60 * 1000,
  fenceWaitMs: 0,
  batch: 1000,
  // A part has at most as much, or one content that is larger. So a run each minute writes less than 7.5 GiB in an hour.
  compactionBytes: 64 * 1024 ** 2,
};

/** How long a run waits for the fence again after it had the fence once. Deploys that come meanwhile wait as long. */
const NEXT_PART_WAIT_MS = 100;

/** What one run removed. If deploys held the fence, `fenced` is false and unreferenced packs are left to the next run. */
export interface SweepReport {
  expired: number;
  deployments: number;
  packs: number;
  /** The packs that were rewritten, because less than half of them was needed. */
  compacted: number;
  fenced: boolean;
}

/**
 * Removes what nothing refers to: expired deployments, the remains of deleted deployments, uploads that can no longer be
 * committed, unreferenced packs, packs of stopped processes, old idempotency records. Rewrites packs of which little is needed.
 * Then measures the storage of the accounts that own less than before. Safe concurrently with deploys and other sweeps, and after a crash at any step.
 * If a step or an item fails, the error is logged and the other steps and items still run.
 *
 * @throws the error of the first step that failed, after the last step; at once if the database cannot be used.
 * Source: storage C1, C2, W1 to W5.
 */
export async function sweep(core: Core, options: Partial<SweepOptions> = {}): Promise<SweepReport> {
  const settings = { ...DEFAULT_SWEEP, ...options };
  const { batch, bootStaleMs, signal } = settings;
  const limits = { limit: batch, signal };
  const report: SweepReport = { expired: 0, deployments: 0, packs: 0, compacted: 0, fenced: false };
  await runSteps(core, signal, {
    'expire deployments': async () => {
      report.expired = await expireDeployments(core, limits);
      sweepRemoved['expired deployment'].value += report.expired;
    },
    'remove deleted deployments': async () => {
      report.deployments = await removeDeletedDeployments(core, limits);
      sweepRemoved['deleted deployment'].value += report.deployments;
    },
    'expire uploads': async () => void (sweepRemoved.upload.value += await expireUploads(core, limits)),
    'delete old idempotency records': () => deleteOldOutcomes(core),
    'compact packs': async () => {
      report.compacted = await compactPacks(core, { maxBytes: settings.compactionBytes, signal });
    },
    'mark unreferenced packs as dead': async () => {
      report.fenced = await markUnreferencedPacksDead(core, settings);
      if (!report.fenced) sweepFenceMisses.value += 1;
    },
    'remove abandoned packs': async () => {
      const owner = { $or: [{ boot: core.boot }, silentBoots(core, bootStaleMs)] };
      sweepRemoved['abandoned pack'].value += await removeAbandonedPacks(core, limits, owner);
    },
    'remove dead packs': async () => {
      report.packs = await removeDeadPacks(core, limits);
      sweepRemoved['dead pack'].value += report.packs;
    },
    'measure storage': () => measureInexactStorage(core, limits),
    'delete stopped processes': () => deleteStoppedBoots(core, bootStaleMs),
  });
  return report;
}

async function runSteps(
  core: Core,
  signal: AbortSignal | undefined,
  steps: Readonly<Record<string, () => Promise<unknown>>>,
): Promise<void> {
  const errors: unknown[] = [];
  for (const [task, run] of Object.entries(steps)) {
    if (signal?.aborted) break;
    const startedMs = performance.now();
    const outcome = await attemptTask(core, { task }, run);
    sweepStepSeconds(task).value += (performance.now() - startedMs) / 1000;
    sweepStepFailures(task).value += outcome.ok ? 0 : 1;
    if (outcome.ok) continue;
    await throwIfDatabaseAway(core, outcome.error);
    errors.push(outcome.error);
  }
  if (errors.length > 0) throw errors[0];
}

function removeDeletedDeployments(core: Core, limits: RunLimits): Promise<number> {
  return removeRows(core, limits, {
    task: 'remove deleted deployments',
    itemKind: 'deployment',
    due: (skip, limit) =>
      core.database.em().find(Deployment, { status: 'deleting', id: { $nin: [...skip] } }, firstById(limit)),
    async work({ id }) {
      const { numAffectedRows } = await sql`
        delete from deployment where id in (
          select id from deployment where id = ${id} and status = 'deleting' for update skip locked)`.execute(db(core));
      failpoint('sweep.deployment-removed');
      return numAffectedRows === 1n;
    },
  });
}

/** Deletes the contents of packs that nothing refers to, and marks the packs as dead. Takes the fence for short times. */
async function markUnreferencedPacksDead(
  core: Core,
  { graceMs, fenceWaitMs, batch, signal }: SweepOptions,
): Promise<boolean> {
  await suspectForgottenPacks(core);
  for (let packsLeft = batch, waitMs = fenceWaitMs; packsLeft > 0 && !signal?.aborted;) {
    await dropSettledSuspects(core, graceMs);
    const removed = await core.database.transaction(async (em) =>
      (await tryCloseFence(em, waitMs)) ? removeUnreferenced(em, graceMs, packsLeft) : null,
    );
    if (!removed) return false;
    if (removed.packs + removed.contents === 0) break;
    packsLeft -= removed.packs;
    waitMs = Math.max(fenceWaitMs, NEXT_PART_WAIT_MS);
  }
  return true;
}

/**
 * Removes the open packs of this process that no upload fills, such as those of a COMMIT whose outcome was unknown. Every process
 * that accepts uploads must run it regularly, because no other process knows which of its packs are in use. Source: storage W4, P9.
 */
export async function removeOwnAbandonedPacks(core: Core, signal?: AbortSignal): Promise<void> {
  sweepRemoved['abandoned pack'].value += await removeAbandonedPacks(
    core,
    { limit: DEFAULT_SWEEP.batch, signal },
    { boot: core.boot },
  );
}

function silentBoots(core: Core, bootStaleMs: number) {
  return { boot: { heartbeat: { $lte: new Date(core.now().getTime() - bootStaleMs) } } };
}

function removeAbandonedPacks(core: Core, limits: RunLimits, owner: FilterQuery<Pack>): Promise<number> {
  return removeRows(core, limits, {
    task: 'remove abandoned packs',
    itemKind: 'pack',
    due: (skip, limit) => {
      const id = { $nin: [...skip, ...core.activePacks] };
      return core.database.em().find(Pack, { $and: [{ state: 'open', id }, owner] }, firstById(limit));
    },
    async work({ id }) {
      if (core.activePacks.has(id)) return false;
      await dropPack(core, id);
      return true;
    },
  });
}

function removeDeadPacks(core: Core, limits: RunLimits): Promise<number> {
  return removeRows(core, limits, {
    task: 'remove dead packs',
    itemKind: 'pack',
    async due(skip, limit) {
      const dead = await core.database.em().find(Pack, { state: 'dead', id: { $nin: [...skip] } }, firstById(limit));
      // Asked after the packs were found dead: a backup that starts later does not need them.
      return dead.length > 0 && (await arePacksHeld(core)) ? [] : dead;
    },
    async work({ id }) {
      await removeDeadPack(core, id);
      return true;
    },
  });
}

const firstById = (limit: number) =>
  ({ fields: ['id'], orderBy: { id: 'asc' }, limit, disableIdentityMap: true }) as const;

function removeRows(
  core: Core,
  limits: RunLimits,
  { itemKind, ...list }: Pick<Worklist<{ id: string }>, 'task' | 'due' | 'work'> & { itemKind: 'deployment' | 'pack' },
): Promise<number> {
  return runWorklist(core, { ...list, groupOf: ({ id }) => id, idsOf: ({ id }) => ({ [itemKind]: id }) }, limits);
}

export function newBootId(): string {
  return randomBytes(8).toString('hex');
}

/** Updates the heartbeat of this process. Call it before the first upload and then regularly. Source: storage W4. */
export async function recordHeartbeat({ database, boot, now }: Pick<Core, 'database' | 'boot' | 'now'>): Promise<void> {
  const heartbeat = now();
  await db({ database })
    .insertInto('boot')
    .values({ id: boot, started: heartbeat, heartbeat, reads_changes: true })
    .onConflict((conflict) => conflict.column('id').doUpdateSet({ heartbeat }))
    .execute();
}

/** Deletes the boots whose processes have been silent for `bootStaleMs` and have no packs left. Source: storage W4. */
async function deleteStoppedBoots(core: Core, bootStaleMs: number): Promise<void> {
  await db(core)
    .deleteFrom('boot')
    .where('heartbeat', '<=', new Date(core.now().getTime() - bootStaleMs))
    .where('id', '<>', core.boot)
    .where(({ exists, not, selectFrom }) =>
      not(exists(selectFrom('pack').select('id').whereRef('boot_id', '=', 'boot.id'))),
    )
    .execute();
}
