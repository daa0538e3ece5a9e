import type { Download } from '@berth/core';
import { Header, Pax } from 'tar';
import type { OpenFile } from './open-file.ts';

const BLOCK_BYTES = 512;
const END = Buffer.alloc(2 * BLOCK_BYTES);
const CHUNK_BYTES = 64 * 1024;
const FILE_MODE = 0o644;

/** Yields a tar archive of a deployment, with pax headers for names and sizes that ustar cannot contain. */
export async function* writeTar({ files, created }: Download, open: OpenFile): AsyncGenerator<Buffer> {
  let pending: Buffer[] = [];
  let pendingBytes = 0;
  for (const [path, file] of files) {
    pending.push(head(path, file.length, created));
    for await (const chunk of open(file) as AsyncIterable<Buffer>) {
      pending.push(chunk);
      pendingBytes += chunk.length;
      if (pendingBytes < CHUNK_BYTES) continue;
      yield Buffer.concat(pending);
      pending = [];
      pendingBytes = 0;
    }
    pending.push(END.subarray(0, paddingOf(file.length)));
    pendingBytes += BLOCK_BYTES;
  }
  yield Buffer.concat([...pending, END]);
}

/** Returns the size of the archive that {@link writeTar} yields, in bytes. */
export function tarBytes({ files, created }: Download): number {
  let bytes = END.length;
  for (const [path, { length }] of files) bytes += head(path, length, created).length + length + paddingOf(length);
  return bytes;
}

function head(path: string, size: number, mtime: Date): Buffer {
  const header = new Header({ path, size, mtime, mode: FILE_MODE, type: 'File' });
  const isComplete = !header.encode();
  return isComplete ? header.block! : Buffer.concat([new Pax({ path, size }).encode(), header.block!]);
}

function paddingOf(size: number): number {
  return -size & (BLOCK_BYTES - 1);
}
