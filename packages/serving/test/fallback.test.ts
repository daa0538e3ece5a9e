import { MAX_PATH_SEGMENTS } from '@berth/contract';
import { describe, expect, it, vi } from 'vitest';
import { resolveTarget, type Sketch, siteOf, formatIntent } from './visits.ts';

const sites: [title: string, sketch: Sketch][] = [
  ['a rewrite of everything', { files: ['shell.html', '404.html'], whenMissing: ['/* 200 /shell.html'] }],
  ['a forced rewrite of everything', { files: ['shell.html', '404.html'], forced: ['/* 200 /shell'] }],
  ['a root 200.html', { files: ['200.html', '404.html'] }],
];

describe.each(sites)('%s, as the fallback of a site,', (_, sketch) => {
  const site = siteOf(sketch);
  const isPage = (target: string, accept?: string) =>
    formatIntent(resolveTarget(target, site, { accept })).startsWith('200 ');

  it.each('/any/route /any/route/ / /v1.2 /a.b/c /x.html /x.123 /x.abcdefghi /x.a-b /x.'.split(' '))(
    'responds to %s, which has no extension or the extension .html (S36, S37)',
    (target) => expect(isPage(target)).toBe(true),
  );
  it.each('/assets/old.4f3a.js /favicon.ico /x.a /x.1a /x.mp4 /x.HTML /x.htm /a/x.abcdefgh'.split(' '))(
    'responds to %s, which has another extension, only if Accept names text/html (S36, S37)',
    (target) => {
      const browser = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8';
      for (const accept of [browser, 'text/html', 'TEXT/HTML;q=0.1'])
        expect(resolveTarget(target, site, { accept }), accept).toMatchObject({ status: 200, variesByAccept: true });
      const otherAccepts = [undefined, '', '*/*', 'text/*', 'image/avif,image/*,*/*;q=0.8', 'text/css,*/*;q=0.1'];
      for (const accept of [...otherAccepts, 'application/json', 'text/html;q=0, */*'])
        expect(resolveTarget(target, site, { accept }), accept).toMatchObject({
          status: 404,
          path: '404.html',
          variesByAccept: true,
        });
    },
  );
  it.each('/@jane.doe /package/lodash.js /domain/example.com'.split(' '))(
    'responds to %s, a route with a dot, in the address bar of a browser (S36)',
    (target) => expect(isPage(target, 'text/html,*/*;q=0.8')).toBe(true),
  );

  it.each([
    ['no type', [undefined, '']],
    ['any type', ['*/*', 'text/*', 'text/html,application/xml;q=0.9,*/*;q=0.8', 'application/json, text/plain, */*']],
    ['text/html', ['text/html', 'TEXT/HTML', ' text/html ; q=1', 'image/png, text/html;q=0.1']],
    ['text/html at a level', ['text/html;level=1', 'text/html;level=1;q=0, text/html']],
    ['text/html, but no others', ['text/*;q=0, text/html', '*/*;q=0, text/html;q=0.001']],
  ])('responds to a request whose Accept names %s, such as each of %j (S36)', (_, accepts) => {
    for (const accept of accepts) expect(isPage('/any/route', accept), accept).toBe(true);
  });
  it.each([
    ['other types', ['application/json', 'image/avif,image/*', 'text/plain', 'application/xhtml+xml', 'nonsense']],
    ['all but text/html', ['text/html;q=0', 'text/html; Q=0.000', 'text/html;q=0, */*', 'text/*;q=0, */*', '*/*;q=0']],
  ])('does not respond to a request whose Accept names %s, such as each of %j (S36)', (_, accepts) => {
    for (const accept of accepts)
      expect(formatIntent(resolveTarget('/any/route', site, { accept })), accept).toBe('404 404.html');
  });

  it('makes the response to a route vary by Accept, even if another page is sent (S38)', () => {
    expect(resolveTarget('/any/route', site)).toMatchObject({ kind: 'file', status: 200, variesByAccept: true });
    expect(resolveTarget('/any/route', site, { accept: 'image/png' })).toMatchObject({
      status: 404,
      variesByAccept: true,
    });
  });
  it('decides the response to an unclean path, too, which varies by Accept (S9, S38)', () => {
    expect(resolveTarget('//any/route', site)).toEqual({
      kind: 'canonical',
      location: '/any/route',
      variesByAccept: true,
    });
    expect(resolveTarget('//any/route', site, { accept: 'image/png' })).toMatchObject({
      status: 404,
      variesByAccept: true,
    });
  });
});

describe('a fallback', () => {
  it('does not exist on a site with only an index page, where a route is 404 (S38)', () => {
    expect(resolveTarget('/any/route', siteOf({ files: ['index.html'] }))).toEqual({
      kind: 'not-found',
      variesByAccept: false,
    });
  });
  it('does not come from a 200.html in a folder (S36)', () => {
    expect(formatIntent(resolveTarget('/docs/x', siteOf({ files: ['docs/200.html'] })))).toBe('404');
  });
  it('does not replace files and page forms, which do not vary by Accept (S38)', () => {
    const site = siteOf({ files: ['index.html', 'x.html', 'app.js', '200.html'] });
    for (const target of ['/', '/x', '/x/', '/app.js', '/200', '/200.html']) {
      expect(resolveTarget(target, site, { accept: 'image/png' })).toEqual(resolveTarget(target, site));
      expect(resolveTarget(target, site)).toMatchObject({ variesByAccept: false });
    }
  });
  it('is not a rule without a star, nor a rule to an asset, which match any extension and any Accept (S36)', () => {
    const site = siteOf({
      files: ['index.html', 'logo.svg', 'LICENSE'],
      whenMissing: ['/feed.xml 200 /index.html', '/images/* 200 /logo.svg', '/licences/* 200 /LICENSE'],
    });
    const accept = 'image/png';
    expect(resolveTarget('/feed.xml', site, { accept })).toMatchObject({ path: 'index.html', variesByAccept: false });
    expect(resolveTarget('/images/a.png', site, { accept })).toMatchObject({ path: 'logo.svg', variesByAccept: false });
    expect(resolveTarget('/licences/mit', site, { accept })).toMatchObject({ path: 'LICENSE', variesByAccept: false });
  });
  it('is not a rule for a path that the rule maps to an asset (S36)', () => {
    const site = siteOf({ files: ['new/a.html', 'new/logo.png'], whenMissing: ['/old/* 200 /new/:splat'] });
    expect(resolveTarget('/old/a', site, { accept: 'image/png' })).toMatchObject({
      kind: 'not-found',
      variesByAccept: true,
    });
    expect(resolveTarget('/old/logo.png', site)).toMatchObject({ path: 'new/logo.png', variesByAccept: false });
  });
  it('is a rule to a page, however the rule names its destination (S36)', () => {
    const site = siteOf({ files: ['v1.js.html'], whenMissing: ['/* 200 /v1.js'] });
    expect(formatIntent(resolveTarget('/x', site))).toBe('200 v1.js.html');
    expect(formatIntent(resolveTarget('/x.js', site))).toBe('404');
  });
  it('is not a 404 rule with a star, which responds to every request (S25, S36)', () => {
    const site = siteOf({ files: ['gone.html'], whenMissing: ['/* 404 /gone.html'] });
    expect(resolveTarget('/x.js', site, { accept: 'image/png' })).toMatchObject({ status: 404, path: 'gone.html' });
  });
});

describe('a fallback that does not apply', () => {
  const site = siteOf({
    files: ['index.html', 'x.html'],
    cleanUrls: true,
    forced: ['/x/* 200 /index.html'],
    whenMissing: ['/app/* 200 /index.html', '/app/api 302 https://api.example/', '/none/* 200 /none.html'],
  });
  const accept = 'application/json';

  it('leaves the request to the next rule, whose response then varies by Accept (S26, S38)', () => {
    const redirect = { kind: 'redirect', status: 302, location: 'https://api.example/', variesByAccept: true };
    expect(resolveTarget('/app/api', site, { accept })).toEqual(redirect);
    expect(formatIntent(resolveTarget('/app/api', site))).toBe('200 index.html');
  });
  it('leaves the request to the default not-found page, which then varies by Accept (S38)', () => {
    expect(resolveTarget('/app/x', site, { accept })).toEqual({ kind: 'not-found', variesByAccept: true });
  });
  it('does not make the response vary by Accept if its page is missing (S29, S38)', () => {
    expect(resolveTarget('/none/x', site, { accept })).toEqual({ kind: 'not-found', variesByAccept: false });
  });
  it('decides, too, whether a request is redirected to the canonical address (S18, S38)', () => {
    expect(resolveTarget('/x.html', site, { accept })).toEqual({
      kind: 'canonical',
      location: '/x',
      variesByAccept: true,
    });
    expect(resolveTarget('/x.html', site)).toMatchObject({ status: 200, path: 'x.html', variesByAccept: true });
  });
});

describe('S39: the 404 page of a path with more segments than a file can have', () => {
  const target = `/${'a/'.repeat(500)}x`;

  it('is the 404.html of the nearest folder', () => {
    const deepest = `${'a/'.repeat(MAX_PATH_SEGMENTS - 1)}404.html`;
    expect(formatIntent(resolveTarget(target, siteOf({ files: ['404.html', deepest] })))).toBe(`404 ${deepest}`);
  });
  it('is searched only in folders that can have files', () => {
    const site = siteOf({ files: ['index.html'] });
    const hasFile = vi.spyOn(site.manifest, 'has');
    expect(resolveTarget(target, site)).toMatchObject({ kind: 'not-found' });
    expect(hasFile.mock.calls.length).toBeLessThan(MAX_PATH_SEGMENTS + 10);
  });
});
