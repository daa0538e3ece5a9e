import { hash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ManifestFile, PackedManifest } from '../../../src/services/sites/packed-manifest.ts';

const sha256 = fc.string({ maxLength: 8 }).map((text) => hash('sha256', text));
const number = fc.oneof(fc.nat(), fc.constantFrom(0, 2 ** 31, 2 ** 32, 2 ** 40 + 7, 2 ** 48 - 1));
const pack = fc.constantFrom('pack-a', 'pack-b', 'pack-c');
const storedPlace = fc.record({ sha256, pack, offset: number, length: number });
const compressed = fc.record({ br: storedPlace, zstd: storedPlace, gzip: storedPlace }, { requiredKeys: [] });
const manifestFile: fc.Arbitrary<ManifestFile> = fc.oneof(
  fc.tuple(fc.string(), storedPlace).map(([path, file]) => ({ path, ...file })),
  fc
    .tuple(
      fc.string(),
      storedPlace,
      compressed.filter((forms) => Object.keys(forms).length > 0),
    )
    .map(([path, file, forms]) => ({ path, ...file, compressed: forms })),
);
const manifestFiles = fc.uniqueArray(manifestFile, { selector: ({ path }) => path });

describe('a packed manifest', () => {
  it('returns every file with the same fields as it was added with, and no other file', () => {
    fc.assert(
      fc.property(manifestFiles, fc.string(), (files, other) => {
        const manifest = new PackedManifest(files);
        const expectedFiles = files.map(({ path, ...file }) => [path, file]);
        expect([manifest.size, [...manifest]]).toEqual([files.length, expectedFiles]);
        for (const { path, ...file } of files) expect(manifest.get(path)).toEqual(file);
        if (!files.some(({ path }) => path === other)) expect(manifest.get(other)).toBeUndefined();
      }),
    );
  });

  it('takes less than 20 MiB for 60,000 pages with all their compressed forms', () => {
    const contentAt = (n: number) => ({ sha256: hash('sha256', `${n}`), pack: 'pack', offset: n, length: n });
    const files = Array.from({ length: 60_000 }, (_, n) => ({
      path: `docs/section-${n % 300}/page-number-${n}.html`,
      ...contentAt(n),
      compressed: { br: contentAt(n + 1), zstd: contentAt(n + 2), gzip: contentAt(n + 3) },
    }));
    expect(new PackedManifest(files).sizeBytes).toBeLessThan(20 * 1024 * 1024);
  });
});
