import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Fault } from '../../src/rules/fault.ts';
import { parseShipJson } from '../../src/rules/parse-ship-json.ts';
import { readShipJson } from '../../src/rules/ship-json.ts';
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

describe('redirects of ship.json (S25)', () => {
  it.each<readonly [rest: Record<string, unknown>, result: string]>([
    [{}, '/a -> 308 /b'],
    [{ permanent: true }, '/a -> 308 /b'],
    [{ permanent: false }, '/a -> 307 /b'],
    ...[301, 302, 303, 307, 308].map((code) => [{ statusCode: code }, `/a -> ${code} /b`] as const),
    [{ permanent: true, statusCode: 302 }, '/a -> 302 /b'],
    [{ source: '/(.*)', destination: 'https://b.example/$1' }, '/* -> 308 https://b.example/{0}'],
    [{ source: '/old/:path*', destination: '/new/:path*' }, '/old/* -> 308 /new/{0}'],
    [{ source: '/:lang/(.*)', destination: '/$1?l=:lang#x' }, '/:/* -> 308 /{1}?l={0}#x'],
  ])('%j is %s', (rest, expected) => {
    expect(read({ redirects: [redirect(rest)] })).toMatchObject({ results: [expected], warnings: [] });
  });
});

describe('rewrites and headers of ship.json (S25, S33)', () => {
  it('a rewrite has the status 200', () => {
    expect(read({ rewrites: [{ source: '/(.*)', destination: '/index.html' }] }).results).toEqual([
      '/* -> 200 /index.html',
    ]);
  });

  it('an entry of headers contains a list of header fields', () => {
    const headers = [
      { key: 'X-A', value: ' 1 ' },
      { key: 'X-B', value: '2' },
    ];
    const answer = read({ headers: [{ source: '/assets/(.*)', headers }] });
    expect(answer).toMatchObject({
      results: ['/assets/*: X-A=1 X-B=2'],
      warnings: [],
      headers: [{ rule: { replaces: true } }],
    });
  });
});

describe('settings (S15, S16)', () => {
  it.each([
    [{}, { cleanUrls: false, trailingSlash: null, warnings: [] }],
    [{ cleanUrls: true }, { cleanUrls: true, trailingSlash: null, warnings: [] }],
    [{ trailingSlash: false }, { cleanUrls: false, trailingSlash: false, warnings: [] }],
    [
      { trailingSlash: true, cleanUrls: false },
      { cleanUrls: false, trailingSlash: true, warnings: [] },
    ],
    [
      { trailingSlash: null, cleanUrls: 'true' },
      {
        cleanUrls: false,
        trailingSlash: null,
        warnings: [
          'cleanUrls: Skipped: it must be true or false.',
          'trailingSlash: Skipped: it must be true or false.',
        ],
      },
    ],
  ])('%j', (json, expected) => {
    expect(read(json)).toMatchObject(expected);
  });
});

describe('a fault is reported at its position, and the whole entry is skipped (S23, S30)', () => {
  const header = (rest: Record<string, unknown>) => ({
    headers: [{ source: '/a', headers: [{ key: 'X', value: '1', ...rest }] }],
  });
  it.each<[Record<string, unknown>, string]>([
    [{ functions: {} }, 'functions: '],
    [{ ['__proto__x y']: 1 }, '"__proto__x y": '],
    [JSON.parse('{"__proto__": {"cleanUrls": true}}'), '__proto__: '],
    [{ redirects: {} }, 'redirects: '],
    [{ redirects: null, rewrites: 'x' }, 'rewrites: '],
    [{ headers: 1 }, 'headers: '],
    [{ redirects: [null] }, 'redirects[0]: '],
    [{ redirects: [['/a', '/b']] }, 'redirects[0]: '],
    [{ redirects: [{ destination: '/b' }] }, 'redirects[0].source: '],
    [{ redirects: [{ source: 1, destination: '/b' }] }, 'redirects[0].source: '],
    [{ redirects: [{ source: '/a' }] }, 'redirects[0].destination: '],
    [{ redirects: [redirect({ source: '/*' })] }, 'redirects[0].source: '],
    [{ redirects: [redirect({ destination: '//b.example' })] }, 'redirects[0].destination: '],
    [{ redirects: [redirect({ permanent: 'yes' })] }, 'redirects[0].permanent: '],
    [{ redirects: [redirect({ permanent: 'yes', statusCode: 301 })] }, 'redirects[0].permanent: '],
    ...[200, 300, 304, 404, 500, '301', null, 301.5].map((statusCode): [Record<string, unknown>, string] => [
      { redirects: [redirect({ statusCode })] },
      'redirects[0].statusCode: ',
    ]),
    [{ redirects: [redirect({ has: [{ type: 'host', value: 'x' }] })] }, 'redirects[0]: Skipped: "has"'],
    [{ redirects: [redirect({ missing: [] })] }, 'redirects[0]: Skipped: "missing"'],
    [{ rewrites: [redirect({ permanent: true })] }, 'rewrites[0]: Skipped: "permanent"'],
    [{ rewrites: [redirect({}), redirect({ source: '' })].slice(1) }, 'rewrites[0].source: '],
    [{ rewrites: [redirect({ destination: 'https://b.example/' })] }, 'rewrites[0].destination: '],
    [{ headers: [{ source: '/a', headers: {} }] }, 'headers[0].headers: '],
    [{ headers: [{ source: '/a' }] }, 'headers[0].headers: '],
    [{ headers: [{ source: '/a', headers: [], has: [] }] }, 'headers[0]: Skipped: "has"'],
    [{ headers: [{ source: 'a', headers: [] }] }, 'headers[0].source: '],
    [{ headers: [{ source: '/a', headers: ['X: 1'] }] }, 'headers[0].headers[0]: '],
    [header({ key: 'Set-Cookie' }), 'headers[0].headers[0].key: '],
    [header({ key: 'X Y' }), 'headers[0].headers[0].key: '],
    [header({ key: '' }), 'headers[0].headers[0].key: '],
    [header({ value: '' }), 'headers[0].headers[0].value: '],
    [header({ value: 1 }), 'headers[0].headers[0].value: '],
    [header({ value: 'a\r\nSet-Cookie: b' }), 'headers[0].headers[0].value: '],
    [header({ value: '\u00e9' }), 'headers[0].headers[0].value: '],
    [header({ value: '\ud800' }), 'headers[0].headers[0].value: '],
    [header({ and: 1 }), 'headers[0].headers[0]: Skipped: "and"'],
  ])('%j', (json, start) => {
    const { results, warnings } = read(json);
    expect([results, warnings]).toEqual([[], [expect.stringContaining(start)]]);
    expect(warnings[0]).toMatch(/: Skipped: .{10,}\.$/);
  });

  it('valid entries next to an invalid one are kept', () => {
    const { results, warnings } = read({
      redirects: [redirect({}), redirect({ statusCode: 200 }), redirect({ source: '/c' })],
      headers: [
        {
          source: '/a',
          headers: [
            { key: 'ETag', value: '1' },
            { key: 'X', value: '1' },
          ],
        },
      ],
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
  ] as const)('%s: %d entries are accepted, with one warning for the rest', (key, max) => {
    const entry = key === 'headers' ? { source: '/a', headers: [{ key: 'X', value: '1' }] } : redirect({});
    expect(read({ [key]: Array.from({ length: max }, () => entry) }).warnings).toEqual([]);
    const { warnings, ...rules } = read({ [key]: Array.from({ length: max + 5 }, () => entry) });
    expect([rules[key].length, warnings]).toEqual([max, [expect.stringContaining(`${key}[${max}]: `)]]);
  });
});

it('parses any JSON without an error, and its warnings are safe to store (S23)', () => {
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
