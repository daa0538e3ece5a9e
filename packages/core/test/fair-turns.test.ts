import { setImmediate } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { inFairTurn, ownTurn } from '../src/fair-turns.ts';

it('lets other work run between the chunks of many bodies that arrive at once', async () => {
  const CHUNK_MS = 1;
  let processed = 0;
  const body = async () => {
    for (let chunk = 0; chunk < 20; chunk += 1) {
      await inFairTurn(() => {
        const end = performance.now() + CHUNK_MS;
        while (performance.now() < end);
        processed += 1;
      });
    }
  };
  const bodies = Promise.all(Array.from({ length: 10 }, body)).then(() => true);
  let turns = 0;
  let most = 0;
  for (let before = 0; processed < 200; before = processed) {
    await setImmediate();
    turns += 1;
    most = Math.max(most, processed - before);
  }
  expect(await bodies).toBe(true);
  // Without turns the ten bodies are processed in one go.
  expect(turns).toBeGreaterThan(20);
  expect(most).toBeLessThan(50);
});

it('lets other work run for as long as an indivisible step took', async () => {
  const STEP_MS = 20;
  const ends: number[] = [];
  const steps = [1, 2, 3].map(async () => {
    await ownTurn();
    const begun = performance.now();
    while (performance.now() < begun + STEP_MS);
    ends.push(begun, performance.now());
  });
  await Promise.all(steps);
  const [, firstEnd, secondBegin, secondEnd, thirdBegin] = ends;
  expect(secondBegin! - firstEnd!).toBeGreaterThanOrEqual(STEP_MS - 1);
  expect(thirdBegin! - secondEnd!).toBeGreaterThanOrEqual(STEP_MS - 1);
});
