import { glob, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '../../..');
/** A string literal as first argument: the title of a test, or the title after `each(…)`. */
const TITLE = /(?:\b(?:describe|it|test)(?:\.\w+)*|\))\(\s*(?<quote>['"`])(?<title>(?:\\.|(?!\k<quote>).)*)\k<quote>/gs;
/** A comment at the start of a line or after code; only its text matters. */
const COMMENT = /\/\*.*?\*\/|\/\/[^\n]*/gs;
/** One rule, such as `S24`, or several, such as `S8 to S15`. */
const CITATION = /\bS(?<first>\d+)(?: to S(?<last>\d+))?\b/g;

const rules = [...(await read('docs/serving.md')).matchAll(/^- \*\*(S\d+)\.\*\* (.*)$/gm)].map(([, name, text]) => ({
  name: name!,
  text: text!,
}));
const names = rules.map(({ name }) => name);

it('the rules of serving are numbered without gaps or repetitions', () => {
  expect(names).toEqual(Array.from({ length: 66 }, (_, index) => `S${index + 1}`));
});

it('every rule of serving is cited by the title of a test', async () => {
  const cited = new Set((await citations('{apps,packages}/*/test/**/*.test.ts', TITLE)).map(({ name }) => name));
  const missing = rules.filter(({ name }) => !cited.has(name));
  expect(missing.map(({ name, text }) => `${name}: ${text}`)).toEqual([]);
});

it.each([
  ['the title of a test', '{apps,packages}/*/test/**/*.test.ts', TITLE],
  ['a comment', '{apps,packages,bench}/*/{src,test}/**/*.ts', COMMENT],
  ['the document itself', 'docs/serving.md', /.+/gs],
])('only existing rules are cited by %s', async (_, pattern, part) => {
  const found = await citations(pattern, part);
  expect(found.length).toBeGreaterThan(20);
  expect(found.filter(({ name }) => !names.includes(name))).toEqual([]);
});

/** The rules that are cited in these parts of files, and where. */
async function citations(pattern: string, part: RegExp): Promise<{ name: string; file: string }[]> {
  const files = await Array.fromAsync(glob(pattern, { cwd: ROOT }));
  const found = files.map(async (file) => {
    const parts = (await read(file)).matchAll(part).map(([text, , title]) => title ?? text);
    return parts
      .flatMap(rulesIn)
      .map((name) => ({ name, file }))
      .toArray();
  });
  return (await Promise.all(found)).flat();
}

function rulesIn(text: string): string[] {
  return [...text.matchAll(CITATION)].flatMap(({ groups }) => {
    const first = Number(groups!['first']);
    const last = Number(groups!['last'] ?? first);
    return Array.from({ length: last - first + 1 }, (_, index) => `S${first + index}`);
  });
}

function read(path: string): Promise<string> {
  return readFile(join(ROOT, path), 'utf8');
}
