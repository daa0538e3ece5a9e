import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { type Algorithm, createBlockHasher, type HashJob, transferListOf } from './block-hasher.ts';
import { createMd5OfMany } from './md5/md5-of-many.ts';

/** What a thread computes, and where its jobs come from and go to. `null` means the thread that started it. */
export interface HashWorkerData {
  algorithm: Algorithm;
  source: MessagePort | null;
  target: MessagePort | null;
}

const { algorithm, source, target } = workerData as HashWorkerData;
const hashBlock = createBlockHasher(algorithm, algorithm === 'md5' ? createMd5OfMany() : undefined);
(source ?? parentPort!).on('message', (job: HashJob) => {
  const hashed = hashBlock(job);
  (target ?? parentPort!).postMessage(hashed, transferListOf(hashed));
});
