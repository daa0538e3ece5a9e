import { glob, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '../../..');
const SOURCES = '{apps,bench,examples,packages}/**/*.{ts,tsx}';
const TESTS = '{apps,packages}/*/test/**/*.{ts,tsx}';

/** Names of the documents with rules, as citations use them. */
const DOCUMENTS = ['api', 'desktop', 'security', 'serving', 'storage', 'watching'] as const;

/** Matches a test title: a string literal as the first argument, or after `each(…)`. */
const TITLE =
  /(?:\b(?:describe|it|test(?:Answers)?)(?:\.\w+)*|\))\(\s*(?<quote>['"`])(?<title>(?:\\.|(?!\k<quote>).)*)\k<quote>/gs;
/** Matches a comment. Adjacent line comments are one comment. */
const COMMENT = /(?<![^\s{])(?:\/\*.*?\*\/|\/\/[^\n]*(?:\n[ \t]*\/\/[^\n]*)*)/gs;

const SECTIONS = String.raw`§\d+(?:\.\d+)*(?:, §\d+(?:\.\d+)*)*`;
const REFERENCE = String.raw`(?:§\d+(?:\.\d+)?|[A-Z]\d+(?: to [A-Z]\d+)?)`;
/** Matches the name of a document with references, such as `api §3, §9` or `storage P3 to P6`. */
const CITATION = new RegExp(
  String.raw`\b(?<document>${DOCUMENTS.join('|')}) (?<list>${REFERENCE}(?:, ${REFERENCE})*)`,
  'g',
);
const STANDARD = new RegExp(String.raw`\b(?:RFC \d+|OpenAPI 3\.1) ${SECTIONS}`, 'g');
/** Matches rule tags. `C0` and `C1` are sets of control characters. */
const TAG = /\b(?!C[01]\b)(?<letter>[CDFILPSTW])(?<first>\d{1,2})(?: to \k<letter>(?<last>\d{1,2}))?\b/g;
/** Matches the public standards and URLs in a `Source:`. */
const PUBLIC_SOURCE = new RegExp(String.raw`^(?:RFC \d+(?: ${SECTIONS})?(?:, RFC \d+(?: ${SECTIONS})?)*|https://\S+)$`);
const LISTED_RULES = new RegExp(
  String.raw`^(?<document>${DOCUMENTS.join('|')}) (?<list>${REFERENCE}(?:, ${REFERENCE})*)(?:, steps \d+ to \d+)?$`,
);

interface FoundText {
  text: string;
  file: string;
}

/** The rules of all documents, by tag. */
const rules = new Map<string, { document: string; text: string }>();
/** The sections and numbered list items of all documents, such as `api §3` and `desktop §8.17`. */
const sections = new Set<string>();
const repeatedTags: string[] = [];
for (const document of DOCUMENTS) {
  let section = '';
  for (const line of (await readDocument(`docs/${document}.md`)).split('\n')) {
    const { tag, text, number, item } =
      /^- \*\*(?<tag>[A-Z]\d+)\.(?<text>.*)|^## (?<number>\d+)\. |^(?<item>\d+)\. /.exec(line)?.groups ?? {};
    if (tag !== undefined && rules.has(tag)) repeatedTags.push(tag);
    if (tag !== undefined) rules.set(tag, { document, text: text! });
    if (number !== undefined) section = `${document} §${number}`;
    if (number !== undefined) sections.add(section);
    if (item !== undefined) sections.add(`${section}.${item}`);
  }
}

describe('the documents', () => {
  it.each([
    ['serving', 'S', 66],
    ['security', 'T', 47],
    ['security', 'F', 12],
    ['storage', 'L', 6],
    ['storage', 'P', 10],
    ['storage', 'W', 6],
    ['storage', 'I', 12],
    ['watching', 'D', 9],
  ])('number the rules of %s %s without gaps or repetitions', (document, letter, count) => {
    const tags = [...rules.keys()].filter((tag) => tag.startsWith(letter));
    expect(tags).toEqual(Array.from({ length: count }, (_, index) => `${letter}${index + 1}`));
    expect(tags.filter((tag) => rules.get(tag)!.document !== document)).toEqual([]);
    expect(repeatedTags).toEqual([]);
  });

  it('number the sections of docs/api.md without gaps', () => {
    const sectionNumbers = [...sections]
      .filter((section) => section.startsWith('api'))
      .map((section) => section.slice(5));
    expect(sectionNumbers).toEqual(Array.from({ length: 14 }, (_, index) => `${index + 1}`));
  });

  it('cite only rules and sections that exist', async () => {
    const texts = await findTexts('{docs/*,docs/adr/*,SECURITY,CONTRIBUTING}.md', /.+/gs);
    expect(texts.length).toBeGreaterThan(20);
    expect(texts.flatMap(unknownCitations)).toEqual([]);
  });
});

it('every rule of docs/serving.md is cited by a test title', async () => {
  const citedTags = new Set((await findTexts(TESTS, TITLE)).flatMap(({ text }) => tagsIn(text)));
  const missing = [...rules].filter(([tag, { document }]) => document === 'serving' && !citedTags.has(tag));
  expect(missing.map(([tag, { text }]) => `${tag}:${text}`)).toEqual([]);
});

it.each([
  ['titles of tests', TESTS, TITLE],
  ['comments', SOURCES, COMMENT],
])('%s cite only rules and sections that exist, and public standards', async (_, pattern, part) => {
  const texts = await findTexts(pattern, part);
  expect(texts.filter(({ text }) => text.search(CITATION) >= 0).length).toBeGreaterThan(200);
  expect(texts.flatMap(unknownCitations)).toEqual([]);
  const unreadableCitations = texts.filter(({ text }) =>
    /§\s*\d/.test(text.replaceAll(CITATION, '').replaceAll(STANDARD, '')),
  );
  expect(unreadableCitations).toEqual([]);
});

it('every Source: in a comment names rules of a document, an RFC, or a URL', async () => {
  const citationLists = (await findTexts(SOURCES, COMMENT)).flatMap(({ text, file }) =>
    [...text.matchAll(/\bSource: (.*?)(?:\.(?=\s|$)|$)/g)].map(([, list]) => ({ text: list!, file })),
  );
  expect(citationLists.length).toBeGreaterThan(300);
  const items = citationLists.flatMap(({ text, file }) =>
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

function unknownCitations({ text, file }: FoundText): FoundText[] {
  const citedRules = [...text.matchAll(CITATION)].flatMap(({ groups }) =>
    [...groups!['list']!.matchAll(/§[\d.]*\d/g)].map(([section]) => `${groups!['document']} ${section}`),
  );
  const unknownRules = [
    ...tagsIn(text).filter((tag) => !rules.has(tag)),
    ...citedRules.filter((section) => !sections.has(section)),
  ];
  return unknownRules.map((reference) => ({ text: reference, file }));
}

function tagsIn(text: string): string[] {
  return [...text.matchAll(TAG)].flatMap(({ groups }) => {
    const firstNumber = Number(groups!['first']);
    const lastNumber = Number(groups!['last'] ?? firstNumber);
    return Array.from(
      { length: lastNumber - firstNumber + 1 },
      (_, index) => `${groups!['letter']}${firstNumber + index}`,
    );
  });
}

/** Returns all matches of `part` in the files, each on one line and without comment marks. */
async function findTexts(pattern: string, part: RegExp): Promise<FoundText[]> {
  const exclude = (name: string) => /(?:^|\/)(?:node_modules|dist)$/.test(name);
  const files = await Array.fromAsync(glob(pattern, { cwd: ROOT, exclude }));
  const texts = files.map(async (file) =>
    [...(await readDocument(file)).matchAll(part)].map(({ 0: text, groups }) => ({
      text: groups?.['title'] ?? withoutMarks(text),
      file,
    })),
  );
  return (await Promise.all(texts)).flat();
}

function withoutMarks(comment: string): string {
  return comment.replace(/\s*\*\/$/, '').replaceAll(/\s*\n\s*(?:\*|\/\/)?\s*/g, ' ');
}

function readDocument(path: string): Promise<string> {
  return readFile(join(ROOT, path), 'utf8');
}
