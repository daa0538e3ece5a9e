import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const DOCS = join(import.meta.dirname, '../../../../docs');
const ROW = /^\| (\d+) \| (.+) \| \[.+\]\((.+)\) \|$/gm;

it('every expectation of the documentation names a test that exists (desktop §8)', () => {
  const rows = [...readFileSync(join(DOCS, 'desktop.md'), 'utf8').matchAll(ROW)];
  expect(rows.map(([, number]) => Number(number))).toEqual(Array.from({ length: 25 }, (_, index) => index + 1));
  for (const [, , title, file] of rows) expect(readFileSync(join(DOCS, file!), 'utf8')).toContain(title);
});
