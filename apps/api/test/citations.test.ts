import { glob, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '../../..');
const SOURCES = '{apps,bench,examples,packages}/**/*.{ts,tsx}';
const TESTS = '{apps,packages}/*/test/**/*.{ts,tsx}';

/** The documents with rules, by the name that citations use. */
const DOCUMENTS = ['api', 'desktop', 'security', 'serving', 'storage', 'watching'] as const;

/** A string literal as first argument: the title of a test, or the title after `each(…)`. */
const TITLE =
  /(?:\b(?:describe|it|test(?:Answers)?)(?:\.\w+)*|\))\(\s*(?<quote>['"`])(?<title>(?:\\.|(?!\k<quote>).)*)\k<quote>/gs;
/** A comment at the start of a line or after code. Adjacent line comments are one comment. */
const COMMENT = /(?<![^\s{])(?:\/\*.*?\*\/|\/\/[^\n]*(?:\n[ \t]*\/\/[^\n]*)*)/gs;

const SECTIONS = String.raw`§\d+(?:\.\d+)*(?:, §\d+(?:\.\d+)*)*`;
const REFERENCE = String.raw`(?:§\d+(?:\.\d+)?|[A-Z]\d+(?: to [A-Z]\d+)?)`;
/** References after the name of a document, such as `api §3, §9` or `storage P3 to P6`. */
const CITATION = new RegExp(
  String.raw`\b(?<document>${DOCUMENTS.join('|')}) (?<list>${REFERENCE}(?:, ${REFERENCE})*)`,
  'g',
);
/** Sections of public standards. */
const STANDARD = new RegExp(String.raw`\b(?:RFC \d+|OpenAPI 3\.1) ${SECTIONS}`, 'g');
/** `C0` and `C1` are sets of control characters. */
const TAG = /\b(?!C[01]\b)(?<letter>[CDFILPSTW])(?<first>\d{1,2})(?: to \k<letter>(?<last>\d{1,2}))?\b/g;
/** The items of a `Source:` that are not rules. */
const PUBLIC_SOURCE = new RegExp(String.raw`^(?:RFC \d+(?: ${SECTIONS})?(?:, RFC \d+(?: ${SECTIONS})?)*|https://\S+)$`);
const LISTED_RULES = new RegExp(
  String.raw`^(?<document>${DOCUMENTS.join('|')}) (?<list>${REFERENCE}(?:, ${REFERENCE})*)(?:, steps \d+ to \d+)?$`,
);

interface Found {
  text: string;
  file: string;
}

/** The rules of each document, by tag. */
const rules = new Map<string, { document: string; text: string }>();
/** The sections, and the items of numbered lists in them: `api §3`, `desktop §8.17`. */
const sections = new Set<string>();
const repeated: string[] = [];
for (const document of DOCUMENTS) {
  let section = '';
  for (const line of (await read(`docs/${document}.md`)).split('\n')) {
    const { tag, text, number, item } =
      /^- \*\*(?<tag>[A-Z]\d+)\.(?<text>.*)|^## (?<number>\d+)\. |^(?<item>\d+)\. /.exec(line)?.groups ?? {};
    if (tag !== undefined && rules.has(tag)) repeated.push(tag);
    if (tag !== undefined) rules.set(tag, { document, text: text! });
    if (number !== undefined) section = `${document} §${number}`;
    if (number !== undefined) sections.add(section);
    if (item !== undefined) sections.add(`${section}.${item}`);
  }
}

describe('the documents', () => {
  it.each([
    ['serving', 'S', 66],
    ['security', 'T', 40],
    ['security', 'F', 12],
    ['storage', 'L', 6],
    ['storage', 'P', 10],
    ['storage', 'W', 5],
    ['storage', 'I', 12],
    ['watching', 'D', 9],
  ])('number the rules of %s %s without gaps or repetitions', (document, letter, count) => {
    const tags = [...rules.keys()].filter((tag) => tag.startsWith(letter));
    expect(tags).toEqual(Array.from({ length: count }, (_, index) => `${letter}${index + 1}`));
    expect(tags.filter((tag) => rules.get(tag)!.document !== document)).toEqual([]);
    expect(repeated).toEqual([]);
  });

  it('number the sections of api without gaps', () => {
    const numbers = [...sections].filter((section) => section.startsWith('api')).map((section) => section.slice(5));
    expect(numbers).toEqual(Array.from({ length: 14 }, (_, index) => `${index + 1}`));
  });

  it('cite only rules and sections that exist', async () => {
    const texts = await find('{docs/*,docs/adr/*,SECURITY,CONTRIBUTING}.md', /.+/gs);
    expect(texts.length).toBeGreaterThan(20);
    expect(texts.flatMap(unknownCitations)).toEqual([]);
  });
});

it('every rule of serving is cited by the title of a test', async () => {
  const cited = new Set((await find(TESTS, TITLE)).flatMap(({ text }) => tagsIn(text)));
  const missing = [...rules].filter(([tag, { document }]) => document === 'serving' && !cited.has(tag));
  expect(missing.map(([tag, { text }]) => `${tag}:${text}`)).toEqual([]);
});

it.each([
  ['titles of tests', TESTS, TITLE],
  ['comments', SOURCES, COMMENT],
])('%s cite only rules and sections of the documents, and public standards', async (_, pattern, part) => {
  const texts = await find(pattern, part);
  expect(texts.filter(({ text }) => text.search(CITATION) >= 0).length).toBeGreaterThan(200);
  expect(texts.flatMap(unknownCitations)).toEqual([]);
  const unread = texts.filter(({ text }) => /§\s*\d/.test(text.replaceAll(CITATION, '').replaceAll(STANDARD, '')));
  expect(unread).toEqual([]);
});

it('every Source: of a comment names its document and a rule in it, an RFC, or a URL', async () => {
  const lists = (await find(SOURCES, COMMENT)).flatMap(({ text, file }) =>
    [...text.matchAll(/\bSource: (.*?)(?:\.(?=\s|$)|$)/g)].map(([, list]) => ({ text: list!, file })),
  );
  expect(lists.length).toBeGreaterThan(300);
  const items = lists.flatMap(({ text, file }) =>
    text
      .replaceAll(/ \([^)]*\)/g, '')
      .split(';')
      .map((item) => ({ text: item.trim(), file })),
  );
  expect(items.filter(({ text }) => !PUBLIC_SOURCE.test(text) && !namesItsDocument(text))).toEqual([]);
});

function namesItsDocument(item: string): boolean {
  const { document, list } = LISTED_RULES.exec(item)?.groups ?? {};
  if (list === undefined) return false;
  return tagsIn(list).every((tag) => rules.get(tag)?.document === document);
}

function unknownCitations({ text, file }: Found): Found[] {
  const cited = [...text.matchAll(CITATION)].flatMap(({ groups }) =>
    [...groups!['list']!.matchAll(/§[\d.]*\d/g)].map(([section]) => `${groups!['document']} ${section}`),
  );
  const unknown = [
    ...tagsIn(text).filter((tag) => !rules.has(tag)),
    ...cited.filter((section) => !sections.has(section)),
  ];
  return unknown.map((reference) => ({ text: reference, file }));
}

function tagsIn(text: string): string[] {
  return [...text.matchAll(TAG)].flatMap(({ groups }) => {
    const first = Number(groups!['first']);
    const last = Number(groups!['last'] ?? first);
    return Array.from({ length: last - first + 1 }, (_, index) => `${groups!['letter']}${first + index}`);
  });
}

/** These parts of all files that match, each in one line and without the marks of a comment. */
async function find(pattern: string, part: RegExp): Promise<Found[]> {
  const exclude = (name: string) => /(?:^|\/)(?:node_modules|dist)$/.test(name);
  const files = await Array.fromAsync(glob(pattern, { cwd: ROOT, exclude }));
  const found = files.map(async (file) =>
    [...(await read(file)).matchAll(part)].map(({ 0: text, groups }) => ({
      text: groups?.['title'] ?? withoutMarks(text),
      file,
    })),
  );
  return (await Promise.all(found)).flat();
}

function withoutMarks(comment: string): string {
  return comment.replace(/\s*\*\/$/, '').replaceAll(/\s*\n\s*(?:\*|\/\/)?\s*/g, ' ');
}

function read(path: string): Promise<string> {
  return readFile(join(ROOT, path), 'utf8');
}
