import type { FileHandle } from 'node:fs/promises';
import pLimit from 'p-limit';
import type { Hasher } from '../hasher.ts';
import { BLOCK_BYTES, signBlock, STORED_BLOCK_BYTES, storedBytes } from './blocks.ts';

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

/** Makes the bodies of uploads. Their memory is bounded. */
export interface Bodies {
  /**
   * Reads bytes of a pack, adds their checksums, and passes them to `send`. The body may be kept unless it is that of a part.
   *
   * @param position A multiple of {@link PART_BYTES}.
   */
  use<T>(source: PackSource, position: number, packBytes: number, send: (body: Body) => Promise<T>): Promise<T>;
}

/** @param hasher Computes MD5 on a thread of its own. */
export function createBodies(hasher: Hasher): Bodies {
  const [large, small] = [pLimit(LARGE_AT_ONCE), pLimit(SMALL_AT_ONCE)];
  /** Memory of earlier parts. New memory for each part would make the process collect garbage more often. */
  const unused: ArrayBuffer[] = [];
  return {
    use: (source, position, packBytes, send) =>
      (packBytes <= SMALL_BYTES ? small : large)(async () => {
        const size = storedBytes(packBytes);
        const isPart = packBytes === PART_BYTES;
        const memory = (isPart && unused.pop()) || new ArrayBuffer(size);
        const stored = await readStored(source, position, Buffer.from(memory));
        const { block, hashes } = await hasher.stream().hash(stored, size, [size]);
        const bytes = Buffer.from(block.buffer, block.byteOffset, block.length);
        try {
          return await send({ bytes, md5: Buffer.from(hashes[0]!.md5, 'hex').toString('base64') });
        } finally {
          if (isPart) unused.push(bytes.buffer as ArrayBuffer);
        }
      }),
  };
}

/** Fills a buffer with bytes of a pack and their checksums. */
async function readStored({ pack, file }: PackSource, position: number, stored: Buffer): Promise<Buffer> {
  for (let at = 0, number = position / BLOCK_BYTES; at < stored.length; at += STORED_BLOCK_BYTES, number += 1) {
    const block = stored.subarray(at, at + STORED_BLOCK_BYTES);
    await readFully(file, block.subarray(0, -4), number * BLOCK_BYTES);
    signBlock(pack, number, block);
  }
  return stored;
}

/** Fills `bytes` from a position of a file. @throws if the file is too short. */
export async function readFully(file: FileHandle, bytes: Uint8Array, position: number): Promise<void> {
  for (let done = 0; done < bytes.length;) {
    const { bytesRead } = await file.read(bytes, done, bytes.length - done, position + done);
    if (bytesRead === 0) throw new Error(`A pack ends before byte ${position + bytes.length}`);
    done += bytesRead;
  }
}
