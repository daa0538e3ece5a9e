import { randomUUID } from 'node:crypto';
import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import type { Core } from '../../core.ts';
import { unavailable } from '../../errors.ts';
import { failpoint } from '../../failpoints.ts';
import { createPackBuilder, type PackBuilder } from '../../storage/pack-builder.ts';

/** A pack that one upload is filling. Its row is written before its file and removed after it. */
export interface OpenPack extends Omit<PackBuilder, 'abandon'> {
  readonly id: string;
  /** Leaves the pack where it is: a transaction has taken it over, or nobody knows whether one did. */
  release(): void;
  /** Ends the upload. A pack that was not released is dropped; when that fails, the sweep does it later. */
  close(): Promise<void>;
}

/** Starts a pack for one upload. Neither row nor file is made until there is something to write. Source: security P1. */
export function openPack(core: Core): OpenPack {
  const id = randomUUID();
  let recorded = false;
  let released = false;
  core.activePacks.add(id);
  const builder = createPackBuilder(async () => {
    // A process that was silent for long may have been forgotten; its first pack makes it known again.
    await sql`
      with known as (
        insert into boot (id, started, heartbeat) values (${core.boot}, ${core.now()}, ${core.now()}) on conflict do nothing)
      insert into pack (id, state, boot_id, created) values (${id}, 'open', ${core.boot}, ${core.now()})`.execute(
      kysely(core),
    );
    recorded = true;
    failpoint('pack.recorded');
    return core.packs.create(id);
  }, core.hasher);
  return {
    ...builder,
    id,
    release() {
      released = true;
    },
    async close() {
      try {
        if (released) return;
        await builder.abandon();
        if (recorded) await dropPack(core, id);
      } catch (error) {
        core.log.warn({ err: error, pack: id }, 'A pack that was given up is left to the sweep');
      } finally {
        core.activePacks.delete(id);
      }
    },
  };
}

/**
 * Runs the transaction that may refer to a pack, and lets go of the pack if it does.
 *
 * @param work Tells whether anything refers to it.
 * @throws what went wrong. During COMMIT nobody knows the outcome then: the pack stays, and its row decides later.
 * Source: security P6, P9.
 */
export async function commitWith<T extends { packUsed: boolean }>(
  core: Core,
  pack: Pick<OpenPack, 'release'>,
  work: (em: EntityManager) => Promise<T>,
): Promise<T> {
  let committing = false;
  try {
    const outcome = await core.database.transaction(async (em) => {
      committing = false;
      const done = await work(em);
      committing = true;
      return done;
    });
    if (outcome.packUsed) pack.release();
    return outcome;
  } catch (error) {
    if (committing) pack.release();
    throw error;
  }
}

/**
 * Turns a durable pack from `open` to `sealed`, in the transaction that refers to it.
 *
 * @throws `unavailable` when the sweep has given the pack up meanwhile. Source: security P6, W4.
 */
export async function markSealed(em: EntityManager, core: Core, id: string, sizeBytes: number): Promise<void> {
  const { numAffectedRows } = await sql`
    update pack set state = 'sealed', size = ${sizeBytes}, sealed = ${core.now()} where id = ${id} and state = 'open'`.execute(
    em.getKysely(),
  );
  if (numAffectedRows !== 1n) throw unavailable('The upload took too long to be kept; send it again.');
}

/** Drops a pack that nothing refers to: first the row says so, then the file goes, then the row. Source: security P8. */
export async function dropPack(core: Core, id: string): Promise<void> {
  const { numAffectedRows } =
    await sql`update pack set state = 'dead' where id = ${id} and state in ('open', 'dead')`.execute(kysely(core));
  if (numAffectedRows === 1n) await removeDeadPack(core, id);
}

/** Removes the file of a dead pack, then its row. Doing it twice is no error. Source: security W3. */
export async function removeDeadPack(core: Core, id: string): Promise<void> {
  await core.packs.remove(id);
  failpoint('sweep.pack-file-removed');
  await sql`delete from pack where id = ${id} and state = 'dead'`.execute(kysely(core));
  failpoint('sweep.pack-row-removed');
}

function kysely(core: Core) {
  return core.database.kysely;
}
