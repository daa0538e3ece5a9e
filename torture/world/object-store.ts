import { type S3Fault, type S3Operation, startS3Stub } from '@berth/testing/s3-stub';

/** How the store treats requests. */
export interface StoreTrouble {
  /** The share of requests that fail. */
  share: number;
  faults: readonly S3Fault[];
  /** The operations that fail. Default: all. */
  operations?: readonly S3Operation[];
  random: () => number;
}

/** An object store that can fail, which refuses everything that S3 refuses. */
export interface ObjectStore {
  /** The variables of the nodes. */
  env: Record<string, string>;
  /** The packs that are stored, and those of which parts are stored. */
  packs(): Set<string>;
  /** Lets requests fail until it is called with `null`. @returns The number of requests that failed since the last call. */
  disturb(trouble: StoreTrouble | null): number;
  close(): Promise<void>;
}

const PACK = /^sites\/packs\/(.+)$/;

export async function startObjectStore(): Promise<ObjectStore> {
  const stub = await startS3Stub();
  let current: StoreTrouble | null = null;
  let failures = 0;
  stub.onRequest = (operation, key) => {
    stub.requests.length = 0;
    if (!current || current.random() >= current.share) return;
    if (current.operations && !current.operations.includes(operation)) return;
    const fault = current.faults[Math.floor(current.random() * current.faults.length)]!;
    // Only packs have checksums of their own.
    if (fault === 'changed' && !PACK.test(key)) return;
    failures += 1;
    stub.fail(operation, fault);
  };
  return {
    env: { STORAGE_URL: stub.url, ...stub.env },
    packs() {
      const keys = [...stub.objects.keys(), ...[...stub.uploads.values()].map(({ key }) => key)];
      return new Set(keys.flatMap((key) => PACK.exec(key)?.[1] ?? []));
    },
    disturb(trouble) {
      const count = failures;
      [current, failures] = [trouble, 0];
      if (!trouble) stub.clearFaults();
      return count;
    },
    close: () => stub.close(),
  };
}
