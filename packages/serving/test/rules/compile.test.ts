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

describe('the rules that are stored with a deployment (S22, S25, S26)', () => {
  it('rules of ship.json come before those of _redirects and after those of _headers', () => {
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
    ['empty rule files', { ship: {}, redirects: '', headers: '# nothing\n/a' }],
    ['rule files with only defaults', { ship: { cleanUrls: false, redirects: [], headers: [] } }],
    ['rule files with only invalid entries', { ship: { x: 1 }, redirects: '/a', headers: 'X: 1' }],
  ])('%s: no rules are stored', (_, texts) => {
    expect(compile(texts, 'a.html').rules).toBeNull();
  });

  it('trailingSlash: false is stored, because it is not the default', () => {
    expect(compile({ ship: { trailingSlash: false } }).rules).toMatchObject({ trailingSlash: false });
  });

  it('equal rules are stored once (S66)', () => {
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
    '%s does not: it is skipped with a warning',
    (to) => {
      for (const code of [200, 404, '200!']) {
        const { rules, warnings } = compile({ redirects: `# x\n/x ${to} ${code}` }, ...paths, 'ship.json');
        expect(rules).toBeNull();
        expect(warnings).toEqual([expect.stringContaining(`_redirects:2 Skipped: its destination "${to}"`)]);
      }
    },
  );

  it('causes no warning for a redirect, nor if the destination has a capture', () => {
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

describe('a warning about a loop of redirects (S28)', () => {
  const shipJson = (source: string, destination: string) => ({ redirects: [{ source, destination }] });
  it.each<[string, Texts, warnings: string[]]>([
    ['two lines', { redirects: '/a /b\n/b /a' }, ['_redirects:2 "/a" -> "/b" -> "/a".']],
    ['two lines with slashes', { redirects: '/a /b/?x\n/b /a/#y' }, ['_redirects:2 "/b/" -> "/a/" -> "/b/".']],
    [
      'a long loop: one warning, at its last rule',
      { redirects: '/in /1\n/1 /2\n/2 /3\n/3 /4\n/4 /5\n/5 /1' },
      ['_redirects:6 "/1" -> "/2" -> "/3" -> "/4" -> … -> "/1".'],
    ],
    [
      'two loops, one across both files',
      { ship: shipJson('/a', '/b'), redirects: '/b /a\n/c /d 302!\n/d /c' },
      ['_redirects:1 "/a" -> "/b" -> "/a".', '_redirects:3 "/c" -> "/d" -> "/c".'],
    ],
    ['a path and its slash', { redirects: '/a /a/ 301\n/a/ /a 301' }, ['_redirects:2 "/a" -> "/a/" -> "/a".']],
    [
      'a path with and without its slash, in ship.json and _redirects',
      { ship: shipJson('/a/', '/a'), redirects: '/a /a/' },
      ['_redirects:1 "/a" -> "/a/" -> "/a".'],
    ],
    [
      'a loop through a path without and with its slash',
      { redirects: '/a /b\n/b /b/\n/b /a' },
      ['_redirects:3 "/a" -> "/b" -> "/b/" -> "/a".'],
    ],
    ['one path with two queries', { redirects: '/a /a?x=1\n/a /a?x=2' }, ['_redirects:2 "/a" -> "/a".']],
    ['none for a slash that is only added or only removed', { redirects: '/a /a/\n/b/ /b' }, []],
    ['none for a path that adds its slash and then leads elsewhere', { redirects: '/a /a/\n/a /b' }, []],
    ['none for a path with one query that then leads elsewhere', { redirects: '/a /a?x=1\n/a /a?x=1#y\n/a /b' }, []],
    ['none for a rewrite before the redirect of the same path', { redirects: '/a /b\n/b /page 200\n/b /a' }, []],
    ['none for a path that redirects to itself', { redirects: '/a /a/\n/b /b?x=1' }, []],
    ['none for a chain', { redirects: '/a /b\n/b /c\n/c https://x.example/a' }, []],
    ['none if a rewrite ends the chain', { redirects: '/a /b\n/b /page 200\n/page /a' }, []],
    ['none if only the second redirect of a path closes the loop', { redirects: '/a /b\n/b /c\n/b /a' }, []],
  ])('%s', (_, texts, warnings) => {
    const loops = warnings.map((warning) => warning.replace(' ', ' These redirects form a loop: '));
    expect(compile(texts, 'page.html').warnings).toEqual(loops);
  });

  it('takes time linear in the number of rules', () => {
    const chain = Array.from({ length: 4_000 }, (_, n) => `/c${n} /c${n + 1}\n/c${n} /c${n}/`);
    const start = performance.now();
    const { warnings } = compile({ redirects: [...chain, '/c4000 /c0'].join('\n') });
    expect(warnings).toEqual([expect.stringMatching(/^_redirects:8001 .*"\/c0" -> "\/c1" -> "\/c2" -> "\/c3" -> … /)]);
    expect(performance.now() - start).toBeLessThan(2_000);
  });

  it('is not given if a file ends the loop, unless the rule is forced', () => {
    expect(compile({ redirects: '/a /b\n/b /a' }, 'b.html').warnings).toEqual([]);
    expect(compile({ redirects: '/a /b\n/b /a 301!' }, 'b.html').warnings).toHaveLength(1);
  });
});

describe('a warning about a page that another page with the same address hides (S20)', () => {
  const paths = 'both.html both/index.html file.html folder/index.html index.html x/both.html both.txt'.split(' ');
  it.each<[Record<string, unknown>, string[]]>([
    [{}, []],
    [{ cleanUrls: true }, []],
    [{ trailingSlash: true }, ['both.html']],
    [{ trailingSlash: false }, ['both/index.html']],
    [{ trailingSlash: true, cleanUrls: true }, ['both.html']],
    [{ trailingSlash: false, cleanUrls: true }, ['both/index.html']],
  ])('%j: %j', (ship, hidden) => {
    const { warnings } = compile({ ship }, ...paths);
    expect(warnings.map((warning) => warning.split(' ')[0])).toEqual(hidden);
  });
});

it('warns about a rule with more bytes of headers than a response can have (S65)', () => {
  const headers = `/*\n${Array.from({ length: 5 }, (_, n) => `X-${n}: ${'x'.repeat(1900)}`).join('\n')}`;
  expect(compile({ headers }).warnings).toEqual([expect.stringMatching(/^_headers:1 .*8192/)]);
});
