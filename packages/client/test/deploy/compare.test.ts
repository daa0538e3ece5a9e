import fc from 'fast-check';
import { expect, test } from 'vitest';
import { compareWithLastDeployment } from '../../src/deploy/compare.ts';

/** Lists of files with few paths and contents, so that two lists have most files in common. */
const files = fc
  .dictionary(fc.constantFrom('a', 'b', 'c', 'd/e', '__proto__', 'constructor'), fc.constantFrom('1', '2'))
  .map((all) =>
    Object.entries(all)
      .map(([path, sha256]) => ({ path, sha256, size: 1 }))
      .toSorted((a, b) => (a.path < b.path ? -1 : 1)),
  );
const contentsOf = (all: readonly { path: string; sha256: string }[]) =>
  new Map(all.map(({ path, sha256 }) => [path, sha256]));

test('the published files, with the changes applied, equal the current files', () => {
  fc.assert(
    fc.property(files, files, (before, now) => {
      const { put, changes } = compareWithLastDeployment({ deployment: 'x', files: contentsOf(before) }, now);
      const contentsAfter = contentsOf(before);
      for (const path of changes.removed) contentsAfter.delete(path);
      for (const { path, sha256 } of put) contentsAfter.set(path, sha256);
      expect([...contentsAfter].toSorted()).toEqual([...contentsOf(now)].toSorted());
      expect(put.map(({ path }) => path).toSorted()).toEqual([...changes.added, ...changes.changed].toSorted());
      expect(changes.unchanged + put.length).toBe(now.length);
    }),
  );
});

test('all files are added if nothing was published before', () => {
  fc.assert(
    fc.property(files, (now) => {
      const { put, changes } = compareWithLastDeployment(null, now);
      expect(put).toEqual(now);
      expect(changes).toEqual({ added: now.map(({ path }) => path), changed: [], removed: [], unchanged: 0 });
    }),
  );
});
