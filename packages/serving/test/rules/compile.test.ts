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

describe('compileRules (S22, S25, S26)', () => {
  it('puts rules of ship.json before rules of _redirects and after rules of _headers', () => {
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
  ])('returns null for %s', (_, texts) => {
    expect(compile(texts, 'a.html').rules).toBeNull();
  });

  it('returns trailingSlash: false, because false is not the default', () => {
    expect(compile({ ship: { trailingSlash: false } }).rules).toMatchObject({ trailingSlash: false });
  });

  it('returns equal rules only once (S66)', () => {
    const { rules } = compile({ redirects: '/a /b\n/a /b\n/:x /c\n/:y /c\n/a /b 302' });
    expect(rules!.whenMissing.map(formatRule)).toEqual(['/a -> 301 /b', '/: -> 301 /c', '/a -> 302 /b']);
  });
});

describe('the destination of a rewrite or a 404 rule (S29)', () => {
  const paths = ['index.html', 'a.html', 'b/index.html', 'c', 'd/e.txt', '.hidden/x.html', '_worker.js', '404.html'];
  it.each(['/', '/index.html', '/a', '/a/', '/a.html', '/b', '/b/', '/c', '/d/e.txt', '/404', '/a?x=1#y'])(
    'can be %s, which names a file',
    (to) => {
      for (const code of [200, 404]) {
        const { rules, warnings } = compile({ redirects: `/x/* ${to} ${code}` }, ...paths);
        expect([rules?.whenMissing.length, warnings]).toEqual([1, []]);
      }
    },
  );

  it.each(['/nope', '/c/', '/d', '/A', '/d/e', '/.hidden/x', '/_worker.js', '/ship.json', '/.berth/unlock'])(
    'cannot be %s, which names no file: the rule is skipped with a warning',
    (to) => {
      for (const code of [200, 404, '200!']) {
        const { rules, warnings } = compile({ redirects: `# x\n/x ${to} ${code}` }, ...paths, 'ship.json');
        expect(rules).toBeNull();
        expect(warnings).toEqual([expect.stringContaining(`_redirects:2 Skipped: the destination "${to}"`)]);
      }
    },
  );

  it('is not checked if it has a capture, and the destination of a redirect is not checked either', () => {
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

describe('the warnings about loops of redirects (S28)', () => {
  const loopsIn = (warnings: string[]) => warnings.filter((warning) => warning.includes('form a loop'));
  const shipJson = (source: string, destination: string) => ({ redirects: [{ source, destination }] });
  it.each<[string, Texts, warnings: string[]]>([
    ['two lines', { redirects: '/a /b\n/b /a' }, ['_redirects:2 "/a" -> "/b" -> "/a".']],
    ['two lines with slashes', { redirects: '/a /b/?x\n/b /a/#y' }, ['_redirects:2 "/b/" -> "/a/" -> "/b/".']],
    [
      'a long loop, with one warning at its last rule',
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
    ['a slash that is only added or only removed', { redirects: '/a /a/\n/b/ /b' }, []],
    ['a path that adds its slash and then leads elsewhere', { redirects: '/a /a/\n/a /b' }, []],
    ['a path with one query that then leads elsewhere', { redirects: '/a /a?x=1\n/a /a?x=1#y\n/a /b' }, []],
    ['a rewrite before the redirect of the same path', { redirects: '/a /b\n/b /page 200\n/b /a' }, []],
    ['a path that redirects to itself', { redirects: '/a /a/\n/b /b?x=1' }, []],
    ['a chain', { redirects: '/a /b\n/b /c\n/c https://x.example/a' }, []],
    ['a chain that a rewrite ends', { redirects: '/a /b\n/b /page 200\n/page /a' }, []],
    ['a loop that only the second redirect of a path closes', { redirects: '/a /b\n/b /c\n/b /a' }, []],
  ])('name exactly the expected redirects for a site with %s', (_, texts, warnings) => {
    const loopWarnings = warnings.map((warning) => warning.replace(' ', ' These redirects form a loop: '));
    expect(loopsIn(compile(texts, 'page.html').warnings)).toEqual(loopWarnings);
  });

  it('take time linear in the number of rules', () => {
    const redirectChain = Array.from({ length: 4_000 }, (_, n) => `/c${n} /c${n + 1}\n/c${n} /c${n}/`);
    const start = performance.now();
    const { warnings } = compile({ redirects: [...redirectChain, '/c4000 /c0'].join('\n') });
    expect(loopsIn(warnings)).toEqual([
      expect.stringMatching(/^_redirects:8001 .*"\/c0" -> "\/c1" -> "\/c2" -> "\/c3" -> … /),
    ]);
    expect(performance.now() - start).toBeLessThan(2_000);
  });

  it('are not given if a file ends the loop, unless the rule is forced', () => {
    expect(loopsIn(compile({ redirects: '/a /b\n/b /a' }, 'b.html').warnings)).toEqual([]);
    expect(loopsIn(compile({ redirects: '/a /b\n/b /a 301!' }, 'b.html').warnings)).toHaveLength(1);
  });
});

describe('a rule that can never apply (S12, S26, S29)', () => {
  const shipJson = (source: string, destination: string) => ({ redirects: [{ source, destination }] });
  it.each<[string, Texts, warnings: string[]]>([
    [
      'a function of Netlify as its destination',
      { redirects: '/api/* /.netlify/functions/:splat 200' },
      ['_redirects:1'],
    ],
    ['a hidden folder as its destination', { redirects: '/api/:id /.hidden/:id 404' }, ['_redirects:1']],
    [
      'a function of Netlify as its path',
      { redirects: '/.netlify/functions/* /new\n/.git /new 302' },
      ['_redirects:1', '_redirects:2'],
    ],
    ['a folder that is served', { redirects: '/api/* /.well-known/:splat 200\n/.well-known/* /new\n/.wel* /new' }, []],
    ['a redirect to a hidden folder, which the visitor sees', { redirects: '/a /.hidden/a 301' }, []],
  ])('is skipped with a warning if it has %s', (_, texts, warnings) => {
    expect(compile(texts).warnings).toEqual(
      warnings.map((start) => expect.stringMatching(`^${start} Skipped: .* never served`)),
    );
  });

  it.each<[string, Texts, warnings: string[]]>([
    ['a redirect of the same path', { redirects: '/a /b\n/c /d\n/a /e 302' }, ['_redirects:3 Never applies: line 1']],
    ['the same path with a slash', { redirects: '/a /b\n/a/ /e' }, ['_redirects:2 Never applies: line 1']],
    [
      'a redirect of the same pattern to another host',
      { redirects: '/a/* https://b.example/:splat\n/a/* /c' },
      ['_redirects:2 Never applies: line 1'],
    ],
    [
      'a redirect of the same pattern to another folder',
      { redirects: '/a/* /b/:splat 301!\n/a/* /c' },
      ['_redirects:2 Never applies: line 1'],
    ],
    ['a rewrite of the same path', { redirects: '/a /page 200\n/a /page 404' }, ['_redirects:2 Never applies: line 1']],
    ['a 404 of the same pattern', { redirects: '/a/* /page 404\n/a/* /b' }, ['_redirects:2 Never applies: line 1']],
    [
      'an entry of ship.json',
      { ship: shipJson('/a', '/b'), redirects: '/a /c' },
      ['_redirects:1 Never applies: redirects[0]'],
    ],
    ['a redirect to the same address, which does not always apply', { redirects: '/a /a/\n/a /b' }, []],
    [
      'a pattern that contains its own destination',
      { redirects: '/* /soon 302!\n/* /b 302!\n/:a /:a/ 302!\n/:a /b 302!' },
      [],
    ],
    ['a fallback, which applies only to pages', { redirects: '/a/* /page 200\n/a/* /b' }, []],
  ])('is reported if it follows %s', (_, texts, warnings) => {
    expect(compile(texts, 'page.html').warnings).toEqual(warnings.map((start) => expect.stringContaining(start)));
  });
});

describe('a line that files hide, because it has no ! (S25)', () => {
  const paths = ['index.html', 'about.html', 'blog/index.html', 'docs/a.html', 'app.js', '.git/x', '404.html'];
  it.each<[line: string, file: string]>([
    ['/about /team', 'about.html'],
    ['/about/ /about 301', 'about.html'],
    ['/ /en/ 302', 'index.html'],
    ['/blog /news 302', 'blog/index.html'],
    ['/app.js /404.html 404', 'app.js'],
    ['/about /404 200', 'about.html'],
  ])('such as %s is reported with the file that comes first', (line, file) => {
    const message = `_redirects:1 Never applies: the file "/${file}" comes first. Add ! after the code to force the line.`;
    expect(compile({ redirects: line }, ...paths).warnings).toEqual([message]);
  });

  it.each<[line: string, file: string]>([
    ['/* https://new.example/:splat 301', ''],
    ['/docs/* /404.html 404', 'docs/a'],
    ['/:page /pages/:page 302', 'index.html'],
    ['/*.js /scripts/:splat.js 301', 'app.js'],
  ])('such as %s is reported with an example', (line, file) => {
    const message = `_redirects:1 Does not apply to files of this deploy, such as "/${file}". Add ! after the code to force the line.`;
    expect(compile({ redirects: line }, ...paths).warnings).toEqual([message]);
  });

  it.each([
    '/* /index.html 200',
    '/:page /404 200',
    '/ /index.html 200',
    '/about /about.html 200',
    '/old /about',
    '/old/* /about 301',
    '/* https://new.example/:splat 301!',
    '/about /team 302!',
  ])('does not include %s', (line) => {
    expect(compile({ redirects: line }, ...paths).warnings).toEqual([]);
  });

  it('is not reported for rewrites of ship.json, which cannot be forced', () => {
    const ship = { rewrites: [{ source: '/about', destination: '/index.html' }] };
    expect(compile({ ship }, ...paths).warnings).toEqual([]);
  });

  it('is searched in bounded time', () => {
    const manyPaths = Array.from({ length: 20_000 }, (_, n) => `folder/file-${n}.html`);
    const redirects = Array.from({ length: 500 }, (_, n) => `/:a/:b/x${n} /b 301`).join('\n');
    const start = performance.now();
    expect(compile({ redirects }, ...manyPaths).warnings).toEqual([]);
    expect(performance.now() - start).toBeLessThan(2_000);
  });
});

describe('warnings about pages that another page with the same address hides (S20)', () => {
  const paths = 'both.html both/index.html file.html folder/index.html index.html x/both.html both.txt'.split(' ');
  it.each<[Record<string, unknown>, string[]]>([
    [{}, []],
    [{ cleanUrls: true }, []],
    [{ trailingSlash: true }, ['both.html']],
    [{ trailingSlash: false }, ['both/index.html']],
    [{ trailingSlash: true, cleanUrls: true }, ['both.html']],
    [{ trailingSlash: false, cleanUrls: true }, ['both/index.html']],
  ])('with the settings %j name the pages %j', (ship, hidden) => {
    const { warnings } = compile({ ship }, ...paths);
    expect(warnings.map((warning) => warning.split(' ')[0])).toEqual(hidden);
  });
});

it('compileRules warns about a rule with more bytes of headers than a response can have (S65)', () => {
  const headers = `/*\n${Array.from({ length: 5 }, (_, n) => `X-${n}: ${'x'.repeat(1900)}`).join('\n')}`;
  expect(compile({ headers }).warnings).toEqual([expect.stringMatching(/^_headers:1 .*8192/)]);
});
