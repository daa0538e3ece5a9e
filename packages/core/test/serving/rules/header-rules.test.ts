import { describe, expect, it } from 'vitest';
import { compileRules, type RuleFiles } from '../../../src/serving/rules/compile.ts';
import { MAX_HEADER_BYTES } from '../../../src/serving/rules/header-rules.ts';
import { prepareRules } from '../../../src/serving/rules/prepare.ts';
import type { HeaderField, RuledAnswer } from '../../../src/serving/rules/rules.ts';

const FILE: RuledAnswer = { kind: 'file', onPlatformDomain: false, anonymous: false, isProtected: false };
const DEFAULTS: readonly HeaderField[] = [
  ['Content-Type', 'text/html; charset=utf-8'],
  ['Cache-Control', 'public, max-age=0, must-revalidate'],
  ['Vary', 'Accept-Encoding'],
  ['Referrer-Policy', 'strict-origin-when-cross-origin'],
  ['Origin-Agent-Cluster', '?1'],
  ['Allow', 'GET, HEAD, OPTIONS'],
];

interface Sketch {
  lines?: string;
  json?: { source: string; headers: Record<string, string> }[];
}

function rulesOf({ lines, json }: Sketch) {
  const files: RuleFiles = {};
  if (lines !== undefined) files._headers = new TextEncoder().encode(lines);
  if (json)
    files['ship.json'] = {
      headers: json.map(({ source, headers }) => ({
        source,
        headers: Object.entries(headers).map(([key, value]) => ({ key, value })),
      })),
    };
  return prepareRules(compileRules(files, [], () => {})).headers;
}

/** What rules make of the defaults: the fields that differ, `null` for one that is gone. */
function changes(sketch: Sketch, path = 'a', answer: RuledAnswer = FILE): Record<string, string | null> {
  const fields = rulesOf(sketch).apply(path, DEFAULTS, answer);
  const names = fields.map(([name]) => name.toLowerCase());
  expect(names).toEqual([...new Set(names)]);
  const left = new Map(fields);
  const gone = DEFAULTS.filter(([name]) => !left.has(name)).map(([name]) => [name, null] as const);
  const changed = fields.filter(([name, value]) => DEFAULTS.every((field) => field[0] !== name || field[1] !== value));
  return Object.fromEntries([...changed, ...gone]);
}

describe('which rules apply to a path (S32, S33)', () => {
  it('every block of _headers that matches, in order; equal names join', () => {
    const lines = '/*\n  X-A: 1\n/a\n  x-a: 2\n  X-B: b\n/b\n  X-C: c\n/:any\n  X-A: 3\n  X-A: 4';
    expect(changes({ lines })).toEqual({ 'X-A': '1, 2, 3, 4', 'X-B': 'b' });
    expect(changes({ lines }, 'b/c')).toEqual({ 'X-A': '1' });
  });

  it('every entry of ship.json that matches; a later value replaces', () => {
    const json: Sketch['json'] = [
      { source: '/(.*)', headers: { 'X-A': '1', 'X-B': '1' } },
      { source: '/a', headers: { 'x-a': '2' } },
      { source: '/b', headers: { 'X-A': '3' } },
    ];
    expect(changes({ json })).toEqual({ 'x-a': '2', 'X-B': '1' });
  });

  it('a name set in both takes the value of ship.json', () => {
    const sketch = {
      lines: '/*\n  X-A: 1\n  X-B: 1\n  ! X-C',
      json: [{ source: '/a', headers: { 'X-A': '2', 'X-C': '2' } }],
    };
    expect(changes(sketch)).toEqual({ 'X-A': '2', 'X-B': '1', 'X-C': '2' });
    expect(changes(sketch, 'b')).toEqual({ 'X-A': '1', 'X-B': '1' });
  });

  it('a final slash makes no difference, and the front page is a path', () => {
    const lines = '/a/\n  X-A: 1\n/\n  X-Front: 1';
    expect(changes({ lines }, 'a/')).toEqual({ 'X-A': '1' });
    expect(changes({ lines }, '')).toEqual({ 'X-Front': '1' });
  });
});

describe('removal (S33, S34)', () => {
  it.each<[string, Record<string, string | null>]>([
    ['X-A: 1\n! X-A', {}],
    ['X-A: 1\n! x-a\nX-A: 2', { 'X-A': '2' }],
    ['! X-A\nX-A: 1', { 'X-A': '1' }],
    ['! Referrer-Policy\n! origin-agent-cluster', { 'Referrer-Policy': null, 'Origin-Agent-Cluster': null }],
    ['! Referrer-Policy\nReferrer-Policy: no-referrer', { 'Referrer-Policy': 'no-referrer' }],
    ['Cache-Control: no-store\n! Cache-Control', {}],
    ['! Cache-Control', {}],
    ['! Content-Type', {}],
    ['Cache-Control: a\n! Cache-Control\nCache-Control: b', { 'Cache-Control': 'b' }],
    ['Vary: X\n! Vary', {}],
    ['! Allow', {}],
  ])('%j', (block, expected) => {
    expect(changes({ lines: `/*\n${block}` })).toEqual(expected);
  });
});

describe('what may be set (S34)', () => {
  it.each<[string, Record<string, string | null>]>([
    ['Content-Type: text/plain', { 'Content-Type': 'text/plain' }],
    ['cache-control: no-store', { 'Cache-Control': 'no-store' }],
    ['Referrer-Policy: no-referrer', { 'Referrer-Policy': 'no-referrer' }],
    ['Origin-Agent-Cluster: ?0', { 'Origin-Agent-Cluster': '?0' }],
    ['Allow: POST', {}],
    ['Vary: Origin', { Vary: 'Accept-Encoding, Origin' }],
    ['Vary: origin, ACCEPT-ENCODING\nVary: Origin, X', { Vary: 'Accept-Encoding, origin, X' }],
    ['Strict-Transport-Security: max-age=1', { 'Strict-Transport-Security': 'max-age=1' }],
  ])('%j', (block, expected) => {
    expect(changes({ lines: `/*\n${block}` })).toEqual(expected);
  });

  it('Vary of ship.json is added too', () => {
    const sketch = { lines: '/*\n  Vary: A', json: [{ source: '/a', headers: { Vary: 'B' } }] };
    expect(changes(sketch)).toEqual({ Vary: 'Accept-Encoding, A, B' });
  });

  it('what the answer has none of by default is a field of its own', () => {
    expect(rulesOf({ lines: '/*\n  Vary: A\n  Cache-Control: no-store' }).apply('a', [], FILE)).toEqual([
      ['Vary', 'A'],
      ['Cache-Control', 'no-store'],
    ]);
  });
});

describe('which answer takes which header (S32, S35, S43)', () => {
  const lines = [
    '/*',
    'Cache-Control: no-cache',
    'X-A: 1',
    'X-Robots-Tag: all',
    'Clear-Site-Data: "cache"',
    'Strict-Transport-Security: max-age=1',
    'Access-Control-Allow-Origin: *',
    'Content-Type: text/plain',
    '! Referrer-Policy',
  ].join('\n');
  const all = {
    'Cache-Control': 'no-cache',
    'X-A': '1',
    'X-Robots-Tag': 'all',
    'Clear-Site-Data': '"cache"',
    'Strict-Transport-Security': 'max-age=1',
    'Access-Control-Allow-Origin': '*',
    'Content-Type': 'text/plain',
    'Referrer-Policy': null,
  };
  const without = (...names: string[]) =>
    Object.fromEntries(Object.entries(all).filter(([name]) => !names.includes(name)));

  it.each<[string, Partial<RuledAnswer>, Record<string, string | null>]>([
    ['a file on a domain', {}, all],
    ['the answer to OPTIONS', { kind: 'options' }, all],
    ['a redirect: only Cache-Control', { kind: 'redirect' }, { 'Cache-Control': 'no-cache' }],
    ['a not-found page: all but Cache-Control', { kind: 'not-found' }, without('Cache-Control')],
    [
      'a name below the platform domain',
      { onPlatformDomain: true },
      without('Clear-Site-Data', 'Strict-Transport-Security'),
    ],
    ['an anonymous deployment', { anonymous: true }, without('X-Robots-Tag')],
    [
      'a protected site',
      { isProtected: true },
      without('X-Robots-Tag', 'Cache-Control', 'Access-Control-Allow-Origin'),
    ],
    ['a redirect of a protected site', { kind: 'redirect', isProtected: true }, {}],
  ])('%s', (_, answer, expected) => {
    expect(changes({ lines }, 'a', { ...FILE, ...answer })).toEqual(expected);
  });

  it.each(
    [
      'CDN-Cache-Control Surrogate-Control Cloudflare-CDN-Cache-Control Vercel-CDN-Cache-Control Surrogate-Key Pragma',
      'Netlify-CDN-Cache-Control Fastly-Cache-Control X-Cache-Control Expires Edge-Control Edge-Cache-Tag Cache-Tag',
      'Akamai-Cache-Control X-Cache-TTL cdn-cache-control EXPIRES',
    ].flatMap((names) => names.split(' ')),
  )('%s from a rule is sent by a public site and left out by a protected one (S35)', (name) => {
    const rule = { lines: `/*\n${name}: max-age=600` };
    expect(changes(rule, 'a', FILE)).toEqual({ [name]: 'max-age=600' });
    for (const kind of ['file', 'options', 'redirect', 'not-found'] as const)
      expect(changes(rule, 'a', { ...FILE, kind, isProtected: true })).toEqual({});
  });

  it('a default of the service stays as it is where the rule counts for nothing', () => {
    const robots = [['X-Robots-Tag', 'noindex']] as const;
    for (const block of ['X-Robots-Tag: all', '! X-Robots-Tag'])
      for (const site of [{ anonymous: true }, { isProtected: true }])
        expect(rulesOf({ lines: `/*\n${block}` }).apply('a', robots, { ...FILE, ...site })).toEqual(robots);
  });
});

describe('how much rules add to one answer (S65)', () => {
  it('8 KiB together; what does not fit is left out', () => {
    const entry = (name: string, bytes: number) => ({
      source: '/a',
      headers: { [name]: 'x'.repeat(bytes - name.length - 4) },
    });
    expect(Object.keys(changes({ json: [entry('A', 8000), entry('B', 192)] }))).toEqual(['A', 'B']);
    expect(Object.keys(changes({ json: [entry('A', 8000), entry('B', 193), entry('C', 100)] }))).toEqual(['A', 'C']);
    expect(changes({ json: [entry('Cache-Control', MAX_HEADER_BYTES + 1)] })).toEqual({});
  });
});

it('a site without header rules has nothing to apply', () => {
  const rules = prepareRules(null).headers;
  expect(rules.isEmpty).toBe(true);
  expect(rules.apply('a', DEFAULTS, FILE)).toBe(DEFAULTS);
  expect(rulesOf({ lines: '/b\n  X-A: 1' }).isEmpty).toBe(false);
  expect(rulesOf({ lines: '/b\n  X-A: 1' }).apply('a', DEFAULTS, FILE)).toBe(DEFAULTS);
});
