import { parentPort } from 'node:worker_threads';
import { createBlockHasher, type HashJob, transferListOf } from './block-hasher.ts';

const port = parentPort!;
const hashBlock = createBlockHasher();
port.on('message', (job: HashJob) => {
  const result = hashBlock(job);
  if (result) port.postMessage(result, [...transferListOf(result.block), result.digests.buffer]);
});
