import { IDEMPOTENCY_WINDOW_SECONDS } from '@berth/contract';
import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import type { Core } from '../../core.ts';
import { failpoint } from '../../failpoints.ts';
import { expireDeployments } from '../deployments/expiry.ts';
import { expireUploads } from '../uploads/expire-uploads.ts';
import { measureInexact } from '../accounts/storage.ts';
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
 * Cleans up: expired deployments, what deleted ones leave behind, uploads that can be committed no more, packs that nobody refers to, packs of processes that are
 * gone, old idempotency records. Measures the storage of accounts that something was removed from. Safe beside any number of deploys and other sweeps, and after a crash at any step.
 *
 * Source: security §5, W1 to W5.
 */
export async function sweep(core: Core, options: Partial<SweepOptions> = {}): Promise<SweepReport> {
  const settings = { ...DEFAULT_SWEEP, ...options };
  const expired = await expireDeployments(core, settings.batch);
  const deployments = await removeDeleted(core, settings.batch);
  await expireUploads(core, settings.batch);
  await forgetOutcomes(core);
  const fenced = await condemnUnreferenced(core, settings);
  await dropForsaken(core, settings);
  const packs = await removeDead(core, settings.batch);
  await forgetBoots(core, settings.bootStaleMs);
  await measureInexact(core);
  return { expired, deployments, packs, fenced };
}

/** Removes the rows of deleted deployments, and with them their claims on packs. */
async function removeDeleted(core: Core, batch: number): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from deployment where id in (
      select id from deployment where status = 'deleting' order by id limit ${batch} for update skip locked)`.execute(
    kysely(core),
  );
  failpoint('sweep.deployment-removed');
  return Number(numAffectedRows);
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

/** Drops open packs that nobody fills any more: of silent processes, and of uploads of this one that are over. */
async function dropForsaken(core: Core, { bootStaleMs }: SweepOptions): Promise<void> {
  const silent = new Date(core.now().getTime() - bootStaleMs);
  const { rows } = await sql<{ id: string }>`
    select p.id from pack p join boot b on b.id = p.boot_id
    where p.state = 'open' and (b.heartbeat <= ${silent} or b.id = ${core.boot})`.execute(kysely(core));
  for (const { id } of rows) if (!core.activePacks.has(id)) await dropPack(core, id);
}

async function removeDead(core: Core, batch: number): Promise<number> {
  const { rows } = await sql<{
    id: string;
  }>`select id from pack where state = 'dead' order by id limit ${batch}`.execute(kysely(core));
  let removed = 0;
  for (const { id } of rows) {
    try {
      await removeDeadPack(core, id);
      removed += 1;
    } catch (error) {
      core.log.warn({ err: error, pack: id }, 'A dead pack could not be removed and stays for the next sweep');
    }
  }
  return removed;
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
