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

const TESTED = /^\| (?:house )?B\d+ \| .+ \| \[(.+)\]\((\.\..+test\.ts)\) \|$/gm;

it('every fault of the documentation names a test that exists (desktop §8)', () => {
  const rows = [...readFileSync(join(DOCS, 'desktop.md'), 'utf8').matchAll(TESTED)];
  expect(rows.length).toBeGreaterThan(14);
  for (const [, title, file] of rows)
    if (!title!.startsWith('the gallery state')) expect(readFileSync(join(DOCS, file!), 'utf8')).toContain(title);
});

const RISK = /^\| (R\d+) \| .+ \| ([^|]+) \|$/gm;
/** What the last column says about a line of the report. It is no part of the title. */
const NOTE = /^packaged: | \((?:macOS|Linux)\)$/g;

it('every risk of Electron names a line of the report of `npm run test:electron` (desktop §9)', () => {
  const report = ['app', 'packaged']
    .map((name) => readFileSync(join(import.meta.dirname, `../electron/${name}.test.ts`), 'utf8'))
    .join('\n');
  const rows = [...readFileSync(join(DOCS, 'desktop.md'), 'utf8').matchAll(RISK)];
  expect(rows.map(([, risk]) => risk)).toEqual(Array.from({ length: 20 }, (_, index) => `R${index + 1}`));
  for (const [, risk, lines] of rows) {
    const titles = lines!.split('; ').filter((line) => !line.includes('by hand'));
    expect(titles.length, risk).toBeGreaterThan(0);
    for (const title of titles) expect(report).toContain(title.replace(NOTE, ''));
    expect(report).toMatch(new RegExp(`'.+\\(.*\\b${risk}\\b.*\\)'`));
  }
});
