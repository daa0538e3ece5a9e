import { randomBytes } from 'node:crypto';
import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import type { Core } from '../../core.ts';
import { db } from '../../database/tables.ts';
import { Content, Deployment, Pack } from '../../entities/index.ts';
import { failpoint } from '../../failpoints.ts';
import { sweepFenceMisses, sweepRemoved, sweepStepFailures, sweepStepSeconds } from '../../metrics.ts';
import { measureInexactStorage } from '../accounts/storage.ts';
import { deleteOldOutcomes } from '../deployments/idempotency.ts';
import { tryCloseFence } from '../packs/fence.ts';
import { arePacksHeld } from '../packs/hold.ts';
import { dropPack, removeDeadPack } from '../packs/open-packs.ts';
import { attemptTask, type RunLimits, runWorklist, throwIfDatabaseAway, type Worklist } from '../worklist.ts';
import { expireDeployments, expireUploads } from './expire.ts';

export interface SweepOptions {
  /** How long a sealed pack that nothing refers to is kept, in milliseconds. */
  graceMs: number;
  /** How long a process may be silent before its open packs are dropped, in milliseconds. */
  bootStaleMs: number;
  /** How long to wait for the fence, in milliseconds; 0 does not wait. */
  fenceWaitMs: number;
  /** The maximum number of deployments, and of packs, that one run removes. */
  batch: number;
  signal?: AbortSignal;
}

/** The default waiting times and size of a sweep. Source: storage W4, W5. */
export const DEFAULT_SWEEP: SweepOptions = {
  graceMs: 24 * 60 * 60 * 1000,
  bootStaleMs: 10 * 60 * 1000,
  fenceWaitMs: 0,
  batch: 1000,
};

/** What one run removed. If deploys held the fence, `fenced` is false and unreferenced packs are left to the next run. */
export interface SweepReport {
  expired: number;
  deployments: number;
  packs: number;
  fenced: boolean;
}

/**
 * Removes what nothing refers to: expired deployments, the remains of deleted deployments, uploads that can no longer be
 * committed, unreferenced packs, packs of stopped processes, old idempotency records. Then measures the storage of the
 * accounts that own less than before. Safe concurrently with deploys and other sweeps, and after a crash at any step.
 * If a step or an item fails, the error is logged and the other steps and items still run.
 *
 * @throws the error of the first step that failed, after the last step; at once if the database cannot be used.
 * Source: storage W1 to W5.
 */
export async function sweep(core: Core, options: Partial<SweepOptions> = {}): Promise<SweepReport> {
  const settings = { ...DEFAULT_SWEEP, ...options };
  const { batch, bootStaleMs, signal } = settings;
  const limits = { limit: batch, signal };
  const report: SweepReport = { expired: 0, deployments: 0, packs: 0, fenced: false };
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
    'mark unreferenced packs as dead': async () => {
      report.fenced = await markUnreferencedPacksDead(core, settings);
      if (!report.fenced) sweepFenceMisses.value += 1;
    },
    'remove abandoned packs': async () => {
      sweepRemoved['abandoned pack'].value += await removeAbandonedPacks(core, limits, bootStaleMs);
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

/** Deletes the contents of packs that nothing refers to, and marks the packs as dead. Takes the fence exclusively. */
async function markUnreferencedPacksDead(core: Core, { graceMs, fenceWaitMs, batch }: SweepOptions): Promise<boolean> {
  const sealedBefore = new Date(core.now().getTime() - graceMs);
  return core.database.transaction(async (em) => {
    if (!(await tryCloseFence(em, fenceWaitMs))) return false;
    // The first batch also deletes the compressed forms of its contents, whose packs may then be unreferenced.
    if (await markBatchDead(em, sealedBefore, batch)) await markBatchDead(em, sealedBefore, batch);
    return true;
  });
}

async function markBatchDead(em: EntityManager, sealedBefore: Date, batch: number): Promise<boolean> {
  const { rows } = await sql<{ id: string }>`
    select id from pack p
    where state = 'sealed' and sealed <= ${sealedBefore}
      and not exists (select 1 from deployment_pack d where d.pack_id = p.id)
      and not exists (select 1 from upload_pack u where u.pack_id = p.id)
      and not exists (select 1 from compression k where k.pack_id = p.id)
    order by id limit ${batch} for update`.execute(db(em));
  const packs = rows.map(({ id }) => id);
  if (packs.length === 0) return false;
  await em.nativeDelete(Content, { pack: { $in: packs } });
  await em.nativeUpdate(Pack, { id: { $in: packs } }, { state: 'dead' });
  failpoint('sweep.pack-condemned');
  return true;
}

/** Removes the open packs of silent processes, and those of this process whose upload has finished. */
function removeAbandonedPacks(core: Core, limits: RunLimits, bootStaleMs: number): Promise<number> {
  const silentSince = new Date(core.now().getTime() - bootStaleMs);
  return removeRows(core, limits, {
    task: 'remove abandoned packs',
    itemKind: 'pack',
    due: (skip, limit) => {
      const id = { $nin: [...skip, ...core.activePacks] };
      const $or = [{ boot: core.boot }, { boot: { heartbeat: { $lte: silentSince } } }];
      return core.database.em().find(Pack, { state: 'open', id, $or }, firstById(limit));
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
    .values({ id: boot, started: heartbeat, heartbeat })
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
