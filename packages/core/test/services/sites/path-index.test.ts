import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { buildPathIndex, type PathIndex, PathKeys } from '../../../src/services/sites/path-index.ts';

/** Reads the position of a path from an index; `null` if the index does not have the path. */
function positionOf({ keys, positions }: PathIndex, path: string): number | null {
  const rank = new PathKeys(keys).rankOf(path);
  return rank < 0 ? null : positions.readUInt32BE(rank * 4);
}

describe('a path index', () => {
  it('leads from every path to its position, and from no other path', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.string({ unit: 'binary' })), fc.string(), (paths, other) => {
        const index = buildPathIndex(paths);
        for (const [position, path] of paths.entries()) expect(positionOf(index, path)).toBe(position);
        if (!paths.includes(other)) expect(positionOf(index, other)).toBeNull();
      }),
    );
  });

  it('has different keys for 200,000 similar paths, in ascending order', () => {
    const paths = Array.from({ length: 100_000 }, (_, n) => [`img/${n}.png`, `docs/v${n % 9}/page-${n}/index.html`]);
    const keys = Buffer.from(buildPathIndex(paths.flat()).keys, 'base64');
    const isAscending = (_: unknown, rank: number) => {
      const at = rank * 8;
      return keys.compare(keys, at, at + 8, at + 8, at + 16) > 0;
    };
    expect(Array.from({ length: 200_000 - 1 }, isAscending)).not.toContain(false);
  });

  it('never changes, because indexes are stored', () => {
    const { keys, positions } = buildPathIndex(['index.html', 'a/b.html', 'é', '']);
    expect(Buffer.from(keys, 'base64').toString('hex')).toBe(
      '0eb547304658805a4832fefddf6a845c4a99557e4033c353e3b0c44298fc1c14',
    );
    expect(positions.toString('hex')).toBe('00000000000000010000000200000003');
  });

  it('takes 8 bytes of memory for each path', () => {
    const paths = Array.from({ length: 10_000 }, (_, n) => `docs/page-number-${n}.html`);
    expect(new PathKeys(buildPathIndex(paths).keys).sizeBytes).toBe(80_000);
  });
});
