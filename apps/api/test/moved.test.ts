import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '../../..');
const ROW = /^\| `([^`]+)` \| (.+) \|$/gm;

const rows = [...readFileSync(join(ROOT, 'docs/moved.md'), 'utf8').matchAll(ROW)].map(([, from, to]) => ({
  from: from!,
  to: [...to!.matchAll(/`([^`]+)`/g)].map(([, path]) => path!),
}));

it('docs/moved.md contains only new paths that exist', () => {
  expect(rows.length).toBeGreaterThan(0);
  const missing = rows.flatMap(({ from, to }) =>
    to.filter((path) => !existsSync(join(ROOT, path))).map((path) => `${from} -> ${path}`),
  );
  expect(missing).toEqual([]);
});

it('docs/moved.md lists every old path only once', () => {
  const paths = rows.map(({ from }) => from);
  expect(paths).toEqual([...new Set(paths)]);
});

it('docs/moved.md contains no old path that still exists', () => {
  expect(rows.map(({ from }) => from).filter((path) => existsSync(join(ROOT, path)))).toEqual([]);
});
