import type { IndexEntry } from './pack-index.ts';
import type { PackFile } from './packs.ts';

const COPY_BYTES = 1024 * 1024;

/**
 * Moves contents to the front of a batch, without gaps, and updates their offsets.
 *
 * @param contents Ordered by offset.
 * @returns The offset at which the last one ends.
 */
export function closeGapsInMemory(batch: Buffer, contents: readonly IndexEntry[]): number {
  let end = 0;
  for (const content of contents) {
    batch.copyWithin(end, content.offset, content.offset + content.length);
    content.offset = end;
    end += content.length;
  }
  return end;
}

/** Does the same in a pack that is being written. Bytes only move towards the front, so nothing is overwritten before it is read. */
export async function closeGaps(file: PackFile, contents: readonly IndexEntry[]): Promise<number> {
  let end = 0;
  for (const content of contents) {
    for (let done = 0; content.offset !== end && done < content.length;) {
      const bytes = Buffer.allocUnsafe(Math.min(COPY_BYTES, content.length - done));
      await file.read(bytes, content.offset + done);
      await file.write(bytes, end + done);
      done += bytes.length;
    }
    content.offset = end;
    end += content.length;
  }
  return end;
}
