import { parentPort } from 'node:worker_threads';
import { createBlockHasher, type HashJob, transferListOf } from './block-hasher.ts';

// Worker thread that hashes uploads, so that the main thread only receives them.
const port = parentPort!;
const hashBlock = createBlockHasher();
port.on('message', (job: HashJob) => {
  const answer = hashBlock(job);
  if (answer) port.postMessage(answer, [...transferListOf(answer.block), answer.digests.buffer]);
});
