import { crc32 } from 'node:zlib';

/**
 * The format of an object: the bytes of a pack in blocks of 1 MiB, the last one shorter, each followed by 4 bytes of CRC-32 of
 * `<pack>/<number>` and its bytes, big-endian. So a range of an object is verified without reading anything else, and a block
 * of another pack or position is recognised. A pack without bytes is an empty object. Source: storage §13.
 */
export const BLOCK_BYTES = 1024 * 1024;
const CHECKSUM_BYTES = 4;
/** The size in an object of a block that is not the last one. */
export const STORED_BLOCK_BYTES = BLOCK_BYTES + CHECKSUM_BYTES;

/** Returns the size of the object of a pack. */
export function storedBytes(packBytes: number): number {
  return packBytes + Math.ceil(packBytes / BLOCK_BYTES) * CHECKSUM_BYTES;
}

/**
 * Writes the checksum of a block after its bytes.
 *
 * @param stored The bytes of the block, and 4 bytes for the checksum.
 */
export function signBlock(pack: string, number: number, stored: Buffer): void {
  const end = stored.length - CHECKSUM_BYTES;
  stored.writeUInt32BE(checksumOf(pack, number, stored.subarray(0, end)), end);
}

/** Returns the bytes of a stored block; `null` if they are not the ones that were stored. */
export function openBlock(pack: string, number: number, stored: Buffer): Buffer | null {
  const end = stored.length - CHECKSUM_BYTES;
  if (end <= 0 || end > BLOCK_BYTES) return null;
  const bytes = stored.subarray(0, end);
  return stored.readUInt32BE(end) === checksumOf(pack, number, bytes) ? bytes : null;
}

/** Divides the bytes of whole stored blocks. */
export function divideStored(stored: Buffer): Buffer[] {
  const blocks = [];
  for (let at = 0; at < stored.length; at += STORED_BLOCK_BYTES)
    blocks.push(stored.subarray(at, at + STORED_BLOCK_BYTES));
  return blocks;
}

function checksumOf(pack: string, number: number, bytes: Buffer): number {
  return crc32(bytes, crc32(`${pack}/${number}`));
}
