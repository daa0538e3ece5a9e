import { setTimeout as sleep } from 'node:timers/promises';
import type { StoreTrouble } from '../world/object-store.ts';
import type { Disturbance } from './disturbance.ts';

/** The client of the store waits up to 20 s before it repeats a request that was refused often. */
const RECOVERY_SECONDS = 45;
const MAX_SWEEP_MS = 30_000;

/** Lets requests to the object store fail for some seconds, while an operator sweeps. */
function troubleStore(kind: string, trouble: Omit<StoreTrouble, 'random'>): Disturbance {
  return {
    kind,
    weight: 1,
    recoverySeconds: RECOVERY_SECONDS,
    impossible: ({ store }) => (store ? null : 'packs are not in an object store'),
    async run({ random, store }, { service }) {
      store!.disturb({ ...trouble, random });
      // The periodic sweep is rare.
      await Promise.all([sleep(2_000 + random() * 3_000), service.operate(['sweep'], {}, MAX_SWEEP_MS)]);
      const failures = store!.disturb(null);
      return { detail: `${failures} requests failed`, since: performance.now() };
    },
  };
}

export const STORES = [
  troubleStore('store-slow-down', { share: 0.4, faults: ['slow down', 'internal error'] }),
  troubleStore('store-cut-bodies', { share: 0.4, faults: ['cut'], operations: ['GetObject', 'ListObjectsV2'] }),
  troubleStore('store-lost-answers', { share: 0.5, faults: ['lost answer'] }),
  troubleStore('store-wrong-bytes', { share: 0.5, faults: ['changed'], operations: ['GetObject'] }),
  troubleStore('store-outage', { share: 1, faults: ['internal error'] }),
];
