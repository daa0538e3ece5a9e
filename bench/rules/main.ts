import { compileRules, parseRequestPath, prepareRules, resolve } from '@berth/serving';
import { heading, median } from '../processes.ts';

/** The maximum time of a decision with every limit reached, in milliseconds. Source: serving S66. */
const GOAL_MS = 1;
const HOST = 'site.example';
const DECISIONS = 300;

/** Kinds of expensive patterns, with the destination of their rules. */
const PATTERN_KINDS: [name: string, pattern: (n: number) => string, to: string][] = [
  ['stars', (n) => `/section-${n}/*`, '/page'],
  ['placeholders', (n) => `/:a/:b/:c/:d/${n}`, '/page'],
  ['many placeholders and a star', (n) => `/:a/:b/:c/:d/:e/:f/:g/${n}/*`, '/page'],
  ['a long common head', (n) => `/${'a/'.repeat(25)}${n}/*`, '/page'],
  ['a tail', (n) => `/*/a/a/${n}`, '/page'],
  ['all match, none leads to a file', () => '/*', '/missing/:splat'],
];
const LONGEST_PATH = 'a/'.repeat(512);
const PATHS = [LONGEST_PATH, LONGEST_PATH.slice(0, -1), 'literal-9999', 'section-499/x', 'index'];

const arrayOf = <T>(count: number, make: (n: number) => T) => Array.from({ length: count }, (_, n) => make(n));
const manifest = new Set(['index.html', 'page.html', '404.html']);

console.log(
  heading(`every limit of S65 reached, medians of ${DECISIONS} decisions, the slowest of ${PATHS.length} paths`),
);
console.log(
  '| patterns | a decision | goal | compiling, once a deploy | preparing, once a load |\n|---|---|---|---|---|',
);
for (const [name, pattern, to] of PATTERN_KINDS) {
  const startedMs = performance.now();
  const data = compileRules(filesOf(pattern, to), [...manifest], () => {});
  const compiled = performance.now();
  const rules = prepareRules(data);
  const prepared = performance.now();
  const slowest = Math.max(...PATHS.map((path) => median(arrayOf(DECISIONS, () => measureDecision(path, rules)))));
  const verdict = slowest < GOAL_MS ? 'met' : 'MISSED';
  console.log(
    `| ${name} | ${slowest.toFixed(2)} ms | under ${GOAL_MS} ms: ${verdict} | ${(compiled - startedMs).toFixed(0)} ms | ${(prepared - compiled).toFixed(0)} ms |`,
  );
}

function measureDecision(path: string, rules: ReturnType<typeof prepareRules>): number {
  const startedMs = performance.now();
  const request = { method: 'GET', host: HOST, path: parseRequestPath(`/${path}`)!, query: '', accept: undefined };
  resolve(request, { manifest, rules });
  rules.headers.apply(path, [], {
    kind: 'file',
    host: HOST,
    onPlatformDomain: false,
    anonymous: false,
    isProtected: false,
  });
  return performance.now() - startedMs;
}

/** Returns rule files of the maximum size. */
function filesOf(pattern: (n: number) => string, to: string): Parameters<typeof compileRules>[0] {
  const json = (n: number) => pattern(n).replace('*', '(.*)');
  const jsonTo = to.replace(':splat', '$1');
  const lines = [
    ...arrayOf(10_000, (n) => `/literal-${n} /page`),
    ...arrayOf(500, (n) => `${pattern(n)} ${to}/${n} 200`),
  ];
  return {
    _redirects: Buffer.from(lines.join('\n')),
    _headers: Buffer.from(arrayOf(500, (n) => `${pattern(n)}\n  X-A: 1`).join('\n')),
    'ship.json': {
      redirects: arrayOf(2000, (n) => ({ source: `/moved${json(n)}`, destination: `${jsonTo}/${n}` })),
      rewrites: arrayOf(500, (n) => ({ source: json(n), destination: `${jsonTo}/${n}` })),
      headers: arrayOf(500, (n) => ({ source: json(n), headers: [{ key: 'X', value: '1' }] })),
    },
  };
}
