import { createHash } from 'node:crypto';
import { readSync } from 'node:fs';
import { parentPort } from 'node:worker_threads';
import type { FailedJob, Job } from '../threads.ts';
import { BLOCK_BYTES, signBlock, STORED_BLOCK_BYTES } from './blocks.ts';

/** A body to read from a pack. */
export interface BodyJob extends Job {
  pack: string;
  /** The open file that contains the pack. */
  fd: number;
  /** The position of the first byte in the pack, a multiple of the size of a block. */
  position: number;
  /** The memory for the bytes and the checksums. */
  memory: Uint8Array<ArrayBuffer>;
}

/** A body that was read. */
export interface ReadBody extends Job {
  memory: Uint8Array<ArrayBuffer>;
  /** The MD5 of the body in base64. */
  md5: string;
}

parentPort!.on('message', (job: BodyJob) => {
  const { memory } = job;
  let result: ReadBody | FailedJob;
  try {
    result = { job: job.job, memory, md5: readBody(job) };
  } catch (error) {
    result = { job: job.job, error };
  }
  parentPort!.postMessage(result, [memory.buffer]);
});

/** Fills the memory of a job. Hashes each block while the cache of the processor has it. @returns The MD5 in base64. */
function readBody({ pack, fd, position, memory }: BodyJob): string {
  const body = Buffer.from(memory.buffer);
  const md5 = createHash('md5');
  for (let at = 0, number = position / BLOCK_BYTES; at < body.length; at += STORED_BLOCK_BYTES, number += 1) {
    const block = body.subarray(at, at + STORED_BLOCK_BYTES);
    readFully(fd, block.subarray(0, -4), number * BLOCK_BYTES);
    signBlock(pack, number, block);
    md5.update(block);
  }
  return md5.digest('base64');
}

function readFully(fd: number, bytes: Uint8Array, position: number): void {
  for (let done = 0; done < bytes.length;) {
    const bytesRead = readSync(fd, bytes, done, bytes.length - done, position + done);
    if (bytesRead === 0) throw new Error(`A pack ends before byte ${position + bytes.length}`);
    done += bytesRead;
  }
}
