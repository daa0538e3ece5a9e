import { hash } from 'node:crypto';
import type { IndexEntry } from '../../src/storage/pack-index.ts';

const MAGIC = Buffer.from('BERTHPK1', 'latin1');
const ENTRY_BYTES = 32 + 8 + 8;
const FOOTER_BYTES = 8 + 32 + MAGIC.length;

/**
 * Reads the trailer at the end of a pack.
 *
 * @param tail The last bytes of the pack, enough to contain the whole trailer.
 * @returns The entries, or `null` if the bytes do not end in a valid trailer.
 */
export function decodePackIndex(tail: Buffer): IndexEntry[] | null {
  const footer = tail.length - FOOTER_BYTES;
  if (footer < 0 || !tail.subarray(tail.length - MAGIC.length).equals(MAGIC)) return null;
  const count = Number(tail.readBigUInt64BE(footer));
  const start = footer - count * ENTRY_BYTES;
  if (start < 0) return null;
  const entries = tail.subarray(start, footer);
  if (!hash('sha256', entries, 'buffer').equals(tail.subarray(footer + 8, footer + 40))) return null;
  return Array.from({ length: count }, (_, i) => {
    const at = i * ENTRY_BYTES;
    return {
      sha256: entries.toString('hex', at, at + 32),
      offset: Number(entries.readBigUInt64BE(at + 32)),
      length: Number(entries.readBigUInt64BE(at + 40)),
    };
  });
}
