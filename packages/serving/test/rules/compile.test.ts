import { describe, expect, it } from 'vitest';
import { compileRules, type RuleFiles } from '../../src/rules/compile.ts';
import { formatHeaders, formatRule } from './rule-texts.ts';

interface Texts {
  ship?: Record<string, unknown>;
  redirects?: string;
  headers?: string;
}

function compile({ ship, redirects, headers }: Texts, ...paths: string[]) {
  const files: RuleFiles = {};
  if (ship) files['ship.json'] = ship;
  if (redirects !== undefined) files._redirects = new TextEncoder().encode(redirects);
  if (headers !== undefined) files._headers = new TextEncoder().encode(headers);
  const warnings: string[] = [];
  const rules = compileRules(files, paths, ({ file, line, at }, message) =>
    warnings.push(`${[file, line ?? at].filter((part) => part !== undefined).join(':')} ${message}`),
  );
  return { rules, warnings };
}

describe('what a deployment keeps (S22, S25, S26)', () => {
  it('ship.json comes before _redirects in each step, and after _headers', () => {
    const { rules, warnings } = compile(
      {
        ship: {
          cleanUrls: true,
          redirects: [{ source: '/a', destination: '/b' }],
          rewrites: [{ source: '/c/(.*)', destination: '/d' }],
          headers: [{ source: '/(.*)', headers: [{ key: 'X-B', value: '1' }] }],
        },
        redirects: '/e /f\n/g /h 302!\n/i /d 404',
        headers: '/*\n  X-A: 1',
      },
      'd.html',
    );
    expect(warnings).toEqual([]);
    expect(rules).toMatchObject({ cleanUrls: true, trailingSlash: null });
    expect(rules!.forced.map(formatRule)).toEqual(['/a -> 308 /b', '/g -> 302 /h']);
    expect(rules!.whenMissing.map(formatRule)).toEqual(['/c/* -> 200 /d', '/e -> 301 /f', '/i -> 404 /d']);
    expect(rules!.headers.map(formatHeaders)).toEqual(['/*: X-A=1', '/*: X-B=1']);
    expect(JSON.parse(JSON.stringify(rules))).toEqual(rules);
  });

  it.each<[string, Texts]>([
    ['no rule files', {}],
    ['empty ones', { ship: {}, redirects: '', headers: '# nothing\n/a' }],
    ['defaults written out', { ship: { cleanUrls: false, redirects: [], headers: [] } }],
    ['faults alone', { ship: { x: 1 }, redirects: '/a', headers: 'X: 1' }],
  ])('nothing, of %s', (_, texts) => {
    expect(compile(texts, 'a.html').rules).toBeNull();
  });

  it('trailingSlash: false is something', () => {
    expect(compile({ ship: { trailingSlash: false } }).rules).toMatchObject({ trailingSlash: false });
  });

  it('a repetition is kept once (S66)', () => {
    const { rules } = compile({ redirects: '/a /b\n/a /b\n/:x /c\n/:y /c\n/a /b 302' });
    expect(rules!.whenMissing.map(formatRule)).toEqual(['/a -> 301 /b', '/: -> 301 /c', '/a -> 302 /b']);
  });
});

describe('a destination that names no file (S29)', () => {
  const paths = ['index.html', 'a.html', 'b/index.html', 'c', 'd/e.txt', '.hidden/x.html', '_worker.js', '404.html'];
  it.each(['/', '/index.html', '/a', '/a/', '/a.html', '/b', '/b/', '/c', '/d/e.txt', '/404', '/a?x=1#y'])(
    '%s does',
    (to) => {
      for (const code of [200, 404]) {
        const { rules, warnings } = compile({ redirects: `/x/* ${to} ${code}` }, ...paths);
        expect([rules?.whenMissing.length, warnings]).toEqual([1, []]);
      }
    },
  );

  it.each(['/nope', '/c/', '/d', '/A', '/d/e', '/.hidden/x', '/_worker.js', '/ship.json', '/.berth/unlock'])(
    '%s does not: it warns and is left out',
    (to) => {
      for (const code of [200, 404, '200!']) {
        const { rules, warnings } = compile({ redirects: `# x\n/x ${to} ${code}` }, ...paths, 'ship.json');
        expect([rules, warnings]).toEqual([
          null,
          [expect.stringContaining(`_redirects:2 Skipped: its destination "${to}"`)],
        ]);
      }
    },
  );

  it('counts neither for redirects nor where a capture decides', () => {
    const ship = {
      rewrites: [
        { source: '/x/:y', destination: '/nope/:y' },
        { source: '/z', destination: '/nope' },
      ],
    };
    const { rules, warnings } = compile({ ship, redirects: '/x /nope 302' });
    expect(rules!.whenMissing.map(formatRule)).toEqual(['/x/: -> 200 /nope/{0}', '/x -> 302 /nope']);
    expect(warnings).toEqual([expect.stringMatching(/^ship\.json:rewrites\[1\] /)]);
  });
});

describe('redirects in a circle (S28)', () => {
  it.each<[string, Texts, string[]]>([
    [
      'two lines',
      { redirects: '/a /b\n/b /a' },
      ['_redirects:2 These redirects run in a circle: "/a" -> "/b" -> "/a".'],
    ],
    ['slashes and queries aside', { redirects: '/a /b/?x\n/b /a/#y' }, [expect.stringContaining('_redirects:2 ')]],
    [
      'a long one, told once, at its end',
      { redirects: '/in /1\n/1 /2\n/2 /3\n/3 /4\n/4 /5\n/5 /1' },
      ['_redirects:6 These redirects run in a circle: "/1" -> "/2" -> "/3" -> "/4" -> … -> "/1".'],
    ],
    [
      'two of them, across files',
      {
        ship: { redirects: [{ source: '/a', destination: '/b' }] },
        redirects: '/b /a\n/c /d 302!\n/d /c',
      },
      [expect.stringContaining('_redirects:1 '), expect.stringContaining('_redirects:3 ')],
    ],
    [
      'a path with and without its slash',
      { redirects: '/a /a/ 301\n/a/ /a 301' },
      ['_redirects:2 These redirects run in a circle: "/a" -> "/a/" -> "/a".'],
    ],
    [
      'a path with and without its slash, in ship.json and _redirects',
      { ship: { redirects: [{ source: '/a/', destination: '/a' }] }, redirects: '/a /a/' },
      ['_redirects:1 These redirects run in a circle: "/a" -> "/a/" -> "/a".'],
    ],
    [
      'by way of a path and its slash',
      { redirects: '/a /b\n/b /b/\n/b /a' },
      ['_redirects:3 These redirects run in a circle: "/a" -> "/b" -> "/b/" -> "/a".'],
    ],
    [
      'one path with two queries',
      { redirects: '/a /a?x=1\n/a /a?x=2' },
      ['_redirects:2 These redirects run in a circle: "/a" -> "/a".'],
    ],
    ['not: a slash that is only added, or only removed', { redirects: '/a /a/\n/b/ /b' }, []],
    ['not: a path that adds its slash and then leads on', { redirects: '/a /a/\n/a /b' }, []],
    ['not: a path with one query, which then leads on', { redirects: '/a /a?x=1\n/a /a?x=1#y\n/a /b' }, []],
    ['not: a rewrite before the redirect of one path', { redirects: '/a /b\n/b /page 200\n/b /a' }, []],
    ['a path to itself is none', { redirects: '/a /a/\n/b /b?x=1' }, []],
    ['a chain is none', { redirects: '/a /b\n/b /c\n/c https://x.example/a' }, []],
    ['a rewrite ends it', { redirects: '/a /b\n/b /page 200\n/page /a' }, []],
    ['the first of two for one path counts', { redirects: '/a /b\n/b /c\n/b /a' }, []],
  ])('%s', (_, texts, warnings) => {
    expect(compile(texts, 'page.html').warnings).toEqual(warnings);
  });

  it('are found in a time that grows with the number of rules', () => {
    const chain = Array.from({ length: 4_000 }, (_, n) => `/c${n} /c${n + 1}\n/c${n} /c${n}/`);
    const start = performance.now();
    const { warnings } = compile({ redirects: [...chain, '/c4000 /c0'].join('\n') });
    expect(warnings).toEqual([expect.stringMatching(/^_redirects:8001 .*"\/c0" -> "\/c1" -> "\/c2" -> "\/c3" -> … /)]);
    expect(performance.now() - start).toBeLessThan(2_000);
  });

  it('a file in between ends it, unless a rule is forced', () => {
    expect(compile({ redirects: '/a /b\n/b /a' }, 'b.html').warnings).toEqual([]);
    expect(compile({ redirects: '/a /b\n/b /a 301!' }, 'b.html').warnings).toHaveLength(1);
  });
});

describe('a page that its twin hides (S20)', () => {
  const twins = [
    'both.html',
    'both/index.html',
    'file.html',
    'folder/index.html',
    'index.html',
    'x/both.html',
    'both.txt',
  ];
  it.each<[Record<string, unknown>, string[]]>([
    [{}, []],
    [{ cleanUrls: true }, []],
    [{ trailingSlash: true }, ['both.html']],
    [{ trailingSlash: false }, ['both/index.html']],
    [{ trailingSlash: true, cleanUrls: true }, ['both.html']],
    [{ trailingSlash: false, cleanUrls: true }, ['both/index.html']],
  ])('%j: %j', (ship, hidden) => {
    const { warnings } = compile({ ship }, ...twins);
    expect(warnings.map((warning) => warning.split(' ')[0])).toEqual(hidden);
  });
});

it('a rule whose headers no answer can hold warns (S65)', () => {
  const headers = `/*\n${Array.from({ length: 5 }, (_, n) => `X-${n}: ${'x'.repeat(1900)}`).join('\n')}`;
  expect(compile({ headers }).warnings).toEqual([expect.stringMatching(/^_headers:1 .*8192/)]);
});
