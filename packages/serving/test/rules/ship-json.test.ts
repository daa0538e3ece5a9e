import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Fault } from '../../src/rules/fault.ts';
import { parseShipJson, readShipJson } from '../../src/rules/ship-json.ts';
import { collectWarnings, formatHeaders, formatRule } from './rule-texts.ts';

function read(json: Record<string, unknown>) {
  const { warn, warnings } = collectWarnings();
  const rules = readShipJson(json, warn);
  const results = [
    ...[...rules.redirects, ...rules.rewrites].map(({ rule }) => formatRule(rule)),
    ...rules.headers.map(({ rule }) => formatHeaders(rule)),
  ];
  return { ...rules, results, warnings };
}

const redirect = (rest: Record<string, unknown>) => ({ source: '/a', destination: '/b', ...rest });

describe('a redirect of ship.json (S25)', () => {
  it.each<readonly [rest: Record<string, unknown>, result: string]>([
    [{}, '/a -> 308 /b'],
    [{ permanent: true }, '/a -> 308 /b'],
    [{ permanent: false }, '/a -> 307 /b'],
    ...[301, 302, 303, 307, 308].map((code) => [{ statusCode: code }, `/a -> ${code} /b`] as const),
    [{ permanent: true, statusCode: 302 }, '/a -> 302 /b'],
    [{ source: '/(.*)', destination: 'https://b.example/$1' }, '/* -> 308 https://b.example/{0}'],
    [{ source: '/old/:path*', destination: '/new/:path*' }, '/old/* -> 308 /new/{0}'],
    [{ source: '/:lang/(.*)', destination: '/$1?l=:lang#x' }, '/:/* -> 308 /{1}?l={0}#x'],
  ])('with the properties %j is read as %s', (rest, expected) => {
    expect(read({ redirects: [redirect(rest)] })).toMatchObject({ results: [expected], warnings: [] });
  });
});

describe('in a ship.json (S25, S33)', () => {
  it('a rewrite has the status 200', () => {
    expect(read({ rewrites: [{ source: '/(.*)', destination: '/index.html' }] }).results).toEqual([
      '/* -> 200 /index.html',
    ]);
  });

  it('an entry of headers contains a list of header fields, and replaces earlier values', () => {
    const headers = ['X-A', 'X-B'].map((key) => ({ key, value: ' 1 ' }));
    const answer = read({ headers: [{ source: '/assets/(.*)', headers }] });
    expect(answer).toMatchObject({ results: ['/assets/*: X-A=1 X-B=1'], warnings: [] });
    expect(answer.headers).toMatchObject([{ rule: { replaces: true } }]);
  });
});

describe('a ship.json that was a vercel.json (S23, S35)', () => {
  it('names the keys that replace the old key routes', () => {
    expect(read({ routes: [{ src: '/a', dest: '/b' }] }).warnings).toEqual([
      'routes: Skipped: this is the old form; write its entries as redirects, rewrites and headers.',
    ]);
  });

  it('can have the usual sources of a rewrite in a single-page app (S24)', () => {
    const sources = [
      '/((?!api/).*)',
      '/((?!api|assets|favicon\\.ico).*)',
      '/:path((?!api/.*).*)',
      '/(.*)',
      '/:path*',
      '/:path(.*)',
      '/',
    ];
    const json = { rewrites: sources.map((source) => ({ source, destination: '/index.html' })) };
    expect(read(json).warnings).toEqual([]);
    expect(read({ rewrites: [{ source: '/:path((?!api/).*)', destination: '/app/:path' }] }).results).toEqual([
      '/* -> 200 /app/{0}',
    ]);
  });

  it('can have $schema, and X-Content-Type-Options: nosniff, which every response has, without a warning', () => {
    const headers = [{ key: 'X-Content-Type-Options', value: 'nosniff' }];
    const json = { $schema: 'https://openapi.vercel.sh/vercel.json', headers: [{ source: '/(.*)', headers }] };
    expect(read(json)).toMatchObject({ results: [], warnings: [] });
  });
});

describe('the settings of a ship.json (S15, S16)', () => {
  it.each([
    [{}, false, null],
    [{ cleanUrls: true }, true, null],
    [{ trailingSlash: false }, false, false],
    [{ trailingSlash: true, cleanUrls: false }, false, true],
  ])('%j are read as cleanUrls %s and trailingSlash %s', (json, cleanUrls, trailingSlash) => {
    expect(read(json)).toMatchObject({ cleanUrls, trailingSlash, warnings: [] });
  });

  it('are skipped if they are not true or false', () => {
    const warnings = ['cleanUrls', 'trailingSlash'].map((key) => `${key}: Skipped: the value must be true or false.`);
    const json = { trailingSlash: null, cleanUrls: 'true' };
    expect(read(json)).toMatchObject({ cleanUrls: false, trailingSlash: null, warnings });
  });
});

describe('a fault in a ship.json (S23, S30)', () => {
  const header = (rest: Record<string, unknown>) => ({
    headers: [{ source: '/a', headers: [{ key: 'X', value: '1', ...rest }] }],
  });
  it.each<[start: string, files: Record<string, unknown>[]]>([
    ['functions: ', [{ functions: {} }]],
    ['"__proto__x y": ', [{ ['__proto__x y']: 1 }]],
    ['__proto__: ', [JSON.parse('{"__proto__": {"cleanUrls": true}}')]],
    ['redirects: ', [{ redirects: {} }]],
    ['rewrites: ', [{ redirects: null, rewrites: 'x' }]],
    ['headers: ', [{ headers: 1 }]],
    ['redirects[0]: ', [{ redirects: [null] }, { redirects: [['/a', '/b']] }]],
    ['redirects[0].source: ', [{ redirects: [{ destination: '/b' }] }, { redirects: [redirect({ source: '/*' })] }]],
    ['redirects[0].source: ', [{ redirects: [redirect({ source: 1 })] }]],
    ['redirects[0].destination: ', [{ redirects: [{ source: '/a' }] }]],
    ['redirects[0].destination: ', [{ redirects: [redirect({ destination: '//b.example' })] }]],
    ['redirects[0].permanent: ', [{ redirects: [redirect({ permanent: 'yes' })] }]],
    ['redirects[0].permanent: ', [{ redirects: [redirect({ permanent: 'yes', statusCode: 301 })] }]],
    [
      'redirects[0].statusCode: ',
      [200, 300, 304, 404, 500, '301', null, 301.5].map((statusCode) => ({ redirects: [redirect({ statusCode })] })),
    ],
    ['redirects[0]: Skipped: "has"', [{ redirects: [redirect({ has: [{ type: 'host', value: 'x' }] })] }]],
    ['redirects[0]: Skipped: "missing"', [{ redirects: [redirect({ missing: [] })] }]],
    ['rewrites[0]: Skipped: "permanent"', [{ rewrites: [redirect({ permanent: true })] }]],
    ['rewrites[0].source: ', [{ rewrites: [redirect({ source: '' })] }]],
    ['rewrites[0].destination: ', [{ rewrites: [redirect({ destination: 'https://b.example/' })] }]],
    ['headers[0].headers: ', [{ headers: [{ source: '/a', headers: {} }] }, { headers: [{ source: '/a' }] }]],
    ['headers[0]: Skipped: "has"', [{ headers: [{ source: '/a', headers: [], has: [] }] }]],
    ['headers[0].source: ', [{ headers: [{ source: 'a', headers: [] }] }]],
    ['headers[0].headers[0]: ', [{ headers: [{ source: '/a', headers: ['X: 1'] }] }]],
    ['headers[0].headers[0].key: ', [header({ key: 'Set-Cookie' }), header({ key: 'X Y' }), header({ key: '' })]],
    [
      'headers[0].headers[0].value: ',
      ['', 1, 'a\r\nSet-Cookie: b', '\u00e9', '\ud800'].map((value) => header({ value })),
    ],
    ['headers[0].headers[0]: Skipped: "and"', [header({ and: 1 })]],
  ])('is reported with "%s", and the whole entry is skipped, in each of %j', (start, files) => {
    for (const json of files) {
      const { results, warnings } = read(json);
      expect([results, warnings]).toEqual([[], [expect.stringContaining(start)]]);
      expect(warnings[0]).toMatch(/: Skipped: .{10,}\.$/);
    }
  });

  it('does not affect other entries', () => {
    const { results, warnings } = read({
      redirects: [redirect({}), redirect({ statusCode: 200 }), redirect({ source: '/c' })],
      headers: [{ source: '/a', headers: ['ETag', 'X'].map((key) => ({ key, value: '1' })) }],
    });
    expect(results).toEqual(['/a -> 308 /b', '/c -> 308 /b', '/a: X=1']);
    expect(warnings).toHaveLength(2);
  });
});

describe('the limits of ship.json (S65)', () => {
  it.each([
    ['redirects', 2000],
    ['rewrites', 500],
    ['headers', 500],
  ] as const)('allow in %s %d entries, with one warning for further entries', (key, max) => {
    const entry = key === 'headers' ? { source: '/a', headers: [{ key: 'X', value: '1' }] } : redirect({});
    expect(read({ [key]: Array.from({ length: max }, () => entry) }).warnings).toEqual([]);
    const { warnings, ...rules } = read({ [key]: Array.from({ length: max + 5 }, () => entry) });
    expect([rules[key].length, warnings]).toEqual([max, [expect.stringContaining(`${key}[${max}]: `)]]);
  });
});

it('readShipJson parses any JSON without an error, and its warnings are safe to store (S23)', () => {
  const key = fc.oneof(fc.constantFrom('source', 'destination', 'headers', 'redirects', 'key', 'value'), fc.string());
  const { tree } = fc.letrec((tie) => ({
    tree: fc.oneof(
      { maxDepth: 5 },
      fc.string({ unit: 'binary' }),
      fc.boolean(),
      fc.integer(),
      tie('list'),
      tie('object'),
    ),
    list: fc.array(tie('tree'), { maxLength: 3 }),
    object: fc.dictionary(key, tie('tree'), { maxKeys: 4 }),
  }));
  fc.assert(
    fc.property(fc.dictionary(key, tree), (json) => {
      for (const warning of read(json).warnings) expect(warning).toMatch(/^[^\p{Cc}\p{Cs}]*$/u);
    }),
  );
  fc.assert(
    fc.property(fc.uint8Array(), (bytes) => {
      const parsed = parseShipJson(bytes);
      return parsed instanceof Fault || typeof parsed === 'object';
    }),
  );
});
