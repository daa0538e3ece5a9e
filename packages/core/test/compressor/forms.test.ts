import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { decompressForm, compressContent } from '../../src/compressor/forms.ts';
import type { Coding } from '@berth/serving';

const MiB = 1024 ** 2;
const TEXT = Buffer.from('A quay is a place where a berth is; '.repeat(100));
/** Returns the window size in the header of a zstd frame, in bytes. Source: RFC 8878 §3.1.1.1.1. */
const windowOf = (zstd: Uint8Array) => {
  if (zstd[4]! & 0b0010_0000) return 0;
  const [exponent, mantissa] = [zstd[5]! >> 3, zstd[5]! & 7];
  return 2 ** (10 + exponent) * (1 + mantissa / 8);
};

describe('compressContent', () => {
  it.each(['br', 'zstd', 'gzip'] as const)(
    'creates a %s form that decompresses to the same bytes, unless they exceed the given maximum (S48)',
    async (coding) => {
      const form = compressContent(TEXT)[coding]!;
      expect(form.length).toBeLessThan(TEXT.length / 10);
      expect(TEXT.equals(await decompressForm(coding, form, TEXT.length))).toBe(true);
      await expect(decompressForm(coding, form, TEXT.length - 1)).rejects.toThrow();
    },
  );

  it('returns the same forms each time for the same content', () => {
    expect(compressContent(TEXT)).toEqual(compressContent(TEXT));
  });

  it('keeps each form only if it saves 5 % (S48)', () => {
    expect(compressContent(randomBytes(4_000))).toEqual({});
    // In each round, a larger share of the bytes can be compressed.
    const codingsUsed = new Set<string>();
    for (let share = 0; share <= 400; share += 40) {
      const bytes = Buffer.concat([randomBytes(4_000 - share), Buffer.alloc(share)]);
      const forms = compressContent(bytes);
      for (const form of Object.values(forms)) expect(form.length).toBeLessThanOrEqual(bytes.length * 0.95);
      codingsUsed.add(Object.keys(forms).join());
    }
    expect(codingsUsed).toContain('');
    expect(codingsUsed).toContain('br,zstd,gzip');
  });

  it('compresses contents above 1 MiB, with a zstd window that every browser supports (S48)', async () => {
    const line = Array.from({ length: 2_000 }, (_, i) => `${i} `).join('');
    const largeText = Buffer.alloc(9 * MiB, line);
    const forms = compressContent(largeText);
    for (const [coding, form] of Object.entries(forms) as [Coding, Uint8Array][])
      expect(largeText.equals(await decompressForm(coding, form, largeText.length)), coding).toBe(true);
    expect(windowOf(forms.zstd!)).toBeLessThanOrEqual(8 * MiB);
  });
});
