import type { Caller, Core } from '../../core.ts';
import { ServiceError } from '../../errors.ts';
import {
  estimateStorage,
  measureStorage,
  refuseBeyondStorageCap,
  storageCapOf,
  storageOwnerOf,
} from '../accounts/storage.ts';
import type { ContentDigest } from '../../storage/pack-builder.ts';
import { hasStoredOutcome, type IdempotencyKey } from './idempotency.ts';

/** The minimum number of bytes that arrive between two measurements. */
const MEASURE_EVERY_BYTES = 16 * 1024 * 1024;

/** Tracks the storage that a deploy needs while its contents arrive. */
export interface StorageTracker {
  /** Adds a content that has arrived. */
  add(content: Pick<ContentDigest, 'sha256' | 'size'>): void;
  /** @throws `forbidden`, with `details`, once the contents that arrived are known to exceed the cap. */
  check(): void;
}

/**
 * Refuses a deploy that cannot fit its owner's storage before all of it is read. Storage is measured only when the
 * bytes that arrived might not fit, concurrently with the upload. The final check is in `storeContents`.
 *
 * @param key A deploy that repeats an earlier one is not refused, because it adds nothing.
 * @throws `forbidden`, with `details`, if the owner already exceeds the cap. Source: api §6.
 */
export async function trackStorage(core: Core, caller: Caller, key: IdempotencyKey | null): Promise<StorageTracker> {
  const limit = storageCapOf(core, caller.kind === 'account' ? caller.plan : null);
  if (limit === undefined) return { add() {}, check() {} };
  const owner = storageOwnerOf(caller);
  const arrived = new Map<string, number>();
  let refusal: unknown = null;
  let isMeasuring = false;
  let unmeasuredBytes = 0;
  let room = limit - (await estimateStorage(core, owner));
  if (room < 0) await measure();
  check();

  async function measure(): Promise<void> {
    isMeasuring = true;
    unmeasuredBytes = 0;
    try {
      const storage = await measureStorage(core, owner, arrived);
      room = Math.max(limit! - storage.used - storage.added, MEASURE_EVERY_BYTES);
      refuseBeyondStorageCap(storage, limit);
    } catch (error) {
      // Other errors are left to the transaction.
      const isFull = error instanceof ServiceError && error.code === 'forbidden';
      if (isFull && !(key && (await hasStoredOutcome(core, key)))) refusal = error;
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
