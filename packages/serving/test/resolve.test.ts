import { describe, expect, it } from 'vitest';
import { ask, type DecidedSite, formatIntent, siteOf, type Sketch, testAnswers } from './visits.ts';

describe('the steps of resolving run in order (S1)', () => {
  const everything: Sketch = {
    files: ['page.html', 'page/index.html', 'app.js', 'docs/404.html', '404.html', '200.html', 'other.html'],
    forced: ['/app.js 302 /forced', '/page/ 302 /forced'],
    whenMissing: ['/app.js 302 /late', '/page 302 /late', '/gone 302 /late', '/docs/* 404 /none.html'],
  };
  testAnswers(everything, [
    ['/app.js', '302 /forced'],
    ['/page', '302 /forced'],
    ['/page.html', '200 page.html'],
    ['/gone', '302 /late'],
    ['/any/route', '200 200.html'],
    ['/any/route.js', '404 404.html'],
    ['/docs/route.js', '404 docs/404.html'],
    ['/%2Fgone', '404 404.html'],
    ['/.gone', '404 404.html'],
  ]);
});

describe('files are found by their exact name (S11, S14, S19)', () => {
  const files = ['index.html', 'About.html', 'x.html', 'app.js', 'a.txt/index.html', 'v1.2.html', 'data', 'data.html'];
  testAnswers({ files }, [
    ['/', '200 index.html'],
    ['/index.html', '200 index.html'],
    ['/index', '200 index.html'],
    ['/index/', '-> /index'],
    ['/About.html', '200 About.html'],
    ['/about.html', '404'],
    ['/about', '404'],
    ['/app.js', '200 app.js'],
    ['/app.js/', '404'],
    ['/x.html/', '404'],
    ['/a.txt', '-> /a.txt/'],
    ['/a.txt/', '200 a.txt/index.html'],
    ['/v1.2', '200 v1.2.html'],
    ['/v1.2/', '-> /v1.2'],
    ['/data', '200 data'],
    ['/x?x=1', '200 x.html'],
  ]);
});

describe('a segment with an encoded slash, or a path that is too long, is 404 without further steps (S8)', () => {
  const long = 'a'.repeat(256);
  const deep = 'a/'.repeat(513);
  testAnswers({ files: ['404.html', 'index.html', '200.html', 'docs/404.html'], forced: ['/* 301 /'] }, [
    ['/a%2Fb', '404 404.html'],
    ['/a%2fb', '404 404.html'],
    ['/a\\b', '404 404.html'],
    ['/a%5Cb', '404 404.html'],
    ['/docs/a%5cb', '404 docs/404.html'],
    ['/%2F', '404 404.html'],
    [`/${long}`, '404 404.html'],
    [`/${deep}`, '404 404.html'],
    [`/${'b'.repeat(255)}`, '301 /'],
  ]);
});

describe('an unclean path is never served in place (S9, S13)', () => {
  testAnswers({ files: ['index.html', 'about.html', 'docs/index.html', 'docs/a b&ü.html', '404.html'] }, [
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
    ['/../x', '404 404.html'],
    ['/../about', '404 404.html'],
    ['/docs/../../about', '404 404.html'],
    ['//evil.example/', '404 404.html'],
    ['/\\evil.example', '404 404.html'],
    ['/%5cevil.example', '404 404.html'],
    ['/%2fevil.example', '404 404.html'],
    ['/%2f%2fevil.example', '404 404.html'],
    ['/docs%2Findex.html', '404 404.html'],
  ]);

  describe('with rules', () => {
    const forced = ['/old 301 /new', '/hidden 404 /404.html'];
    testAnswers({ files: ['index.html', 'hidden.html', '404.html'], forced, whenMissing: ['/app/* 200 /index.html'] }, [
      ['//app/route', '-> /app/route'],
      ['//app//route?q', '-> /app/route?q'],
      ['//app/old.js', '404 404.html'],
      ['//hidden', '404 404.html'],
      ['//old', '301 /new'],
      ['/x/..//old?q', '301 /new?q'],
    ]);
  });
});

describe('all encodings of a name serve one file, without a redirect (S10)', () => {
  const site = siteOf({ files: ['caf\u00e9.html'] });
  it.each(['/caf%C3%A9', '/caf%c3%a9', '/cafe%CC%81', '/%63afe%cc%81.html'])('%s serves café.html', (target) => {
    expect(formatIntent(ask(target, site))).toBe('200 caf\u00e9.html');
  });
  it('%25 matches no file', () => {
    expect(formatIntent(ask('/%2563af', site))).toBe('404');
  });
});

describe('withheld files (S6, S12)', () => {
  const withheld = (
    'ship.json _redirects _headers _worker.js _routes.json .secret ' +
    '.well-knownish/a docs/.hidden/a.txt .well-known/acme-challenge/token .berth/unlock'
  ).split(' ');
  const files = [
    ...withheld,
    'index.html',
    'docs/ship.json',
    'docs/_headers',
    '.well-known/security.txt',
    '.well-known/.nested',
    '.well-known/index.html',
    '_worker.js.html',
  ];
  const sites: [title: string, site: DecidedSite][] = [
    ['without rules', siteOf({ files })],
    ['with a fallback', siteOf({ files: [...files, '200.html'], whenMissing: ['/* 200 /index.html'] })],
    ['with a forced rewrite', siteOf({ files, forced: ['/* 200 /docs/ship.json'] })],
    ['with a forced redirect', siteOf({ files, forced: ['/* 301 https://example.com/:splat'] })],
  ];
  describe.each(sites)('%s', (_, site) => {
    it.each(withheld)('%s is 404', (path) => {
      const spellings = [`/${path}`, `//${path}`, `/${path.replace('.', '%2e').replace('_', '%5F')}`];
      expect(spellings.map((target) => formatIntent(ask(target, site)))).toEqual(['404', '404', '404']);
    });
  });

  it.each(withheld)('%s is 404 also as the destination of a rule', (path) => {
    const rules = [`/a 200 /${path}`, `/b/* 200 /${path}`, `/c 404 /${path}`];
    for (const site of [siteOf({ files, forced: rules }), siteOf({ files, whenMissing: rules })]) {
      expect(['/a', '/b/x', '/c'].map((target) => formatIntent(ask(target, site)))).toEqual(['404', '404', '404']);
    }
  });

  testAnswers({ files }, [
    ['/docs/ship.json', '200 docs/ship.json'],
    ['/docs/_headers', '200 docs/_headers'],
    ['/.well-known/security.txt', '200 .well-known/security.txt'],
    ['/.well-known/.nested', '200 .well-known/.nested'],
    ['/.well-known/', '200 .well-known/index.html'],
  ]);
});

describe('not found (S39)', () => {
  const files = ['404.html', 'docs/404.html', 'docs/api/v1/x.html', '.hidden/404.html'];
  testAnswers({ files }, [
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

  it.each([undefined, 'text/html', 'application/json', 'text/html;q=0'])(
    "the site's own 404.html is served with Accept %s",
    (accept) => {
      expect(formatIntent(ask('/nothing', siteOf({ files }), { accept }))).toBe('404 404.html');
    },
  );
});

describe('methods are checked before paths and rules (S41, S42)', () => {
  const site = siteOf({ files: ['index.html', '404.html'], forced: ['/old 301 /new'] });
  it.each(['/', '/nothing', '//', '/%2f', '/old', '/.git/config'])('OPTIONS and unknown methods on %s', (target) => {
    expect(ask(target, site, { method: 'HEAD' })).toEqual(ask(target, site));
    expect(ask(target, site, { method: 'OPTIONS' })).toEqual({ kind: 'options' });
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'TRACE', 'PROPFIND', 'get', 'QUERY']) {
      expect(ask(target, site, { method })).toEqual({ kind: 'method-not-allowed' });
    }
  });
});
