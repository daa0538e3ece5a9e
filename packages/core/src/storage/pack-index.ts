import { hash } from 'node:crypto';

/** The place of one content, as recorded in the index of the pack. */
export interface IndexEntry {
  /** SHA-256, 64 lowercase hex digits. */
  sha256: string;
  offset: number;
  length: number;
}

const MAGIC = Buffer.from('BERTHPK1', 'latin1');
const ENTRY_BYTES = 32 + 8 + 8;
const UINT32 = 2 ** 32;
const FOOTER_BYTES = 8 + 32 + MAGIC.length;

/**
 * Encodes the trailer of a pack, which makes the pack readable without the database.
 *
 * Layout, with big-endian numbers: for each content 32 bytes SHA-256, 8 bytes offset, 8 bytes length; then 8 bytes count,
 * 32 bytes SHA-256 of the entries, and the 8 letters `BERTHPK1`.
 *
 * Source: storage P2.
 */
export function encodePackIndex(entries: readonly IndexEntry[]): Buffer {
  const bytes = Buffer.alloc(entries.length * ENTRY_BYTES + FOOTER_BYTES);
  let at = 0;
  for (const { sha256, offset, length } of entries) {
    at += bytes.write(sha256, at, 'hex');
    at = writeNumber(bytes, offset, at);
    at = writeNumber(bytes, length, at);
  }
  const checksum = hash('sha256', bytes.subarray(0, at), 'buffer');
  at = writeNumber(bytes, entries.length, at);
  at += checksum.copy(bytes, at);
  MAGIC.copy(bytes, at);
  return bytes;
}

/** Writes 8 bytes in two halves, which is faster than a BigInt. */
function writeNumber(bytes: Buffer, value: number, at: number): number {
  return bytes.writeUInt32BE(value % UINT32, bytes.writeUInt32BE(Math.floor(value / UINT32), at));
}
