import { IDEMPOTENCY_WINDOW_SECONDS } from '@berth/contract';
import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import type { Core } from '../../core.ts';
import { failpoint } from '../../failpoints.ts';
import { expireDeployments } from '../deployments/expiry.ts';
import { expireUploads } from '../uploads/expire-uploads.ts';
import { measureInexact } from '../accounts/storage.ts';
import { attempt, type RunLimits, throwIfAway, type Worklist, workThrough } from '../work-through.ts';
import { closeFence } from './fence.ts';
import { dropPack, removeDeadPack } from './open-packs.ts';

/** How patient the sweep is. */
export interface SweepOptions {
  /** How old a sealed pack is at least before it goes when nothing refers to it, in milliseconds. */
  graceMs: number;
  /** How long a process may be silent before its open packs are given up, in milliseconds. */
  bootStaleMs: number;
  /** How long to wait for the fence, in milliseconds; 0 does not wait. */
  fenceWaitMs: number;
  /** Most deployments, and most packs, removed in one run. */
  batch: number;
  /** Ends the run after the current item. */
  signal?: AbortSignal;
}

/** Source: security W4, W5. */
export const DEFAULT_SWEEP: SweepOptions = {
  graceMs: 24 * 60 * 60 * 1000,
  bootStaleMs: 10 * 60 * 1000,
  fenceWaitMs: 0,
  batch: 1000,
};

/** What one run removed. `fenced` is false when deploys kept the fence and packs were left for the next run. */
export interface SweepReport {
  expired: number;
  deployments: number;
  packs: number;
  fenced: boolean;
}

/**
 * Cleans up: expired deployments, what deleted ones leave behind, uploads that can no longer be committed, packs that nothing
 * refers to, packs of processes that are gone, old idempotency records. Measures the storage of accounts that something was removed from. Safe beside any number of deploys and other sweeps,
 * and after a crash at any step.
 *
 * A step or an item that fails is logged, and the others are still done.
 *
 * @throws the error of the first step that failed, after the last step; at once when the database is away.
 * Source: security §5, W1 to W5.
 */
export async function sweep(core: Core, options: Partial<SweepOptions> = {}): Promise<SweepReport> {
  const settings = { ...DEFAULT_SWEEP, ...options };
  const { batch, bootStaleMs, signal } = settings;
  const limits = { limit: batch, signal };
  const report: SweepReport = { expired: 0, deployments: 0, packs: 0, fenced: false };
  await runSteps(core, signal, {
    'expire deployments': async () => void (report.expired = await expireDeployments(core, limits)),
    'remove deleted deployments': async () => void (report.deployments = await removeDeleted(core, limits)),
    'expire uploads': () => expireUploads(core, limits),
    'forget idempotency records': () => forgetOutcomes(core),
    'condemn unreferenced packs': async () => void (report.fenced = await condemnUnreferenced(core, settings)),
    'drop abandoned packs': () => dropAbandoned(core, settings),
    'remove dead packs': async () => void (report.packs = await removeDead(core, limits)),
    'measure storage': () => measureInexact(core, limits),
    'forget stopped processes': () => forgetBoots(core, bootStaleMs),
  });
  return report;
}

/** Runs each step, in order, whether or not those before it failed. */
async function runSteps(
  core: Core,
  signal: AbortSignal | undefined,
  steps: Readonly<Record<string, () => Promise<unknown>>>,
): Promise<void> {
  const errors: unknown[] = [];
  for (const [task, run] of Object.entries(steps)) {
    if (signal?.aborted) break;
    const outcome = await attempt(core, { task }, run);
    if (outcome.ok) continue;
    await throwIfAway(core, outcome.error);
    errors.push(outcome.error);
  }
  if (errors.length > 0) throw errors[0];
}

/** Removes the rows of deleted deployments, and with them their claims on packs. */
async function removeDeleted(core: Core, limits: RunLimits): Promise<number> {
  const due = async (skip: readonly string[], limit: number) => {
    const { rows } = await sql<Row>`
      select id from deployment where status = 'deleting' and id <> all(${skip}) order by id limit ${limit}`.execute(
      kysely(core),
    );
    return rows;
  };
  const remove = async (id: string) => {
    const { numAffectedRows } = await sql`
      delete from deployment where id in (
        select id from deployment where id = ${id} and status = 'deleting' for update skip locked)`.execute(
      kysely(core),
    );
    failpoint('sweep.deployment-removed');
    return numAffectedRows === 1n;
  };
  return workThrough(core, rowList('remove deleted deployments', 'deployment', due, remove), limits);
}

/** Takes the contents out of packs that nothing refers to, and condemns the packs. Only under the fence. */
async function condemnUnreferenced(core: Core, { graceMs, fenceWaitMs, batch }: SweepOptions): Promise<boolean> {
  const before = new Date(core.now().getTime() - graceMs);
  return core.database.transaction(async (em) => {
    if (!(await closeFence(em, fenceWaitMs))) return false;
    // Contents take word of their compressed forms with them; whose pack is then referred to by nothing either.
    if (await condemn(em, before, batch)) await condemn(em, before, batch);
    return true;
  });
}

/** @returns Whether there were any. */
async function condemn(em: EntityManager, before: Date, batch: number): Promise<boolean> {
  const db = em.getKysely();
  const { rows } = await sql<{ id: string }>`
    select id from pack p
    where state = 'sealed' and sealed <= ${before}
      and not exists (select 1 from deployment_pack d where d.pack_id = p.id)
      and not exists (select 1 from upload_pack u where u.pack_id = p.id)
      and not exists (select 1 from compression k where k.pack_id = p.id)
    order by id limit ${batch} for update`.execute(db);
  const packs = rows.map(({ id }) => id);
  if (packs.length === 0) return false;
  await sql`delete from content where pack_id = any(${packs}::uuid[])`.execute(db);
  await sql`update pack set state = 'dead' where id = any(${packs}::uuid[])`.execute(db);
  failpoint('sweep.pack-condemned');
  return true;
}

/** Drops open packs that no process fills any more: of silent processes, and of uploads of this one that are over. */
async function dropAbandoned(core: Core, { bootStaleMs, batch, signal }: SweepOptions): Promise<number> {
  const silent = new Date(core.now().getTime() - bootStaleMs);
  const due = async (skip: readonly string[], limit: number) => {
    const { rows } = await sql<Row>`
      select p.id from pack p join boot b on b.id = p.boot_id
      where p.state = 'open' and (b.heartbeat <= ${silent} or b.id = ${core.boot})
        and p.id <> all(${[...skip, ...core.activePacks]}::uuid[])
      order by p.id limit ${limit}`.execute(kysely(core));
    return rows;
  };
  const drop = async (id: string) => {
    if (core.activePacks.has(id)) return false;
    await dropPack(core, id);
    return true;
  };
  return workThrough(core, rowList('drop abandoned packs', 'pack', due, drop), { limit: batch, signal });
}

async function removeDead(core: Core, limits: RunLimits): Promise<number> {
  const due = async (skip: readonly string[], limit: number) => {
    const { rows } = await sql<Row>`
      select id from pack where state = 'dead' and id <> all(${skip}::uuid[]) order by id limit ${limit}`.execute(
      kysely(core),
    );
    return rows;
  };
  const remove = async (id: string) => {
    await removeDeadPack(core, id);
    return true;
  };
  return workThrough(core, rowList('remove dead packs', 'pack', due, remove), limits);
}

interface Row {
  id: string;
}

/** A worklist of rows that are worked on by their ids, each independent of the others. */
function rowList(
  task: string,
  noun: string,
  due: Worklist<Row>['due'],
  work: (id: string) => Promise<boolean>,
): Worklist<Row> {
  return { task, due, groupOf: ({ id }) => id, idsOf: ({ id }) => ({ [noun]: id }), work: ({ id }) => work(id) };
}

async function forgetOutcomes(core: Core): Promise<void> {
  const before = new Date(core.now().getTime() - IDEMPOTENCY_WINDOW_SECONDS * 1000);
  await sql`delete from idempotency_record where created <= ${before}`.execute(kysely(core));
}

async function forgetBoots(core: Core, bootStaleMs: number): Promise<void> {
  const silent = new Date(core.now().getTime() - bootStaleMs);
  await sql`
    delete from boot b where heartbeat <= ${silent} and id <> ${core.boot}
      and not exists (select 1 from pack p where p.boot_id = b.id)`.execute(kysely(core));
}

function kysely(core: Core) {
  return core.database.kysely;
}
