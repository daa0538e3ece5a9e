import type { FileHandle } from 'node:fs/promises';
import { Worker } from 'node:worker_threads';
import pLimit from 'p-limit';
import { Threads } from '../threads.ts';
import { BLOCK_BYTES, storedBytes } from './blocks.ts';
import type { BodyJob, ReadBody } from './body-worker.ts';

const PART_BLOCKS = 5;
/** The bytes of a pack in each part of a large upload but the last: few, so that little is left to send when the last byte arrives. */
export const PART_BYTES = PART_BLOCKS * BLOCK_BYTES;
/** The number of large and of small bodies in memory at the same time. Small ones need not wait for large ones. */
const LARGE_AT_ONCE = 4;
const SMALL_AT_ONCE = 24;
const SMALL_BYTES = BLOCK_BYTES;

/** A pack in a local file. */
export interface PackSource {
  pack: string;
  file: FileHandle;
}

/** The body of a request, and its MD5 in base64. */
interface Body {
  bytes: Buffer;
  md5: string;
}

/** Reads the bodies of uploads on a thread. Their memory is bounded. */
export interface Bodies {
  /**
   * Reads bytes of a pack, adds their checksums, and passes them to `send`. The body may be kept unless it is that of a part.
   *
   * @param position A multiple of {@link PART_BYTES}.
   */
  use<T>(source: PackSource, position: number, packBytes: number, send: (body: Body) => Promise<T>): Promise<T>;
  /** Ends the thread. */
  close(): Promise<void>;
}

export function createBodies(): Bodies {
  const [large, small] = [pLimit(LARGE_AT_ONCE), pLimit(SMALL_AT_ONCE)];
  const thread = new Threads<BodyJob, ReadBody>(() => {
    const worker = new Worker(new URL('./body-worker.ts', import.meta.url));
    return { first: worker, last: worker };
  });
  /** Memory of earlier parts. New memory for each part would make the process collect garbage more often. */
  const unused: ArrayBuffer[] = [];
  return {
    use: ({ pack, file }, position, packBytes, send) =>
      (packBytes <= SMALL_BYTES ? small : large)(async () => {
        const isPart = packBytes === PART_BYTES;
        const memory = new Uint8Array((isPart && unused.pop()) || new ArrayBuffer(storedBytes(packBytes)));
        const body = await thread.run({ pack, fd: file.fd, position, memory }, [memory.buffer]);
        const { buffer } = body.memory;
        try {
          return await send({ bytes: Buffer.from(buffer), md5: body.md5 });
        } finally {
          if (isPart) unused.push(buffer);
        }
      }),
    close: () => thread.close(),
  };
}
