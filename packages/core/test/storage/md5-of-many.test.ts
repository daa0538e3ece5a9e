import { hash, randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createMd5OfMany } from '../../src/storage/md5/md5-of-many.ts';

const md5OfMany = createMd5OfMany();
const KiB = 1024;

function md5s(contents: readonly Uint8Array[]): string[] {
  const digests = Buffer.alloc(contents.length * 16);
  md5OfMany(contents, digests);
  return contents.map((_, i) => digests.toString('hex', i * 16, (i + 1) * 16));
}

const md5sOfOpenssl = (contents: readonly Uint8Array[]) => contents.map((content) => hash('md5', content));
const randomContents = (sizes: readonly number[]) => sizes.map((size) => randomBytes(size));

describe('the MD5 of many contents', () => {
  it('is that of RFC 1321 §A.5 for its test suite', () => {
    const suite = {
      '': 'd41d8cd98f00b204e9800998ecf8427e',
      a: '0cc175b9c0f1b6a831c399e269772661',
      abc: '900150983cd24fb0d6963f7d28e17f72',
      'message digest': 'f96b697d7cb7938d525a2f31aaf161d0',
      abcdefghijklmnopqrstuvwxyz: 'c3fcd3d76192e4007dfb496cca67e13b',
      ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789: 'd174ab98d277d9f5a5611c2c9f419d9f',
      '12345678901234567890123456789012345678901234567890123456789012345678901234567890':
        '57edf4a22be3c955ac49da2e2107b67a',
    };
    expect(md5s(Object.keys(suite).map((text) => Buffer.from(text)))).toEqual(Object.values(suite));
  });

  it('agrees with OpenSSL for every size around the padding', () => {
    const contents = randomContents(Array.from({ length: 300 }, (_, size) => size));
    expect(md5s(contents)).toEqual(md5sOfOpenssl(contents));
  });

  it('agrees with OpenSSL around the size from which on a content is hashed alone', () => {
    const contents = randomContents(Array.from({ length: 40 }, (_, i) => 64 * KiB - 20 + i));
    expect(md5s(contents)).toEqual(md5sOfOpenssl(contents));
  });

  it('agrees with OpenSSL for any contents in any order', () => {
    const size = fc.oneof(fc.nat(100), fc.nat(8 * KiB), fc.integer({ min: 60 * KiB, max: 70 * KiB }));
    fc.assert(
      fc.property(fc.array(size, { maxLength: 40 }), (sizes) => {
        const contents = randomContents(sizes);
        expect(md5s(contents)).toEqual(md5sOfOpenssl(contents));
      }),
      { numRuns: 100 },
    );
  });

  it('is written in the order of the contents when small ones end before large ones', () => {
    const contents = randomContents([60 * KiB, ...Array.from({ length: 200 }, (_, i) => i * 10), 60 * KiB, 1]);
    expect(md5s(contents)).toEqual(md5sOfOpenssl(contents));
  });

  it('reads contents of shared memory', () => {
    const shared = new Uint8Array(new SharedArrayBuffer(80 * KiB));
    shared.set(randomBytes(shared.length));
    const contents = Array.from({ length: 8 }, (_, i) => shared.subarray(i * 10 * KiB, (i + 1) * 10 * KiB));
    expect(md5s(contents)).toEqual(md5sOfOpenssl(contents));
  });
});
