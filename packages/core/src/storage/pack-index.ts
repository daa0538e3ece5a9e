import { hash } from 'node:crypto';

/** The location of one content, as the index of the pack records it. */
export interface IndexEntry {
  /** The SHA-256 of the content, as 64 lowercase hex digits. */
  sha256: string;
  offset: number;
  length: number;
}

const MAGIC = Buffer.from('BERTHPK1', 'latin1');
/** Where the offset and the length are in an entry of an encoded index, which begins with the hash. */
export const ENTRY_OFFSET_AT = 32;
export const ENTRY_LENGTH_AT = ENTRY_OFFSET_AT + 8;
/** The size of an entry of an encoded index. */
export const ENTRY_BYTES = ENTRY_LENGTH_AT + 8;
const UINT32 = 2 ** 32;
const FOOTER_BYTES = 8 + 32 + MAGIC.length;

/**
 * Encodes the trailer of a pack, which makes the pack readable without the database: for each content 32 bytes of SHA-256,
 * 8 bytes of offset and 8 bytes of length; then 8 bytes of count, 32 bytes of SHA-256 of the entries, and the 8 letters
 * `BERTHPK1`. Numbers are big-endian. Source: storage P2.
 */
export function encodePackIndex(entries: readonly IndexEntry[]): Buffer {
  const bytes = Buffer.alloc(entries.length * ENTRY_BYTES + FOOTER_BYTES);
  let position = 0;
  for (const { sha256, offset, length } of entries) {
    position += bytes.write(sha256, position, 'hex');
    position = writeNumber(bytes, offset, position);
    position = writeNumber(bytes, length, position);
  }
  const checksum = hash('sha256', bytes.subarray(0, position), 'buffer');
  position = writeNumber(bytes, entries.length, position);
  position += checksum.copy(bytes, position);
  MAGIC.copy(bytes, position);
  return bytes;
}

/** Returns the size in bytes of a pack with a number of contents of a total length. */
export function packBytesOf(contents: number, length: number): number {
  return length + contents * ENTRY_BYTES + FOOTER_BYTES;
}

/** Writes a number as 8 bytes, in two halves, which is faster than with a BigInt. */
function writeNumber(bytes: Buffer, value: number, at: number): number {
  return bytes.writeUInt32BE(value % UINT32, bytes.writeUInt32BE(Math.floor(value / UINT32), at));
}
