import { describe, expect, it } from 'vitest';
import { compileRules, type RuleFiles } from '../../src/rules/compile.ts';
import { MAX_RESPONSE_HEADER_BYTES } from '../../src/rules/header-rules.ts';
import { prepareRules } from '../../src/rules/prepare.ts';
import type { HeaderField, RuledAnswer } from '../../src/rules/rules.ts';

const FILE: RuledAnswer = {
  kind: 'file',
  host: 'site.example',
  onPlatformDomain: false,
  anonymous: false,
  isProtected: false,
};
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

/** Returns the fields that rules change, with `null` for a removed field. */
function changes(sketch: Sketch, path = 'a', answer: RuledAnswer = FILE): Record<string, string | null> {
  const fields = rulesOf(sketch).apply(path, DEFAULTS, answer);
  const names = fields.map(([name]) => name.toLowerCase());
  expect(names).toEqual([...new Set(names)]);
  const remainingFields = new Map(fields);
  const removedFields = DEFAULTS.filter(([name]) => !remainingFields.has(name)).map(([name]) => [name, null] as const);
  const changedFields = fields.filter(([name, value]) =>
    DEFAULTS.every((field) => field[0] !== name || field[1] !== value),
  );
  return Object.fromEntries([...changedFields, ...removedFields]);
}

describe('the header rules for a path (S32, S33)', () => {
  it('are all matching blocks of _headers in order, whose values for equal names are joined', () => {
    const lines = '/*\n  X-A: 1\n/a\n  x-a: 2\n  X-B: b\n/b\n  X-C: c\n/:any\n  X-A: 3\n  X-A: 4';
    expect(changes({ lines })).toEqual({ 'X-A': '1, 2, 3, 4', 'X-B': 'b' });
    expect(changes({ lines }, 'b/c')).toEqual({ 'X-A': '1' });
  });

  it('are all matching entries of ship.json, of which a later value replaces an earlier value', () => {
    const json: Sketch['json'] = [
      { source: '/(.*)', headers: { 'X-A': '1', 'X-B': '1' } },
      { source: '/a', headers: { 'x-a': '2' } },
      { source: '/b', headers: { 'X-A': '3' } },
    ];
    expect(changes({ json })).toEqual({ 'x-a': '2', 'X-B': '1' });
  });

  it('use the value of ship.json for a header that both files set', () => {
    const siteSketch = {
      lines: '/*\n  X-A: 1\n  X-B: 1\n  ! X-C',
      json: [{ source: '/a', headers: { 'X-A': '2', 'X-C': '2' } }],
    };
    expect(changes(siteSketch)).toEqual({ 'X-A': '2', 'X-B': '1', 'X-C': '2' });
    expect(changes(siteSketch, 'b')).toEqual({ 'X-A': '1', 'X-B': '1' });
  });

  it('use the value of the last block for a header that has only one value, and join the values of other headers', () => {
    const blockOf = (n: number) =>
      ['X-Frame-Options', 'Content-Type', 'Access-Control-Allow-Origin', 'Referrer-Policy', 'Link', 'X-Robots-Tag']
        .map((name) => `  ${name}: ${n}\n`)
        .join('');
    expect(changes({ lines: `/*\n${blockOf(1)}/a\n${blockOf(2)}` })).toEqual({
      'X-Frame-Options': '2',
      'Content-Type': '2',
      'Access-Control-Allow-Origin': '2',
      'Referrer-Policy': '2',
      Link: '1, 2',
      'X-Robots-Tag': '1, 2',
    });
  });

  it('join the lines of Cache-Control in one block, which replace those of earlier blocks', () => {
    const lines =
      '/*\n  Cache-Control: max-age=0\n  cache-control: no-cache\n' +
      '/a\n  Cache-Control: public\n  Cache-Control: max-age=600\n  CDN-Cache-Control: no-store\n' +
      '/:any\n  CDN-Cache-Control: max-age=1';
    expect(changes({ lines }, 'b/c')).toEqual({ 'Cache-Control': 'max-age=0, no-cache' });
    expect(changes({ lines })).toEqual({ 'Cache-Control': 'public, max-age=600', 'CDN-Cache-Control': 'max-age=1' });
  });

  it('include the blocks of the requested host, and no other host (S30)', () => {
    const lines = '/*\n  X-A: 1\nhttps://site.example/*\n  X-A: 2\nhttps://www.site.example/*\n  X-A: 3';
    expect(changes({ lines })).toEqual({ 'X-A': '1, 2' });
    expect(changes({ lines }, 'a', { ...FILE, host: 'www.site.example' })).toEqual({ 'X-A': '1, 3' });
    expect(changes({ lines }, 'a', { ...FILE, host: 'other.example' })).toEqual({ 'X-A': '1' });
  });

  it('include the blocks of a host with a placeholder, whose label values can contain (S30)', () => {
    const lines = 'https://:version.site.example/:page\n  X-A: :version of :page';
    expect(changes({ lines }, 'docs', { ...FILE, host: 'v2.site.example' })).toEqual({ 'X-A': 'v2 of docs' });
    expect(changes({ lines }, 'docs')).toEqual({});
  });

  it('do not depend on a trailing slash, and / is the front page', () => {
    const lines = '/a/\n  X-A: 1\n/\n  X-Front: 1';
    expect(changes({ lines }, 'a/')).toEqual({ 'X-A': '1' });
    expect(changes({ lines }, '')).toEqual({ 'X-Front': '1' });
  });
});

describe('a block that removes headers (S33, S34)', () => {
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
  ])('such as %j results in the changes %j', (block, expected) => {
    expect(changes({ lines: `/*\n${block}` })).toEqual(expected);
  });
});

describe('a block that sets headers with a default (S34)', () => {
  it.each<[string, Record<string, string | null>]>([
    ['Content-Type: text/plain', { 'Content-Type': 'text/plain' }],
    ['cache-control: no-store', { 'Cache-Control': 'no-store' }],
    ['Referrer-Policy: no-referrer', { 'Referrer-Policy': 'no-referrer' }],
    ['Origin-Agent-Cluster: ?0', { 'Origin-Agent-Cluster': '?0' }],
    ['Allow: POST', {}],
    ['Vary: Origin', { Vary: 'Accept-Encoding, Origin' }],
    ['Vary: origin, ACCEPT-ENCODING\nVary: Origin, X', { Vary: 'Accept-Encoding, origin, X' }],
    ['Strict-Transport-Security: max-age=1', { 'Strict-Transport-Security': 'max-age=1' }],
  ])('such as %j results in the changes %j', (block, expected) => {
    expect(changes({ lines: `/*\n${block}` })).toEqual(expected);
  });

  it('of ship.json appends to Vary, too', () => {
    const siteSketch = { lines: '/*\n  Vary: A', json: [{ source: '/a', headers: { Vary: 'B' } }] };
    expect(changes(siteSketch)).toEqual({ Vary: 'Accept-Encoding, A, B' });
  });

  it('adds a new field for a header without a default', () => {
    expect(rulesOf({ lines: '/*\n  Vary: A\n  Cache-Control: no-store' }).apply('a', [], FILE)).toEqual([
      ['Vary', 'A'],
      ['Cache-Control', 'no-store'],
    ]);
  });
});

describe('the headers that rules can set (S32, S35, S43)', () => {
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
  const allFields = {
    'Cache-Control': 'no-cache',
    'X-A': '1',
    'X-Robots-Tag': 'all',
    'Clear-Site-Data': '"cache"',
    'Strict-Transport-Security': 'max-age=1',
    'Access-Control-Allow-Origin': '*',
    'Content-Type': 'text/plain',
    'Referrer-Policy': null,
  };
  const withoutFields = (...names: string[]) =>
    Object.fromEntries(Object.entries(allFields).filter(([name]) => !names.includes(name)));

  it.each<[string, Partial<RuledAnswer>, Record<string, string | null>]>([
    ['a file on a domain', {}, allFields],
    ['the response to OPTIONS', { kind: 'options' }, allFields],
    ['a redirect: only Cache-Control', { kind: 'redirect' }, { 'Cache-Control': 'no-cache' }],
    ['a not-found page: all but Cache-Control', { kind: 'not-found' }, withoutFields('Cache-Control')],
    [
      'a name below the platform domain',
      { onPlatformDomain: true },
      withoutFields('Clear-Site-Data', 'Strict-Transport-Security'),
    ],
    ['an anonymous deployment', { anonymous: true }, withoutFields('X-Robots-Tag')],
    [
      'a protected site',
      { isProtected: true },
      withoutFields('X-Robots-Tag', 'Cache-Control', 'Access-Control-Allow-Origin'),
    ],
    ['a redirect of a protected site', { kind: 'redirect', isProtected: true }, {}],
  ])('depend on the kind of response: %s', (_, answer, expected) => {
    expect(changes({ lines }, 'a', { ...FILE, ...answer })).toEqual(expected);
  });

  it.each(
    [
      'CDN-Cache-Control Surrogate-Control Cloudflare-CDN-Cache-Control Vercel-CDN-Cache-Control Surrogate-Key Pragma',
      'Netlify-CDN-Cache-Control Fastly-Cache-Control X-Cache-Control Expires Edge-Control Edge-Cache-Tag Cache-Tag',
      'Akamai-Cache-Control X-Cache-TTL cdn-cache-control EXPIRES',
    ].flatMap((names) => names.split(' ')),
  )('include %s on a public site, but not on a protected site (S35)', (name) => {
    const rule = { lines: `/*\n${name}: max-age=600` };
    expect(changes(rule, 'a', FILE)).toEqual({ [name]: 'max-age=600' });
    for (const responseKind of ['file', 'options', 'redirect', 'not-found'] as const)
      expect(changes(rule, 'a', { ...FILE, kind: responseKind, isProtected: true })).toEqual({});
  });

  it('leave the default of the service unchanged if the rule does not apply', () => {
    const robots = [['X-Robots-Tag', 'noindex']] as const;
    for (const block of ['X-Robots-Tag: all', '! X-Robots-Tag'])
      for (const site of [{ anonymous: true }, { isProtected: true }])
        expect(rulesOf({ lines: `/*\n${block}` }).apply('a', robots, { ...FILE, ...site })).toEqual(robots);
  });
});

describe('captures in the values of headers (S24)', () => {
  it.each<[Sketch, path: string, Record<string, string>]>([
    [
      { lines: '/*\n  Link: <https://a.example/:splat>; rel="canonical"' },
      'b/c d',
      { Link: '<https://a.example/b/c%20d>; rel="canonical"' },
    ],
    [{ lines: '/:lang/*\n  X-A: :lang-:splat' }, 'de/a', { 'X-A': 'de-a' }],
    [
      { lines: '/:lang/*\n  X-A: :language :other https://x.example:8080' },
      'de/a',
      { 'X-A': ':language :other https://x.example:8080' },
    ],
    [{ lines: '/a\n  X-A: :splat $1' }, 'a', { 'X-A': ':splat $1' }],
    [{ lines: '/*\n  X-A: :splat' }, 'a,b;c"\u00e9\r', { 'X-A': 'a%2Cb%3Bc%22%C3%A9%0D' }],
    [
      { json: [{ source: '/x/:path*', headers: { 'X-A': '/:path* $1 :path $2' } }] },
      'x/a/b',
      { 'X-A': '/a/b a/b a/b $2' },
    ],
  ])('are filled in, encoded, if the pattern has them: %j for /%s', (sketch, path, expected) => {
    expect(changes(sketch, path)).toEqual(expected);
  });

  it('make a field be omitted if they make it too long (S65)', () => {
    const siteSketch = { lines: `/*\n  X-A: ${':splat'.repeat(300)}\n  X-B: :splat` };
    expect(changes(siteSketch, 'x'.repeat(1000))).toEqual({ 'X-B': 'x'.repeat(1000) });
    expect(changes({ lines: `/*\n  X-A: ${':splat'.repeat(300)}` }, '')).toEqual({ 'X-A': '' });
  });
});

describe('the size of the headers that rules add to a response (S65)', () => {
  it('is at most 8 KiB; fields that do not fit are omitted', () => {
    const entry = (name: string, bytes: number) => ({
      source: '/a',
      headers: { [name]: 'x'.repeat(bytes - name.length - 4) },
    });
    expect(Object.keys(changes({ json: [entry('A', 8000), entry('B', 192)] }))).toEqual(['A', 'B']);
    expect(Object.keys(changes({ json: [entry('A', 8000), entry('B', 193), entry('C', 100)] }))).toEqual(['A', 'C']);
    expect(changes({ json: [entry('Cache-Control', MAX_RESPONSE_HEADER_BYTES + 1)] })).toEqual({});
  });
});

it('the headers of a response stay the same if no header rule matches', () => {
  const rules = prepareRules(null).headers;
  expect(rules.isEmpty).toBe(true);
  expect(rules.apply('a', DEFAULTS, FILE)).toBe(DEFAULTS);
  expect(rulesOf({ lines: '/b\n  X-A: 1' }).isEmpty).toBe(false);
  expect(rulesOf({ lines: '/b\n  X-A: 1' }).apply('a', DEFAULTS, FILE)).toBe(DEFAULTS);
});
