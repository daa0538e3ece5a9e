import { expect, it } from 'vitest';
import { createBackgroundSync } from '../../src/storage/background-sync.ts';

/** A file whose syncs end when the test ends them. */
function syncedFile() {
  const syncs: PromiseWithResolvers<void>[] = [];
  const datasync = () => {
    const sync = Promise.withResolvers<void>();
    syncs.push(sync);
    return sync.promise;
  };
  return { datasync, syncs };
}

it('begins a step after enough bytes, and no other one while it runs', async () => {
  const { datasync, syncs } = syncedFile();
  const sync = createBackgroundSync({ datasync }, 100);
  sync.wrote(99);
  expect(syncs.length).toBe(0);
  for (let i = 0; i < 5; i += 1) sync.wrote(100);
  expect(syncs.length).toBe(1);
  syncs[0]!.resolve();
  await sync.settle();
  sync.wrote(1);
  expect(syncs.length).toBe(2);
});

it('waits for the running step before the last sync', async () => {
  const { datasync, syncs } = syncedFile();
  const sync = createBackgroundSync({ datasync }, 100);
  await sync.settle();
  sync.wrote(100);
  let isSettled = false;
  const settled = sync.settle().then(() => (isSettled = true));
  await new Promise(setImmediate);
  expect(isSettled).toBe(false);
  syncs[0]!.resolve();
  await settled;
});

it('reports the error of a step to each later write and to the last sync', async () => {
  const { datasync, syncs } = syncedFile();
  const sync = createBackgroundSync({ datasync }, 100);
  const error = Object.assign(new Error('EIO: i/o error, fdatasync'), { code: 'EIO' });
  sync.wrote(100);
  syncs[0]!.reject(error);
  await expect(sync.settle()).rejects.toBe(error);
  expect(() => sync.wrote(1)).toThrow(error);
  await expect(sync.settle()).rejects.toBe(error);
  expect(syncs.length).toBe(1);
});
