import { findPathConflict, isWithheld, normalizePath } from '@berth/contract';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Intent } from '../../src/serving/intent.ts';
import { isSystemPath, parseRequestPath } from '../../src/serving/request-path.ts';
import { resolve } from '../../src/serving/resolve.ts';
import type { Manifest } from '../../src/serving/site.ts';
import { manifestOf } from './sites.ts';

/** Asks for a target, as a browser sends it. */
function ask(target: string, manifest: Manifest, method = 'GET'): Intent {
  const at = target.includes('?') ? target.indexOf('?') : target.length;
  return resolve({ method, path: parseRequestPath(target.slice(0, at))!, query: target.slice(at) }, manifest);
}

/** The intent in one line: `200 index.html`, `-> /docs/`, `404 404.html`, `not-found`. */
function told(intent: Intent): string {
  if (intent.kind === 'file') return `${intent.status} ${intent.path}`;
  return intent.kind === 'redirect' ? `-> ${intent.location}` : intent.kind;
}

function table(manifest: Manifest, rows: [target: string, expected: string][]) {
  it.each(rows)('%s gives %s', (target, expected) => {
    expect(told(ask(target, manifest))).toBe(expected);
  });
}

describe('S15, S20: pages and slashes by default', () => {
  table(manifestOf('file.html', 'folder/index.html', 'both.html', 'both/index.html'), [
    ['/file', '200 file.html'],
    ['/file/', '-> /file'],
    ['/file.html', '200 file.html'],
    ['/folder', '-> /folder/'],
    ['/folder/', '200 folder/index.html'],
    ['/folder/index.html', '200 folder/index.html'],
    ['/folder/index', '200 folder/index.html'],
    ['/both', '200 both.html'],
    ['/both/', '200 both/index.html'],
    ['/both.html', '200 both.html'],
    ['/both/index.html', '200 both/index.html'],
    ['/', 'not-found'],
  ]);
});

describe('S11, S14, S19: files by their exact name', () => {
  table(
    manifestOf(
      'index.html',
      'About.html',
      'x.html',
      'app.js',
      'a.txt/index.html',
      'v1.2.html',
      'data',
      'data.html',
      'note.html',
    ),
    [
      ['/', '200 index.html'],
      ['/index.html', '200 index.html'],
      ['/index', '200 index.html'],
      ['/About.html', '200 About.html'],
      ['/about.html', 'not-found'],
      ['/about', 'not-found'],
      ['/app.js', '200 app.js'],
      ['/app.js/', 'not-found'],
      ['/x.html/', 'not-found'],
      ['/a.txt', '-> /a.txt/'],
      ['/a.txt/', '200 a.txt/index.html'],
      ['/v1.2', '200 v1.2.html'],
      ['/v1.2/', '-> /v1.2'],
      ['/data', '200 data'],
      ['/note?x=1', '200 note.html'],
      ['/index/', '-> /index'],
    ],
  );
});

describe('S18: a redirect that would not reach the page is not made', () => {
  table(manifestOf('data', 'data.html', '_worker.js.html', 'ship.json.html', '.well-known/acme-challenge/index.html'), [
    ['/data/', '200 data.html'],
    ['/_worker.js/', '200 _worker.js.html'],
    ['/ship.json/', '200 ship.json.html'],
    ['//ship.json/', '-> /ship.json/'],
    ['/.well-known/acme-challenge', 'not-found'],
  ]);
});

describe('S9, S13: unclean paths', () => {
  table(manifestOf('index.html', 'about.html', 'docs/index.html', 'docs/a b&ü.html', '404.html'), [
    ['//', '-> /'],
    ['/.', '-> /'],
    ['//about', '-> /about'],
    ['//about?next=//evil.example', '-> /about?next=//evil.example'],
    ['/./about?', '-> /about?'],
    ['/docs//', '-> /docs/'],
    ['//docs', '-> /docs/'],
    ['/docs/.', '-> /docs/'],
    ['/docs/../about', '-> /about'],
    ['/docs/%2e%2e/about', '-> /about'],
    ['/docs?a=1&b=%2F', '-> /docs/?a=1&b=%2F'],
    ['//docs/a%20b%26%c3%bc', '-> /docs/a%20b&%C3%BC'],
    ['//nothing', '404 404.html'],
    ['/../about', '404 404.html'],
    ['/docs/../../about', '404 404.html'],
    ['//evil.example/', '404 404.html'],
    ['/\\evil.example', '404 404.html'],
    ['/%5cevil.example', '404 404.html'],
    ['/%2fevil.example', '404 404.html'],
    ['/%2f%2fevil.example', '404 404.html'],
    ['/docs%2Findex.html', '404 404.html'],
  ]);
});

describe('S10: spellings of one name', () => {
  const manifest = manifestOf('caf\u00e9.html');
  it.each(['/caf%C3%A9', '/caf%c3%a9', '/cafe%CC%81', '/%63afe%cc%81.html'])(
    '%s gives the file without a redirect',
    (target) => {
      expect(told(ask(target, manifest))).toBe('200 caf\u00e9.html');
    },
  );
  it('%25 matches no file', () => {
    expect(told(ask('/%2563af', manifest))).toBe('not-found');
  });
});

describe('S6, S12: what is never served', () => {
  const withheld = [
    'ship.json',
    '_redirects',
    '_headers',
    '_worker.js',
    '_routes.json',
    '.secret',
    '.well-knownish/a',
    'docs/.hidden/a.txt',
    '.well-known/acme-challenge/token',
    '.berth/unlock',
  ];
  const manifest = manifestOf(
    ...withheld,
    'docs/ship.json',
    'docs/_headers',
    '.well-known/security.txt',
    '.well-known/.nested',
    '.well-known/index.html',
  );
  it.each(withheld)('%s is missing', (path) => {
    expect(told(ask(`/${path}`, manifest))).toBe('not-found');
    expect(told(ask(`//${path}`, manifest))).toBe('not-found');
    expect(told(ask(`/${path.replace('.', '%2e').replace('_', '%5F')}`, manifest))).toBe('not-found');
  });
  it.each(['docs/ship.json', 'docs/_headers', '.well-known/security.txt', '.well-known/.nested'])(
    '%s is an ordinary file',
    (path) => {
      expect(told(ask(`/${path}`, manifest))).toBe(`200 ${path}`);
    },
  );
  it('a folder below /.well-known/ has its index page', () => {
    expect(told(ask('/.well-known/', manifest))).toBe('200 .well-known/index.html');
  });
});

describe('S39: not found', () => {
  table(manifestOf('404.html', 'docs/404.html', 'docs/api/v1/x.html', '.hidden/404.html'), [
    ['/nothing', '404 404.html'],
    ['/nothing/', '404 404.html'],
    ['/docs', '404 404.html'],
    ['/docs/', '404 docs/404.html'],
    ['/docs/nothing', '404 docs/404.html'],
    ['/docs/api/v1/nothing', '404 docs/404.html'],
    ['/docs/a%2Fb', '404 docs/404.html'],
    ['/docs/.git/config', '404 docs/404.html'],
    ['/.hidden/nothing', '404 404.html'],
    ['/404.html', '200 404.html'],
    ['/404', '200 404.html'],
  ]);

  it('S38: answers a route of a site with only an index page with 404', () => {
    expect(told(ask('/any/route', manifestOf('index.html')))).toBe('not-found');
  });
});

describe('S66: the longest paths', () => {
  const longest = [
    'a/'.repeat(512),
    'a/'.repeat(4000),
    `${'a/'.repeat(4000)}%2f`,
    '%61/'.repeat(2000),
    '.a/'.repeat(341),
    '/'.repeat(8000),
  ];
  it.each(longest)('%.12s is decided in a few milliseconds', (path) => {
    const manifest = manifestOf('404.html');
    const started = performance.now();
    for (let n = 0; n < 50; n += 1) ask(`/${path}`, manifest);
    expect((performance.now() - started) / 50).toBeLessThan(5);
  });
});

describe('S41, S42: methods', () => {
  const manifest = manifestOf('index.html', '404.html');
  it.each(['/', '/nothing', '//', '/%2f'])('on %s', (target) => {
    expect(ask(target, manifest, 'HEAD')).toEqual(ask(target, manifest));
    expect(ask(target, manifest, 'OPTIONS')).toEqual({ kind: 'options' });
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'TRACE', 'PROPFIND', 'get', 'QUERY']) {
      expect(ask(target, manifest, method)).toEqual({ kind: 'method-not-allowed' });
    }
  });
});

describe('for any site and any path', () => {
  const words = [
    'a',
    'b',
    'index',
    'index.html',
    '404.html',
    'a.html',
    'b.html',
    'caf\u00e9',
    'x y',
    '.git',
    '.html',
    '.well-known',
    '.berth',
    'unlock',
    'acme-challenge',
    'ship.json',
    '_headers',
    '_worker.js',
    '_headers.html',
  ];
  const word = fc.constantFrom(...words);
  const site = fc
    .array(fc.array(word, { minLength: 1, maxLength: 3 }), { maxLength: 12 })
    .map((paths) => paths.map((segments) => segments.join('/')).filter((path) => normalizePath(path).ok))
    .map((paths) => {
      const kept: string[] = [];
      for (const path of paths) if (!findPathConflict([...kept, path])) kept.push(path);
      return manifestOf(...kept);
    });
  const spelled = fc.oneof(
    { weight: 6, arbitrary: word.map((text) => encodeURIComponent(text)) },
    {
      weight: 1,
      arbitrary: word.map((text) =>
        [...Buffer.from(text)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join(''),
      ),
    },
    { weight: 2, arbitrary: fc.constantFrom('', '.', '..', '%2e%2e', 'a%2fb', '%5c', '\\') },
  );
  const target = fc
    .tuple(fc.array(spelled, { maxLength: 5 }), fc.boolean(), fc.constantFrom('', '?', '?q=1', '?//evil.example'))
    .map(([segments, slash, query]) => `/${segments.join('/')}${slash ? '/' : ''}${query}`);
  const runs = { numRuns: 3000 };

  it('S12: never serves a withheld file', () => {
    fc.assert(
      fc.property(site, target, (manifest, asked) => {
        const intent = ask(asked, manifest);
        if (intent.kind !== 'file') return;
        expect(isWithheld(intent.path) || isSystemPath(intent.path)).toBe(false);
        expect(intent.file).toBe(manifest.get(intent.path));
      }),
      runs,
    );
  });

  it('S13, T33: never redirects to anything but a path on the same host', () => {
    fc.assert(
      fc.property(site, target, (manifest, asked) => {
        const intent = ask(asked, manifest);
        if (intent.kind !== 'redirect') return;
        expect(intent.location).toMatch(/^\/(?![/\\])[\x21-\x7e]*$/);
        expect(new URL(intent.location, 'http://site.example').host).toBe('site.example');
      }),
      runs,
    );
  });

  it('S18: reaches a 200 in one hop wherever it redirects, the query kept', () => {
    let redirects = 0;
    fc.assert(
      fc.property(site, target, (manifest, asked) => {
        const intent = ask(asked, manifest);
        if (intent.kind !== 'redirect') return;
        redirects += 1;
        expect(ask(intent.location, manifest)).toMatchObject({ kind: 'file', status: 200 });
        expect(intent.location.slice(asked.includes('?') ? intent.location.indexOf('?') : intent.location.length)).toBe(
          asked.includes('?') ? asked.slice(asked.indexOf('?')) : '',
        );
      }),
      runs,
    );
    expect(redirects).toBeGreaterThan(0);
  });

  it('S15: serves every file at its own path', () => {
    fc.assert(
      fc.property(site, (manifest) => {
        for (const path of manifest.keys()) {
          if (isWithheld(path) || isSystemPath(path)) continue;
          expect(told(ask(encodeURI(`/${path}`), manifest))).toBe(`200 ${path}`);
        }
      }),
    );
  });
});
