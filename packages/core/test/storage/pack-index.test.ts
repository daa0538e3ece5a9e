import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encodePackIndex, type IndexEntry } from '../../src/storage/pack-index.ts';
import { decodePackIndex } from './decode-pack-index.ts';

const anyEntry: fc.Arbitrary<IndexEntry> = fc.record({
  sha256: fc.uint8Array({ minLength: 32, maxLength: 32 }).map((bytes) => Buffer.from(bytes).toString('hex')),
  offset: fc.maxSafeNat(),
  length: fc.maxSafeNat(),
});

describe('P2: the index at the end of a pack', () => {
  it('is decoded to the encoded entries, whatever bytes precede it', () => {
    fc.assert(
      fc.property(fc.array(anyEntry, { maxLength: 40 }), fc.uint8Array({ maxLength: 200 }), (entries, contents) => {
        expect(decodePackIndex(Buffer.concat([contents, encodePackIndex(entries)]))).toEqual(entries);
      }),
    );
  });

  it('is rejected if any of its bits flipped', () => {
    const contents = randomBytes(500);
    const encodedIndex = encodePackIndex(
      Array.from({ length: 3 }, (_, i) => ({ sha256: randomBytes(32).toString('hex'), offset: i * 100, length: 100 })),
    );
    const pack = Buffer.concat([contents, encodedIndex]);
    for (let bit = contents.length * 8; bit < pack.length * 8; bit += 1) {
      pack[bit >> 3]! ^= 1 << (bit & 7);
      expect(decodePackIndex(pack), `bit ${bit - contents.length * 8}`).toBeNull();
      pack[bit >> 3]! ^= 1 << (bit & 7);
    }
    expect(decodePackIndex(pack)).toHaveLength(3);
  });
});
