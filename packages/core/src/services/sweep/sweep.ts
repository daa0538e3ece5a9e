import { IDEMPOTENCY_WINDOW_SECONDS } from '@berth/contract';
import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import type { Core } from '../../core.ts';
import { db } from '../../database/tables.ts';
import { failpoint } from '../../failpoints.ts';
import { expireDeployments } from './expire-deployments.ts';
import { expireUploads } from './expire-uploads.ts';
import { measureInexactStorage } from '../accounts/storage.ts';
import { attemptTask, type RunLimits, throwIfDatabaseAway, type Worklist, runWorklist } from '../worklist.ts';
import { deleteStoppedBoots } from './boots.ts';
import { tryCloseFence } from '../packs/fence.ts';
import { dropPack, removeDeadPack } from '../packs/open-packs.ts';

/** The waiting times and the size of a sweep. */
export interface SweepOptions {
  /** The minimum age of a sealed pack that nothing refers to before it is removed, in milliseconds. */
  graceMs: number;
  /** How long a process may be silent before its open packs are dropped, in milliseconds. */
  bootStaleMs: number;
  /** How long to wait for the fence, in milliseconds; 0 does not wait. */
  fenceWaitMs: number;
  /** The maximum number of deployments, and of packs, that one run removes. */
  batch: number;
  /** Ends the run after the current item. */
  signal?: AbortSignal;
}

/** Source: storage W4, W5. */
export const DEFAULT_SWEEP: SweepOptions = {
  graceMs: 24 * 60 * 60 * 1000,
  bootStaleMs: 10 * 60 * 1000,
  fenceWaitMs: 0,
  batch: 1000,
};

/** What one run removed. `fenced` is false if deploys held the fence, so that packs were left to the next run. */
export interface SweepReport {
  expired: number;
  deployments: number;
  packs: number;
  fenced: boolean;
}

/**
 * Removes what nothing refers to: expired deployments, the remains of deleted ones, uploads that can no longer be
 * committed, unreferenced packs, packs of stopped processes, old idempotency records. Then measures the storage of the
 * accounts that own less than before. Safe concurrently with deploys and other sweeps, and after a crash at any step.
 *
 * A step or an item that fails is logged, and the others still run.
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
    'expire deployments': async () => void (report.expired = await expireDeployments(core, limits)),
    'remove deleted deployments': async () => void (report.deployments = await removeDeletedDeployments(core, limits)),
    'expire uploads': () => expireUploads(core, limits),
    'forget idempotency records': () => deleteOldIdempotencyRecords(core),
    'condemn unreferenced packs': async () => void (report.fenced = await condemnUnreferenced(core, settings)),
    'drop abandoned packs': () => dropAbandonedPacks(core, settings),
    'remove dead packs': async () => void (report.packs = await removeDeadPacks(core, limits)),
    'measure storage': () => measureInexactStorage(core, limits),
    'forget stopped processes': () => deleteStoppedBoots(core, bootStaleMs),
  });
  return report;
}

/** Runs every step in order, even if earlier steps failed. */
async function runSteps(
  core: Core,
  signal: AbortSignal | undefined,
  steps: Readonly<Record<string, () => Promise<unknown>>>,
): Promise<void> {
  const errors: unknown[] = [];
  for (const [task, run] of Object.entries(steps)) {
    if (signal?.aborted) break;
    const outcome = await attemptTask(core, { task }, run);
    if (outcome.ok) continue;
    await throwIfDatabaseAway(core, outcome.error);
    errors.push(outcome.error);
  }
  if (errors.length > 0) throw errors[0];
}

/** Deletes the rows of deleted deployments. Their references to packs are deleted with them. */
async function removeDeletedDeployments(core: Core, limits: RunLimits): Promise<number> {
  const due = async (skip: readonly string[], limit: number) => {
    const { rows } = await sql<Row>`
      select id from deployment where status = 'deleting' and id <> all(${skip}) order by id limit ${limit}`.execute(
      db(core),
    );
    return rows;
  };
  const remove = async (id: string) => {
    const { numAffectedRows } = await sql`
      delete from deployment where id in (
        select id from deployment where id = ${id} and status = 'deleting' for update skip locked)`.execute(db(core));
    failpoint('sweep.deployment-removed');
    return numAffectedRows === 1n;
  };
  return runWorklist(core, rowList('remove deleted deployments', 'deployment', due, remove), limits);
}

/** Deletes the contents of packs that nothing refers to, and marks the packs as dead. Only under the fence. */
async function condemnUnreferenced(core: Core, { graceMs, fenceWaitMs, batch }: SweepOptions): Promise<boolean> {
  const before = new Date(core.now().getTime() - graceMs);
  return core.database.transaction(async (em) => {
    if (!(await tryCloseFence(em, fenceWaitMs))) return false;
    // Deleting contents also deletes the rows of their compressed forms, whose packs may then be unreferenced. So run
    // it twice.
    if (await condemnBatch(em, before, batch)) await condemnBatch(em, before, batch);
    return true;
  });
}

/** @returns True if there were any. */
async function condemnBatch(em: EntityManager, before: Date, batch: number): Promise<boolean> {
  const { rows } = await sql<{ id: string }>`
    select id from pack p
    where state = 'sealed' and sealed <= ${before}
      and not exists (select 1 from deployment_pack d where d.pack_id = p.id)
      and not exists (select 1 from upload_pack u where u.pack_id = p.id)
      and not exists (select 1 from compression k where k.pack_id = p.id)
    order by id limit ${batch} for update`.execute(db(em));
  const packs = rows.map(({ id }) => id);
  if (packs.length === 0) return false;
  await sql`delete from content where pack_id = any(${packs}::uuid[])`.execute(db(em));
  await sql`update pack set state = 'dead' where id = any(${packs}::uuid[])`.execute(db(em));
  failpoint('sweep.pack-condemned');
  return true;
}

/** Drops open packs that no process fills any more: of silent processes, and of finished uploads of this process. */
async function dropAbandonedPacks(core: Core, { bootStaleMs, batch, signal }: SweepOptions): Promise<number> {
  const silent = new Date(core.now().getTime() - bootStaleMs);
  const due = async (skip: readonly string[], limit: number) => {
    const { rows } = await sql<Row>`
      select p.id from pack p join boot b on b.id = p.boot_id
      where p.state = 'open' and (b.heartbeat <= ${silent} or b.id = ${core.boot})
        and p.id <> all(${[...skip, ...core.activePacks]}::uuid[])
      order by p.id limit ${limit}`.execute(db(core));
    return rows;
  };
  const drop = async (id: string) => {
    if (core.activePacks.has(id)) return false;
    await dropPack(core, id);
    return true;
  };
  return runWorklist(core, rowList('drop abandoned packs', 'pack', due, drop), { limit: batch, signal });
}

async function removeDeadPacks(core: Core, limits: RunLimits): Promise<number> {
  const due = async (skip: readonly string[], limit: number) => {
    const { rows } = await sql<Row>`
      select id from pack where state = 'dead' and id <> all(${skip}::uuid[]) order by id limit ${limit}`.execute(
      db(core),
    );
    return rows;
  };
  const remove = async (id: string) => {
    await removeDeadPack(core, id);
    return true;
  };
  return runWorklist(core, rowList('remove dead packs', 'pack', due, remove), limits);
}

interface Row {
  id: string;
}

/** A worklist of rows that are processed by id, independently of each other. */
function rowList(
  task: string,
  noun: string,
  due: Worklist<Row>['due'],
  work: (id: string) => Promise<boolean>,
): Worklist<Row> {
  return { task, due, groupOf: ({ id }) => id, idsOf: ({ id }) => ({ [noun]: id }), work: ({ id }) => work(id) };
}

async function deleteOldIdempotencyRecords(core: Core): Promise<void> {
  const before = new Date(core.now().getTime() - IDEMPOTENCY_WINDOW_SECONDS * 1000);
  await sql`delete from idempotency_record where created <= ${before}`.execute(db(core));
}
