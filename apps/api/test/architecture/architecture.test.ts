import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readImports, ROOT } from './imports.ts';
import { drawArchitecture, readDrawnArchitecture } from './picture.ts';

/** Matches the path of a file or folder of this repository, at least three segments long. */
const CITED_PATH = /`((?:apps|packages|bench|torture|docs|fixtures|examples)\/[\w.-]+\/[\w./-]+)`/g;

it('docs/architecture.md shows the imports of the source code, as npm run architecture draws them', () => {
  expect(readDrawnArchitecture()).toBe(drawArchitecture());
});

it('only tests, benchmarks and torture import packages/testing', () => {
  const importers = readImports().filter(({ to }) => to.startsWith('packages/testing'));
  expect(importers.filter(({ from }) => !/^(?:packages\/testing|bench|torture)\//.test(from))).toEqual([]);
});

it('the documents cite only paths that exist', () => {
  const missing = globSync(['*.md', 'docs/*.md'], { cwd: ROOT, exclude: ['docs/moved.md', 'CHANGELOG.md'] }).flatMap(
    (document) =>
      [...readFileSync(join(ROOT, document), 'utf8').matchAll(CITED_PATH)]
        .map(([, path]) => path!)
        .filter((path) => !existsSync(join(ROOT, path)))
        .map((path) => `${document}: ${path}`),
  );
  expect(missing).toEqual([]);
});
