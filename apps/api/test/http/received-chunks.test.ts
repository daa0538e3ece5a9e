import { EventEmitter } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { collectChunks } from '../../src/http/received-chunks.ts';

const MiB = 1024 ** 2;
const CHUNK_BYTES = 64 * 1024;

/** Allocates 200 MiB of chunks, as bodies that arrive do. @returns The largest growth of all buffers. */
async function receiveChunks(): Promise<number> {
  const before = process.memoryUsage().arrayBuffers;
  let growth = 0;
  for (let received = 0; received < 200 * MiB; received += 2 * MiB) {
    for (let bytes = 0; bytes < 2 * MiB; bytes += CHUNK_BYTES) Buffer.from(new ArrayBuffer(CHUNK_BYTES));
    growth = Math.max(growth, process.memoryUsage().arrayBuffers - before);
    await sleep(5);
  }
  return growth;
}

it('S3: collects the chunks of bodies while they arrive', async () => {
  const usual = await receiveChunks();
  const req = new EventEmitter();
  collectChunks(req as IncomingMessage);
  const bounded = await receiveChunks();
  req.emit('close');
  expect(bounded).toBeLessThan(usual * 0.8);
});
