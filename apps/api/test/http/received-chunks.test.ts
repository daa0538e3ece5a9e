import { EventEmitter } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { expect, it, vi } from 'vitest';
import { collectChunks } from '../../src/http/received-chunks.ts';

const MiB = 1024 ** 2;

it('S3: collects the chunks of bodies while they arrive, long before the heap is full', async () => {
  const req = new EventEmitter();
  collectChunks(req as IncomingMessage);
  const before = process.memoryUsage().arrayBuffers;
  const chunks = Array.from({ length: 600 }, () => new ArrayBuffer(64 * 1024));
  expect(process.memoryUsage().arrayBuffers - before).toBeGreaterThan(30 * MiB);
  chunks.length = 0;
  await vi.waitFor(() => expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(10 * MiB), {
    timeout: 5_000,
  });
  req.emit('close');
});
