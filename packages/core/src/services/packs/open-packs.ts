import { randomUUID } from 'node:crypto';
import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import type { Core } from '../../core.ts';
import { db } from '../../database/tables.ts';
import { unavailable } from '../../errors.ts';
import { failpoint } from '../../failpoints.ts';
import { PackBuilder } from '../../storage/pack-builder.ts';

/** A pack that one upload is filling. Its row is inserted before its file is created, and deleted after its file. */
export interface OpenPack extends Omit<PackBuilder, 'abandon'> {
  readonly id: string;
  /** Keeps the pack: a transaction now refers to it, or may refer to it. */
  keep(): void;
  /** Ends the upload. A pack that was not kept is dropped; if that fails, the sweep does it later. */
  close(): Promise<void>;
}

/** Starts a pack for one upload. Its row and file are created with the first byte. Source: storage P1. */
export function openPack(core: Core): OpenPack {
  const id = randomUUID();
  let recorded = false;
  let isKept = false;
  core.activePacks.add(id);
  const builder = new PackBuilder(async () => {
    // The row of a process that was silent for long may have been deleted; its next pack inserts it again.
    await sql`
      with known as (
        insert into boot (id, started, heartbeat) values (${core.boot}, ${core.now()}, ${core.now()}) on conflict do nothing)
      insert into pack (id, state, boot_id, created) values (${id}, 'open', ${core.boot}, ${core.now()})`.execute(
      db(core),
    );
    recorded = true;
    failpoint('pack.recorded');
    return core.packs.create(id);
  }, core.hasher);
  return {
    id,
    begin: (onDigest, options) => builder.begin(onDigest, options),
    finish: () => builder.finish(),
    contents: () => builder.contents(),
    retain: (wanted) => builder.retain(wanted),
    seal: () => builder.seal(),
    keep() {
      isKept = true;
    },
    async close() {
      try {
        if (isKept) return;
        await builder.abandon();
        if (recorded) await dropPack(core, id);
      } catch (error) {
        core.log.warn({ err: error, pack: id }, 'An abandoned pack could not be dropped; the sweep will drop it');
      } finally {
        core.activePacks.delete(id);
      }
    },
  };
}

/**
 * Runs the transaction that may refer to a pack, and releases the pack if it does.
 *
 * @param work Returns `packUsed`, true if anything refers to the pack.
 * @throws the error of the transaction. If it failed during COMMIT, the outcome is unknown: the pack stays, and its
 *   row decides later.
 * Source: storage P6, P9.
 */
export async function commitWithPack<T extends { packUsed: boolean }>(
  core: Core,
  pack: Pick<OpenPack, 'keep'>,
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
    if (outcome.packUsed) pack.keep();
    return outcome;
  } catch (error) {
    if (committing) pack.keep();
    throw error;
  }
}

/**
 * Changes a durable pack from `open` to `sealed`, in the transaction that refers to it.
 *
 * @throws `unavailable` if the sweep has dropped the pack meanwhile. Source: storage P6, W4.
 */
export async function markSealed(em: EntityManager, core: Core, id: string, sizeBytes: number): Promise<void> {
  const { numAffectedRows } = await sql`
    update pack set state = 'sealed', size = ${sizeBytes}, sealed = ${core.now()} where id = ${id} and state = 'open'`.execute(
    db(em),
  );
  if (numAffectedRows !== 1n) throw unavailable('The upload took too long and was dropped; send it again.');
}

/**
 * Drops a pack that nothing refers to: marks its row as dead, then deletes the file, then the row. Source: storage P8.
 */
export async function dropPack(core: Core, id: string): Promise<void> {
  const { numAffectedRows } =
    await sql`update pack set state = 'dead' where id = ${id} and state in ('open', 'dead')`.execute(db(core));
  if (numAffectedRows === 1n) await removeDeadPack(core, id);
}

/** Deletes the file of a dead pack, then its row. Repeating it is not an error. Source: storage W3. */
export async function removeDeadPack(core: Core, id: string): Promise<void> {
  await core.packs.remove(id);
  failpoint('sweep.pack-file-removed');
  await sql`delete from pack where id = ${id} and state = 'dead'`.execute(db(core));
  failpoint('sweep.pack-row-removed');
}
