import { describe, expect, it } from 'vitest';
import { resolveTarget, type DecidedSite, formatIntent, siteOf, testAnswers } from './visits.ts';

testAnswers('the steps of resolving run in order (S1)', {
  files: ['page.html', 'page/index.html', 'app.js', 'docs/404.html', '404.html', '200.html', 'other.html'],
  forced: ['/app.js 302 /forced', '/page/ 302 /forced'],
  whenMissing: ['/app.js 302 /late', '/page 302 /late', '/gone 302 /late', '/docs/* 404 /none.html'],
  answers: {
    '302 /forced': '/app.js /page',
    '200 page.html': '/page.html',
    '302 /late': '/gone',
    '200 200.html': '/any/route',
    '404 404.html': '/any/route.js /%2Fgone /.gone',
    '404 docs/404.html': '/docs/route.js',
  },
});

testAnswers('files are found by their exact name (S11, S14, S19)', {
  files: ['index.html', 'About.html', 'x.html', 'app.js', 'a.txt/index.html', 'v1.2.html', 'data', 'data.html'],
  answers: {
    '200 index.html': '/ /index.html /index',
    '-> /index': '/index/',
    '200 About.html': '/About.html',
    '200 app.js': '/app.js',
    '-> /a.txt/': '/a.txt',
    '200 a.txt/index.html': '/a.txt/',
    '200 v1.2.html': '/v1.2',
    '-> /v1.2': '/v1.2/',
    '200 data': '/data',
    '200 x.html': '/x?x=1',
    '404': '/about.html /about /app.js/ /x.html/',
  },
});

testAnswers('a segment with an encoded slash, or a path that is too long, is 404 without further steps (S8)', {
  files: ['404.html', 'index.html', '200.html', 'docs/404.html'],
  forced: ['/* 301 /'],
  answers: {
    '404 404.html': `/a%2Fb /a%2fb /a\\b /a%5Cb /%2F /${'a'.repeat(256)} /${'a/'.repeat(513)}`,
    '404 docs/404.html': '/docs/a%5cb',
    '301 /': `/${'b'.repeat(255)}`,
  },
});

testAnswers('an unclean path is never served in place (S9, S13)', {
  files: ['index.html', 'about.html', 'docs/index.html', 'docs/a b&ü.html', '404.html'],
  answers: {
    '-> /': '// /.',
    '-> /about': '//about /docs/../about /docs/%2e%2e/about',
    '-> /about?next=//evil.example': '//about?next=//evil.example',
    '-> /about?': '/./about?',
    '-> /docs/': '/docs// //docs /docs/.',
    '-> /docs/?a=1&b=%2F': '/docs?a=1&b=%2F',
    '-> /docs/a%20b&%C3%BC': '//docs/a%20b%26%c3%bc',
    '404 404.html':
      '//nothing /../x /../about /docs/../../about //evil.example/ /\\evil.example /%5cevil.example /%2fevil.example ' +
      '/%2f%2fevil.example /docs%2Findex.html',
  },
});

testAnswers('an unclean path is never served in place, with rules (S9, S13)', {
  files: ['index.html', 'hidden.html', '404.html'],
  forced: ['/old 301 /new', '/hidden 404 /404.html'],
  whenMissing: ['/app/* 200 /index.html'],
  answers: {
    '-> /app/route': '//app/route',
    '-> /app/route?q': '//app//route?q',
    '404 404.html': '//app/old.js //hidden',
    '301 /new': '//old',
    '301 /new?q': '/x/..//old?q',
  },
});

testAnswers('all encodings of a name serve one file, without a redirect; %25 is part of no name (S10)', {
  files: ['caf\u00e9.html'],
  answers: { '200 caf\u00e9.html': '/caf%C3%A9 /caf%c3%a9 /cafe%CC%81 /%63afe%cc%81.html', '404': '/%2563af' },
});

describe('withheld files (S6, S12)', () => {
  const withheldPaths = (
    'ship.json _redirects _headers _worker.js _routes.json .secret ' +
    '.well-knownish/a docs/.hidden/a.txt .well-known/acme-challenge/token .berth/unlock'
  ).split(' ');
  const servedPaths = ['docs/ship.json', 'docs/_headers', '.well-known/security.txt', '.well-known/.nested'];
  const files = [...withheldPaths, ...servedPaths, 'index.html', '.well-known/index.html', '_worker.js.html'];
  const sites: [title: string, site: DecidedSite][] = [
    ['without rules', siteOf({ files })],
    ['with a fallback', siteOf({ files: [...files, '200.html'], whenMissing: ['/* 200 /index.html'] })],
    ['with a forced rewrite', siteOf({ files, forced: ['/* 200 /docs/ship.json'] })],
    ['with a forced redirect', siteOf({ files, forced: ['/* 301 https://example.com/:splat'] })],
  ];
  describe.each(sites)('on a site %s', (_, site) => {
    it.each(withheldPaths)('such as %s get a 404', (path) => {
      const spellings = [`/${path}`, `//${path}`, `/${path.replace('.', '%2e').replace('_', '%5F')}`];
      expect(spellings.map((target) => formatIntent(resolveTarget(target, site)))).toEqual(['404', '404', '404']);
    });
  });

  it.each(withheldPaths)('such as %s get a 404 as the destination of a rule, too', (path) => {
    const rules = [`/a 200 /${path}`, `/b/* 200 /${path}`, `/c 404 /${path}`];
    for (const site of [siteOf({ files, forced: rules }), siteOf({ files, whenMissing: rules })]) {
      expect(['/a', '/b/x', '/c'].map((target) => formatIntent(resolveTarget(target, site)))).toEqual([
        '404',
        '404',
        '404',
      ]);
    }
  });

  testAnswers('differ from served files with similar names', {
    files,
    answers: {
      ...Object.fromEntries(servedPaths.map((path) => [`200 ${path}`, `/${path}`])),
      '200 .well-known/index.html': '/.well-known/',
    },
  });
});

describe('the response for a missing path (S39)', () => {
  const files = ['404.html', 'docs/404.html', 'docs/api/v1/x.html', '.hidden/404.html'];
  testAnswers('is the page of the closest folder', {
    files,
    answers: {
      '404 404.html': '/nothing /nothing/ /docs /.hidden/nothing',
      '404 docs/404.html': '/docs/ /docs/nothing /docs/api/v1/nothing /docs/a%2Fb /docs/.git/config',
      '200 404.html': '/404.html /404',
    },
  });

  it.each([undefined, 'text/html', 'application/json', 'text/html;q=0'])(
    'is the 404.html of the site for a request with Accept %s',
    (accept) => {
      expect(formatIntent(resolveTarget('/nothing', siteOf({ files }), { accept }))).toBe('404 404.html');
    },
  );
});

describe('the method of a request (S41, S42)', () => {
  const site = siteOf({ files: ['index.html', '404.html'], forced: ['/old 301 /new'] });
  it.each(['/', '/nothing', '//', '/%2f', '/old', '/.git/config'])(
    'is checked before the rules and the path, for %s',
    (target) => {
      expect(resolveTarget(target, site, { method: 'HEAD' })).toEqual(resolveTarget(target, site));
      expect(resolveTarget(target, site, { method: 'OPTIONS' })).toEqual({ kind: 'options' });
      for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'TRACE', 'PROPFIND', 'get', 'QUERY']) {
        expect(resolveTarget(target, site, { method })).toEqual({ kind: 'method-not-allowed' });
      }
    },
  );
});
