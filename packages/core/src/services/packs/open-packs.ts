import { randomUUID } from 'node:crypto';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { Core } from '../../core.ts';
import { db } from '../../database/tables.ts';
import { Pack } from '../../entities/index.ts';
import { unavailable } from '../../errors.ts';
import { failpoint } from '../../failpoints.ts';
import { PackBuilder } from '../../storage/pack-builder.ts';
import type { NewPack, StoredContentsQuery } from './contents.ts';

const FOREIGN_KEY_VIOLATION = '23503';

/** A pack that is being filled. Its row is inserted before its file is created, and deleted after its file. */
export interface OpenPack extends Omit<PackBuilder, 'abandon'> {
  readonly id: string;
  /** Keeps the pack, because a transaction refers or may refer to it. */
  keep(): void;
  /** Drops the pack unless it was kept. If that fails, the sweep drops it later. */
  close(): Promise<void>;
}

/** Starts a pack. Its row and file are created with the first byte. Source: storage P1. */
export function openPack(core: Core): OpenPack {
  const id = randomUUID();
  let isRecorded = false;
  let isKept = false;
  core.activePacks.add(id);
  const builder = new PackBuilder(async () => {
    // The sweep may have deleted the row of this process if its heartbeats were delayed.
    const created = core.now();
    await db(core)
      .with('known', (query) =>
        query
          .insertInto('boot')
          .values({ id: core.boot, started: created, heartbeat: created })
          .onConflict((conflict) => conflict.doNothing()),
      )
      .insertInto('pack')
      .values({ id, state: 'open', boot_id: core.boot, created })
      .execute();
    isRecorded = true;
    failpoint('pack.recorded');
    return core.packs.create(id);
  }, core.hasher);
  return {
    id,
    begin: (onDigest, options) => builder.begin(onDigest, options),
    finish: () => builder.finish(),
    contents: () => builder.contents(),
    index: () => builder.index(),
    retain: (wanted) => builder.retain(wanted),
    seal: () => builder.seal(),
    keep: () => void (isKept = true),
    async close() {
      try {
        if (isKept) return;
        await builder.abandon();
        if (isRecorded) await dropPack(core, id);
      } catch (error) {
        core.log.warn({ err: error, pack: id }, 'An abandoned pack could not be dropped; the sweep will drop it');
      } finally {
        core.activePacks.delete(id);
      }
    },
  };
}

/**
 * Keeps the contents of a finished pack that are not stored yet, and starts to make them durable. Await `ready` of the result before
 * the transaction that refers to the pack.
 *
 * @param isWanted Selects the contents to keep. Default: all.
 * @returns `null` if no content is left.
 */
export async function sealNewContents(
  core: Core,
  pack: OpenPack,
  storedContents: StoredContentsQuery,
  isWanted: (sha256: string) => boolean = () => true,
): Promise<NewPack | null> {
  const stored = await storedContents.result();
  await pack.retain((sha256) => isWanted(sha256) && !stored.has(sha256));
  const contents = pack.contents();
  if (contents.length === 0) return null;
  const endSpan = core.tracer.begin('seal pack');
  const sealed = pack.seal();
  if (endSpan) sealed.then(() => endSpan(), endSpan);
  sealed.catch(() => {}); // A deploy that is refused in the meantime never awaits the promise.
  const contentBytes = contents.reduce((sum, { length }) => sum + length, 0);
  const ready = contentBytes >= core.packs.concurrentSealBytes ? sealed : Promise.resolve();
  return { id: pack.id, contents, index: pack.index(), ready, sealed };
}

/**
 * Runs a transaction, and keeps the pack if the transaction refers to it.
 *
 * @param work Returns `packUsed`, true if anything refers to the pack.
 * @throws `unavailable` if the sweep has dropped the pack; otherwise the error of the transaction. If COMMIT failed, its outcome is
 *   unknown, so the pack is kept for the sweep. Source: storage P6, P9, W4.
 */
export async function commitWithPack<T extends { packUsed: boolean }>(
  core: Core,
  pack: Pick<OpenPack, 'keep'>,
  work: (em: EntityManager) => Promise<T>,
): Promise<T> {
  let committing = false;
  try {
    const outcome = await core.tracer.step('transaction', () =>
      core.database.transaction(async (em) => {
        committing = false;
        const result = await work(em);
        committing = true;
        return result;
      }),
    );
    if (outcome.packUsed) pack.keep();
    return outcome;
  } catch (error) {
    if (committing) pack.keep();
    throw refersToNoPack(error) ? packWasDropped(error) : error;
  }
}

/** Only the pack that is being stored can be missing: the fence keeps all others. */
function refersToNoPack(error: unknown): boolean {
  const { code, constraint } = error as { code?: string; constraint?: string };
  return code === FOREIGN_KEY_VIOLATION && (constraint?.endsWith('_pack_id_foreign') ?? false);
}

function packWasDropped(cause?: unknown) {
  return unavailable('The upload took too long and was dropped; send the upload again.', cause);
}

/** Marks a durable pack as sealed. @throws `unavailable` if the sweep has dropped the pack. Source: storage P6, W4. */
export async function markSealed(em: EntityManager, core: Core, id: string, sizeBytes: number): Promise<void> {
  const sealedCount = await em.nativeUpdate(
    Pack,
    { id, state: 'open' },
    { state: 'sealed', size: sizeBytes, sealed: core.now() },
  );
  if (sealedCount !== 1) throw packWasDropped();
}

/** Drops a pack that nothing refers to: marks its row as dead, then deletes its file, then its row. Source: storage P8. */
export async function dropPack(core: Core, id: string): Promise<void> {
  const markDead = db(core).updateTable('pack').set({ state: 'dead' }).where('id', '=', id);
  const { numUpdatedRows } = await markDead.where('state', 'in', ['open', 'dead']).executeTakeFirstOrThrow();
  if (numUpdatedRows === 1n) await removeDeadPack(core, id);
}

/** Deletes the file of a dead pack, then its row. Can be repeated. Source: storage W3. */
export async function removeDeadPack(core: Core, id: string): Promise<void> {
  await core.packs.remove(id);
  failpoint('sweep.pack-file-removed');
  await db(core).deleteFrom('pack').where('id', '=', id).where('state', '=', 'dead').execute();
  failpoint('sweep.pack-row-removed');
}
