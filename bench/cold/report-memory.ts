import { setTimeout as sleep } from 'node:timers/promises';

/** A server preloads this file, which collects all garbage and reports the memory that is in use, in bytes, on request. */
process.on('message', async (question) => {
  if (question !== 'memory') return;
  // Finalizers release buffers after a collection.
  for (let round = 0; round < 3; round += 1, await sleep(50)) globalThis.gc!();
  const { heapUsed, external } = process.memoryUsage();
  process.send!(heapUsed + external);
});
