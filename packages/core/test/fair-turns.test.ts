import { setImmediate } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { inFairTurn, ownTurn } from '../src/fair-turns.ts';

it('inFairTurn lets other work run between the chunks of many bodies that arrive at once', async () => {
  const CHUNK_MS = 1;
  let processedBodies = 0;
  const body = async () => {
    for (let chunk = 0; chunk < 20; chunk += 1) {
      await inFairTurn('a', () => {
        const chunkEnd = performance.now() + CHUNK_MS;
        while (performance.now() < chunkEnd);
        processedBodies += 1;
      });
    }
  };
  const bodies = Promise.all(Array.from({ length: 10 }, body)).then(() => true);
  let eventLoopTurns = 0;
  let longestRound = 0;
  for (let processedBefore = 0; processedBodies < 200; processedBefore = processedBodies) {
    await setImmediate();
    eventLoopTurns += 1;
    longestRound = Math.max(longestRound, processedBodies - processedBefore);
  }
  expect(await bodies).toBe(true);
  // Without turns, the ten bodies would be processed in one round of the event loop.
  expect(eventLoopTurns).toBeGreaterThan(20);
  expect(longestRound).toBeLessThan(50);
});

it('ownTurn lets other work run for as long as the previous indivisible step took', async () => {
  const STEP_MS = 20;
  const turnEnds: number[] = [];
  const steps = [1, 2, 3].map(async () => {
    await ownTurn('a');
    const begunMs = performance.now();
    while (performance.now() < begunMs + STEP_MS);
    turnEnds.push(begunMs, performance.now());
  });
  await Promise.all(steps);
  const [, firstEnd, secondBegin, secondEnd, thirdBegin] = turnEnds;
  expect(secondBegin! - firstEnd!).toBeGreaterThanOrEqual(STEP_MS - 1);
  expect(thirdBegin! - secondEnd!).toBeGreaterThanOrEqual(STEP_MS - 1);
});

it('inFairTurn serves clients in rotation, so that a client with many requests does not delay others', async () => {
  const order: string[] = [];
  const work = (client: string) => () => {
    const busyUntil = performance.now() + 3;
    while (performance.now() < busyUntil);
    order.push(client);
  };
  const allTurns = Array.from({ length: 10 }, () => inFairTurn('busy', work('busy')));
  allTurns.push(inFairTurn('other', work('other')));
  await Promise.all(allTurns);
  expect(order.indexOf('other')).toBeLessThan(3);
});

it('inFairTurn rejects with the error that the work throws, at once or after a wait', async () => {
  const failTurn = () => {
    throw new Error('failed');
  };
  const waitingTurn = ownTurn('a').then(() => inFairTurn('a', failTurn));
  await expect(
    Promise.allSettled([inFairTurn('a', failTurn), inFairTurn('b', failTurn), waitingTurn]),
  ).resolves.toMatchObject(Array.from({ length: 3 }, () => ({ status: 'rejected', reason: { message: 'failed' } })));
});
