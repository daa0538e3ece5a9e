import { parentPort } from 'node:worker_threads';
import { createBlockHasher, type HashJob, movedWith } from './block-hasher.ts';

// The thread that hashes uploads, beside the one that receives them.
const port = parentPort!;
const hashBlock = createBlockHasher();
port.on('message', (job: HashJob) => {
  const answer = hashBlock(job);
  if (answer) port.postMessage(answer, [...movedWith(answer.block), answer.digests.buffer]);
});
