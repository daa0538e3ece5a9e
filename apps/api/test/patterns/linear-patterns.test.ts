import { globSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseSync, Visitor } from 'oxc-parser';
import { describe, expect, it } from 'vitest';

const ROOT = resolve(import.meta.dirname, '../../../..');
const INPUT_LENGTH = 64 * 1024;
/** A quadratic pattern takes seconds on its worst input of this length, a linear one only a few milliseconds. */
const MAX_MS = 250;
const TRIES = 3;

interface Pattern {
  position: string;
  source: string;
  flags: string;
}

/** Finds all regular expression literals in a source text, and the places that build a `RegExp` from other text. */
function patternsOf(file: string, text: string): { literals: Pattern[]; constructed: string[] } {
  const literals: Pattern[] = [];
  const constructedPatterns: string[] = [];
  const positionOf = (start: number) => `${file}:${text.slice(0, start).split('\n').length}`;
  const { program, errors } = parseSync(file, text);
  expect(errors, file).toEqual([]);
  const onConstructorCall = ({ callee, start }: { callee: { type: string; name?: string }; start: number }) => {
    if (callee.type === 'Identifier' && callee.name === 'RegExp') constructedPatterns.push(positionOf(start));
  };
  new Visitor({
    Literal(node) {
      if ('regex' in node)
        literals.push({ position: positionOf(node.start), source: node.regex.pattern, flags: node.regex.flags });
    },
    CallExpression: (node) => onConstructorCall(node as never),
    NewExpression: (node) => onConstructorCall(node as never),
  }).visit(program);
  return { literals, constructed: constructedPatterns };
}

const sources = globSync('{apps,packages}/*/src/**/*.{ts,tsx}', {
  cwd: ROOT,
  exclude: ['packages/testing/**'],
}).toSorted();
const patternsByFile = sources.map((file) => patternsOf(file, readFileSync(resolve(ROOT, file), 'utf8')));
const patterns = [
  ...new Map(
    patternsByFile
      .flatMap(({ literals }) => literals)
      .map((pattern) => [`/${pattern.source}/${pattern.flags}`, pattern]),
  ),
];

/** Limits of the checker in steps instead of time, with a fixed seed, so that a busy machine gets the same result. */
const CHECKER_OPTIONS = {
  timeout: null,
  attackTimeout: null,
  incubationTimeout: null,
  seedingTimeout: null,
  randomSeed: 1,
};

/** Checks a pattern with the program for this platform, which takes a quarter of the time of the one in JavaScript, if there is one. */
async function checkPattern(source: string, flags: string) {
  process.env['RECHECK_BACKEND'] = 'auto';
  const { checkSync } = await import('recheck');
  return checkSync(source, flags, CHECKER_OPTIONS);
}

const UNITS = [' ', '\t', 'a', '0', '.', '/', '-', '"', '\\', '=', ';', '%', ':', '#', '\u00e9', 'a.', '{}', '":'];

/** Yields long inputs that repeat one unit after each literal of the pattern, to find what the checker may miss. */
function* worstInputs(source: string): Generator<string> {
  const literal = source
    .replaceAll(/\\[dDwWsSbB]|[[\](){}?*+|^$]/g, ' ')
    .split(' ')
    .map((text) => text.replaceAll('\\', ''));
  const inputHeads = new Set(['', ...literal]);
  for (const unit of UNITS)
    for (const head of inputHeads) yield `${head}${unit.repeat(INPUT_LENGTH / unit.length)}\u0000`;
}

/** Returns the shortest duration in milliseconds. Slow work is repeated, because another process may be busy. */
function fastestOf(maxTries: number, work: () => void): number {
  let fastestMs = Number.POSITIVE_INFINITY;
  for (let attempt = 0; attempt < maxTries && fastestMs > MAX_MS; attempt += 1) {
    const start = performance.now();
    work();
    fastestMs = Math.min(fastestMs, performance.now() - start);
  }
  return fastestMs;
}

describe('S2: every regular expression in the sources', () => {
  it('is found by the test', () => {
    expect(sources.length).toBeGreaterThan(300);
    expect(patterns.length).toBeGreaterThan(100);
  });

  it.each(patterns)('is linear according to the checker: %s', async (_text, { position, source, flags }) => {
    expect({ position, ...(await checkPattern(source, flags)) }).toMatchObject({ status: 'safe' });
  });

  it('is linear for 64 KB of the worst inputs', () => {
    const slowPatterns: [string, string, number][] = [];
    for (const [text, { position, source, flags }] of patterns) {
      const pattern = new RegExp(source, flags);
      for (const input of worstInputs(source)) {
        const ms = fastestOf(TRIES, () => input.replace(pattern, ''));
        if (ms > MAX_MS) slowPatterns.push([position, text, ms]);
      }
    }
    expect(slowPatterns).toEqual([]);
  });

  it.each([String.raw`^a[ \t]*(?:;[ \t]*b[ \t]*)?;?[ \t]*$`, '[. ]+$', '(a+)+$', String.raw`\s+$`])(
    'is linear according to a checker that recognises slow patterns such as %s',
    async (source) => {
      expect(await checkPattern(source, '')).toMatchObject({ status: 'vulnerable' });
    },
  );

  it('is a literal, except in the table of DNS providers', () => {
    expect(patternsByFile.flatMap(({ constructed }) => constructed).map((text) => text.replace(/:\d+$/, ''))).toEqual([
      'packages/core/src/dns/providers.ts',
    ]);
  });
});
