import { createHash, type Hash } from 'node:crypto';
import { parentPort } from 'node:worker_threads';
import type { Answer, Batch } from './md5-lane.ts';

/** The thread that hashes: contents arrive in pieces, in order, and each is answered with its last piece. */
const running = new Map<number, Hash>();

parentPort!.on('message', ({ id, bytes, pieces, forget }: Batch) => {
  const view = Buffer.from(bytes);
  const digests: Answer['digests'] = [];
  for (const { content, from, to, last } of pieces) {
    const hash = running.get(content) ?? createHash('md5');
    hash.update(view.subarray(from, to));
    if (last) {
      running.delete(content);
      digests.push([content, hash.digest('hex')]);
    } else running.set(content, hash);
  }
  for (const content of forget) running.delete(content);
  parentPort!.postMessage({ id, digests } satisfies Answer);
});
