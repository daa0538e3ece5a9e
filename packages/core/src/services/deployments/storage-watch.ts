import type { Caller, Core } from '../../core.ts';
import { ServiceError } from '../../errors.ts';
import { mostStored, measureStorage, refuseBeyondStorage, storageCapOf, storageOwnerOf } from '../accounts/storage.ts';
import type { Digest } from '../../storage/pack-builder.ts';
import { hasOutcome, type IdempotencyKey } from './idempotency.ts';

/** How many bytes arrive at least between two measurements. */
const MEASURE_EVERY_BYTES = 16 * 1024 * 1024;

/** Follows the contents of a deploy while they arrive. */
export interface StorageWatch {
  /** A content has arrived. */
  add(content: Pick<Digest, 'sha256' | 'size'>): void;
  /** @throws `forbidden`, with `details`, once what has arrived is known to be too much. */
  check(): void;
}

/**
 * Refuses a deploy that cannot fit its owner's storage before all of it is read. Storage is measured only when the bytes that
 * arrived might not fit, beside the upload. `storeContents` has the last word.
 *
 * @param key A deploy that repeats an earlier one is not refused: it adds nothing.
 * @throws `forbidden`, with `details`, when the owner is beyond the cap already. Source: contract §6.
 */
export async function watchStorage(core: Core, caller: Caller, key: IdempotencyKey | null): Promise<StorageWatch> {
  const limit = storageCapOf(core, caller.kind === 'account' ? caller.plan : null);
  if (limit === undefined) return { add() {}, check() {} };
  const owner = storageOwnerOf(caller);
  const { kysely } = core.database;
  const arrived = new Map<string, number>();
  let refusal: unknown = null;
  let isMeasuring = false;
  let unmeasuredBytes = 0;
  let room = limit - (await mostStored(kysely, owner));
  if (room < 0) await measure();
  check();

  async function measure(): Promise<void> {
    isMeasuring = true;
    unmeasuredBytes = 0;
    try {
      const storage = await measureStorage(kysely, owner, arrived);
      room = Math.max(limit! - storage.used - storage.added, MEASURE_EVERY_BYTES);
      refuseBeyondStorage(storage, limit);
    } catch (error) {
      // What fails otherwise is left to the transaction.
      const isFull = error instanceof ServiceError && error.code === 'forbidden';
      if (isFull && !(key && (await hasOutcome(core, key)))) refusal = error;
    } finally {
      isMeasuring = false;
    }
  }

  function check(): void {
    if (refusal !== null) throw refusal;
  }

  return {
    check,
    add({ sha256, size }) {
      if (arrived.has(sha256)) return;
      arrived.set(sha256, size);
      unmeasuredBytes += size;
      if (unmeasuredBytes > room && !isMeasuring) measure().catch(() => {});
    },
  };
}
