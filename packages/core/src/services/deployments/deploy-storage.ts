import type { EntityManager } from '@mikro-orm/postgresql';
import type { Caller, Core, Scope } from '../../core.ts';
import { ServiceError } from '../../errors.ts';
import type { ContentDigest } from '../../storage/pack-builder.ts';
import type { LockedAccount } from '../accounts/account-lock.ts';
import {
  addStorage,
  estimateStorage,
  lockAnonymousAddress,
  measureStorage,
  refuseBeyondStorageCap,
  requireAnonymousStorage,
  storageCapOf,
} from '../accounts/storage.ts';
import type { ContentLengths } from '../packs/contents.ts';
import { findOwnContents } from '../packs/own-contents.ts';
import { hasStoredOutcome, type IdempotencyKey } from './idempotency.ts';
import type { BegunUpload, Manifest } from './manifest.ts';
import { mayDeleteVersions } from './versions.ts';

const MEASURE_EVERY_BYTES = 16 * 1024 * 1024;

/** Tracks how much storage a deploy needs, while its contents arrive. */
interface StorageTracker {
  /** Records a content whose bytes have arrived. */
  add(content: Pick<ContentDigest, 'sha256' | 'size'>): void;
  /** Throws `forbidden`, with `details`, once the contents that have arrived are known to exceed the cap. */
  check(): void;
}

/**
 * Refuses a deploy that exceeds the storage cap before all of it has arrived. Storage is measured concurrently with the
 * upload, and only if the bytes that have arrived might exceed the cap. {@link countStorage} makes the final check.
 *
 * A deploy that may delete old versions of a domain is not refused here.
 *
 * @param key The key of the deploy. A deploy that repeats an earlier deploy is not refused, because it adds nothing.
 * @throws `forbidden`, with `details`, if the caller already exceeds the cap. Source: api §6.
 */
export async function trackStorage(scope: Scope<Caller>, key: IdempotencyKey | null): Promise<StorageTracker> {
  const { core, caller } = scope;
  const limit = storageCapOf(core, caller.kind === 'account' ? caller.plan : null);
  if (limit === undefined) return { add() {}, check() {} };
  const arrived = new Map<string, number>();
  let refusal: unknown = null;
  let isMeasuring = false;
  let unmeasuredBytes = 0;
  let roomBytes = limit - (await estimateStorage(core, caller));
  if (roomBytes < 0) await measure();
  check();

  async function measure(): Promise<void> {
    isMeasuring = true;
    unmeasuredBytes = 0;
    try {
      const storage = await measureStorage(core, caller, arrived);
      roomBytes = Math.max(limit! - storage.used - storage.added, MEASURE_EVERY_BYTES);
      refuseBeyondStorageCap(storage, limit);
    } catch (error) {
      // The transaction of the deploy measures again, and reports other errors.
      const isFull = error instanceof ServiceError && error.code === 'forbidden';
      if (!isFull || (key && (await hasStoredOutcome(core, key))) || (await mayDeleteVersions(scope))) return;
      refusal = error;
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
      if (unmeasuredBytes > roomBytes && !isMeasuring) measure().catch(() => {});
    },
  };
}

/**
 * Counts the contents of a publication as stored for the caller, under the fence. Locks an anonymous address.
 *
 * @param account The locked account of the caller; `null` for an anonymous caller.
 * @param fresh The contents that were not stored before.
 * @throws `forbidden`, with `details`, beyond the cap. Source: api §6; security T26.
 */
export async function countStorage(
  em: EntityManager,
  { core, caller }: Scope<Caller>,
  account: LockedAccount | null,
  { manifest, upload }: { manifest: Manifest; upload: BegunUpload | null },
  fresh: ContentLengths,
): Promise<void> {
  const contents: ContentLengths = upload ? new Map() : manifest.contents();
  if (caller.kind === 'anonymous') {
    await lockAnonymousAddress(em, caller.address);
    return requireAnonymousStorage(em, caller.address, contents);
  }
  if (account) await countAccountStorage(em, core, account, contents, fresh);
}

/**
 * Counts contents as stored for a locked account, except contents that its recent deployments already have.
 *
 * @param fresh The contents that were not stored before.
 * @throws `forbidden`, with `details`, beyond the cap. Source: api §6.
 */
export async function countAccountStorage(
  em: EntityManager,
  core: Core,
  account: LockedAccount,
  contents: ContentLengths,
  fresh: ContentLengths,
): Promise<void> {
  // With many files, it takes a while to find that none of them is known.
  const known =
    fresh === contents ? new Set<string>() : new Set(contents.keys().filter((sha256) => !fresh.has(sha256)));
  const { lengths: own } = await findOwnContents(em, core, account.id, known);
  const further = own.size === 0 ? contents : new Map(contents.entries().filter(([sha256]) => !own.has(sha256)));
  await addStorage(em, core, account, further, { certain: further.size <= fresh.size });
}
