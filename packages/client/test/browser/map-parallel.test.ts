import { expect, it } from 'vitest';
import { mapParallel } from '../../src/browser/map-parallel.ts';

it('mapping in parallel keeps the order, and runs as many at once as it may', async () => {
  const running: PromiseWithResolvers<void>[] = [];
  let mostAtOnce = 0;
  let atOnce = 0;
  const results = mapParallel([0, 1, 2, 3, 4], 2, async (item) => {
    mostAtOnce = Math.max(mostAtOnce, (atOnce += 1));
    running[item] = Promise.withResolvers();
    await running[item].promise;
    atOnce -= 1;
    return item * 10;
  });
  // The second ends before the first, so the order in which they end is not that of the items.
  for (const item of [1, 0, 2, 3, 4]) {
    await expect.poll(() => running[item]).toBeDefined();
    running[item]!.resolve();
  }
  expect(await results).toEqual([0, 10, 20, 30, 40]);
  expect(mostAtOnce).toBe(2);
});

it('mapping in parallel starts nothing more after a failure', async () => {
  const started: number[] = [];
  const held = Promise.withResolvers<void>();
  const results = mapParallel([0, 1, 2, 3], 2, async (item) => {
    started.push(item);
    if (item === 0) throw new Error('the first fails');
    await held.promise;
  });
  await expect(results).rejects.toThrow('the first fails');
  held.resolve();
  await held.promise;
  expect(started).toEqual([0, 1]);
});
