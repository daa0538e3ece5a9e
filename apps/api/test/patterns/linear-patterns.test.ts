import { globSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseSync, Visitor } from 'oxc-parser';
import { describe, expect, it } from 'vitest';

const ROOT = resolve(import.meta.dirname, '../../../..');
const INPUT_LENGTH = 64 * 1024;
/** A quadratic pattern takes seconds on its worst input of this length, a linear one a few milliseconds. */
const MAX_MS = 250;
const TRIES = 3;

/** A regular expression as written in the sources. */
interface Pattern {
  place: string;
  source: string;
  flags: string;
}

/** Every regular expression literal of a source text, and every `RegExp` that is built from other text. */
function patternsOf(file: string, text: string): { literals: Pattern[]; made: string[] } {
  const literals: Pattern[] = [];
  const constructed: string[] = [];
  const place = (start: number) => `${file}:${text.slice(0, start).split('\n').length}`;
  const { program, errors } = parseSync(file, text);
  expect(errors, file).toEqual([]);
  const onMade = ({ callee, start }: { callee: { type: string; name?: string }; start: number }) => {
    if (callee.type === 'Identifier' && callee.name === 'RegExp') constructed.push(place(start));
  };
  new Visitor({
    Literal(node) {
      if ('regex' in node)
        literals.push({ place: place(node.start), source: node.regex.pattern, flags: node.regex.flags });
    },
    CallExpression: (node) => onMade(node as never),
    NewExpression: (node) => onMade(node as never),
  }).visit(program);
  return { literals, made: constructed };
}

const sources = globSync('{apps,packages}/*/src/**/*.{ts,tsx}', {
  cwd: ROOT,
  exclude: ['packages/testing/**'],
}).toSorted();
const found = sources.map((file) => patternsOf(file, readFileSync(resolve(ROOT, file), 'utf8')));
const patterns = [...new Map(found.flatMap(({ literals }) => literals).map((it) => [`/${it.source}/${it.flags}`, it]))];

/** Bounded by steps, not by time, and with one seed: the result is the same on a busy machine. */
const DETERMINISTIC = {
  timeout: null,
  attackTimeout: null,
  incubationTimeout: null,
  seedingTimeout: null,
  randomSeed: 1,
};

/** The checker is one process of JavaScript: it needs no platform-specific program. */
async function check(source: string, flags: string) {
  process.env['RECHECK_BACKEND'] = 'pure';
  const { checkSync } = await import('recheck');
  return checkSync(source, flags, DETERMINISTIC);
}

const UNITS = [' ', '\t', 'a', '0', '.', '/', '-', '"', '\\', '=', ';', '%', ':', '#', '\u00e9', 'a.', '{}', '":'];

/** Inputs with a long run and many beginnings and ends, to find what a checker may miss. */
function* worstInputs(source: string): Generator<string> {
  const literal = source
    .replaceAll(/\\[dDwWsSbB]|[[\](){}?*+|^$]/g, ' ')
    .split(' ')
    .map((text) => text.replaceAll('\\', ''));
  const heads = new Set(['', ...literal]);
  for (const unit of UNITS) for (const head of heads) yield `${head}${unit.repeat(INPUT_LENGTH / unit.length)}\u0000`;
}

/** How long work takes, in milliseconds. Repeated only while it is slow: another process may have had the processor. */
function fastestOf(tries: number, work: () => void): number {
  let fastest = Number.POSITIVE_INFINITY;
  for (let attempt = 0; attempt < tries && fastest > MAX_MS; attempt += 1) {
    const start = performance.now();
    work();
    fastest = Math.min(fastest, performance.now() - start);
  }
  return fastest;
}

describe('S2: every regular expression is linear', () => {
  it('and most of them are found in the sources', () => {
    expect(sources.length).toBeGreaterThan(300);
    expect(patterns.length).toBeGreaterThan(100);
  });

  it.each(patterns)('%s', async (_text, { place, source, flags }) => {
    expect({ place, ...(await check(source, flags)) }).toMatchObject({ status: 'safe' });
  });

  it('for 64 KB of the worst inputs', () => {
    const slow: [string, string, number][] = [];
    for (const [text, { place, source, flags }] of patterns) {
      const pattern = new RegExp(source, flags);
      for (const input of worstInputs(source)) {
        const ms = fastestOf(TRIES, () => input.replace(pattern, ''));
        if (ms > MAX_MS) slow.push([place, text, ms]);
      }
    }
    expect(slow).toEqual([]);
  });

  it.each([String.raw`^a[ \t]*(?:;[ \t]*b[ \t]*)?;?[ \t]*$`, '[. ]+$', '(a+)+$', String.raw`\s+$`])(
    'and the checker finds %s',
    async (source) => {
      expect(await check(source, '')).toMatchObject({ status: 'vulnerable' });
    },
  );

  it('and only the table of DNS providers builds expressions from other text', () => {
    expect(found.flatMap(({ made }) => made).map((place) => place.replace(/:\d+$/, ''))).toEqual([
      'packages/core/src/dns/providers.ts',
    ]);
  });
});
