import { EventEmitter } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { constants, PerformanceObserver } from 'node:perf_hooks';
import { expect, it, onTestFinished } from 'vitest';
import { collectChunks } from '../../src/http/received-chunks.ts';

const CHUNK_BYTES = 64 * 1024;

/** Counts the garbage collections that the program requested. */
function countRequested(): () => number {
  let requested = 0;
  const observer = new PerformanceObserver((list) => {
    for (const { detail } of list.getEntries() as unknown as { detail: { kind: number; flags: number } }[])
      if (detail.flags & constants.NODE_PERFORMANCE_GC_FLAGS_FORCED) requested += 1;
  });
  observer.observe({ entryTypes: ['gc'] });
  onTestFinished(() => observer.disconnect());
  return () => requested;
}

it('S3: collects the chunks of bodies while they arrive', async () => {
  const requested = countRequested();
  const chunks: ArrayBuffer[] = [];
  // V8 may free older buffers at the same time, so one burst can be too little.
  const receive = () => {
    chunks.push(...Array.from({ length: 500 }, () => new ArrayBuffer(CHUNK_BYTES)));
    return requested();
  };
  const req = new EventEmitter();
  collectChunks(req as IncomingMessage);
  for (const before of [0, 1]) await expect.poll(receive, { interval: 200 }).toBeGreaterThan(before);
  req.emit('close');
  expect(chunks.length).toBeGreaterThanOrEqual(1_000);
});
