import { describe, expect, it } from 'vitest';
import { ask, type Sketch, siteOf, formatIntent } from './visits.ts';

const sites: [title: string, sketch: Sketch][] = [
  ['a rewrite of everything', { files: ['shell.html', '404.html'], whenMissing: ['/* 200 /shell.html'] }],
  ['a forced rewrite of everything', { files: ['shell.html', '404.html'], forced: ['/* 200 /shell'] }],
  ['a root 200.html', { files: ['200.html', '404.html'] }],
];

describe.each(sites)('%s', (_, sketch) => {
  const site = siteOf(sketch);
  const isPage = (target: string, accept?: string) => formatIntent(ask(target, site, { accept })).startsWith('200 ');

  it.each('/any/route /any/route/ / /v1.2 /a.b/c /x.html /x.123 /x.abcdefghi /x.a-b /x.'.split(' '))(
    'answers %s, which has no extension or .html (S36, S37)',
    (target) => expect(isPage(target)).toBe(true),
  );
  it.each('/assets/old.4f3a.js /favicon.ico /x.a /x.1a /x.mp4 /x.HTML /x.htm /a/x.abcdefgh'.split(' '))(
    'does not answer %s, which has another extension (S36, S37)',
    (target) => {
      expect(formatIntent(ask(target, site))).toBe('404 404.html');
      expect(ask(target, site)).toMatchObject({ variesByAccept: false });
    },
  );

  it.each([
    ['no type', [undefined, '']],
    ['any type', ['*/*', 'text/*', 'text/html,application/xml;q=0.9,*/*;q=0.8', 'application/json, text/plain, */*']],
    ['text/html', ['text/html', 'TEXT/HTML', ' text/html ; q=1', 'image/png, text/html;q=0.1']],
    ['text/html at a level', ['text/html;level=1', 'text/html;level=1;q=0, text/html']],
    ['text/html, but no others', ['text/*;q=0, text/html', '*/*;q=0, text/html;q=0.001']],
  ])('answers a request whose Accept names %s: %j (S36)', (_, accepts) => {
    for (const accept of accepts) expect(isPage('/any/route', accept), accept).toBe(true);
  });
  it.each([
    ['other types', ['application/json', 'image/avif,image/*', 'text/plain', 'application/xhtml+xml', 'nonsense']],
    ['all but text/html', ['text/html;q=0', 'text/html; Q=0.000', 'text/html;q=0, */*', 'text/*;q=0, */*', '*/*;q=0']],
  ])('does not answer a request whose Accept names %s: %j (S36)', (_, accepts) => {
    for (const accept of accepts)
      expect(formatIntent(ask('/any/route', site, { accept })), accept).toBe('404 404.html');
  });

  it('varies by Accept, whether it is used or not (S38)', () => {
    expect(ask('/any/route', site)).toMatchObject({ kind: 'file', status: 200, variesByAccept: true });
    expect(ask('/any/route', site, { accept: 'image/png' })).toMatchObject({ status: 404, variesByAccept: true });
  });
  it('also decides the response to an unclean path, which varies by Accept (S9, S38)', () => {
    expect(ask('//any/route', site)).toEqual({ kind: 'canonical', location: '/any/route', variesByAccept: true });
    expect(ask('//any/route', site, { accept: 'image/png' })).toMatchObject({ status: 404, variesByAccept: true });
  });
});

describe('no fallback', () => {
  it('exists on a site with only an index page: a route is 404 (S38)', () => {
    expect(ask('/any/route', siteOf({ files: ['index.html'] }))).toEqual({ kind: 'not-found', variesByAccept: false });
  });
  it('comes from a 200.html in a folder (S36)', () => {
    expect(formatIntent(ask('/docs/x', siteOf({ files: ['docs/200.html'] })))).toBe('404');
  });
  it('applies to files and page forms, which do not vary by Accept (S38)', () => {
    const site = siteOf({ files: ['index.html', 'x.html', 'app.js', '200.html'] });
    for (const target of ['/', '/x', '/x/', '/app.js', '/200', '/200.html']) {
      expect(ask(target, site, { accept: 'image/png' })).toEqual(ask(target, site));
      expect(ask(target, site)).toMatchObject({ variesByAccept: false });
    }
  });
  it('restricts rules without a star and rules to an asset, which match any extension and any Accept (S36)', () => {
    const site = siteOf({
      files: ['index.html', 'logo.svg', 'LICENSE'],
      whenMissing: ['/feed.xml 200 /index.html', '/images/* 200 /logo.svg', '/licences/* 200 /LICENSE'],
    });
    const accept = 'image/png';
    expect(ask('/feed.xml', site, { accept })).toMatchObject({ path: 'index.html', variesByAccept: false });
    expect(ask('/images/a.png', site, { accept })).toMatchObject({ path: 'logo.svg', variesByAccept: false });
    expect(ask('/licences/mit', site, { accept })).toMatchObject({ path: 'LICENSE', variesByAccept: false });
  });
  it('restricts a rule for the paths that it maps to an asset (S36)', () => {
    const site = siteOf({ files: ['new/a.html', 'new/logo.png'], whenMissing: ['/old/* 200 /new/:splat'] });
    expect(ask('/old/a', site, { accept: 'image/png' })).toMatchObject({ kind: 'not-found', variesByAccept: true });
    expect(ask('/old/logo.png', site)).toMatchObject({ path: 'new/logo.png', variesByAccept: false });
  });
  it('depends on how a rule names its destination, only on whether the file is a page (S36)', () => {
    const site = siteOf({ files: ['v1.js.html'], whenMissing: ['/* 200 /v1.js'] });
    expect(formatIntent(ask('/x', site))).toBe('200 v1.js.html');
    expect(formatIntent(ask('/x.js', site))).toBe('404');
  });
  it('restricts a 404 rule with a star, which answers every request (S25, S36)', () => {
    const site = siteOf({ files: ['gone.html'], whenMissing: ['/* 404 /gone.html'] });
    expect(ask('/x.js', site, { accept: 'image/png' })).toMatchObject({ status: 404, path: 'gone.html' });
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

  it('leaves the response to the next rule, which then varies by Accept (S26, S38)', () => {
    const redirect = { kind: 'redirect', status: 302, location: 'https://api.example/', variesByAccept: true };
    expect(ask('/app/api', site, { accept })).toEqual(redirect);
    expect(formatIntent(ask('/app/api', site))).toBe('200 index.html');
  });
  it('leaves the response to the default not-found page, which then varies by Accept (S38)', () => {
    expect(ask('/app/x', site, { accept })).toEqual({ kind: 'not-found', variesByAccept: true });
  });
  it('does not make the response vary by Accept if its page is missing (S29, S38)', () => {
    expect(ask('/none/x', site, { accept })).toEqual({ kind: 'not-found', variesByAccept: false });
  });
  it('also decides whether a request is redirected to the canonical address (S18, S38)', () => {
    expect(ask('/x.html', site, { accept })).toEqual({ kind: 'canonical', location: '/x', variesByAccept: true });
    expect(ask('/x.html', site)).toMatchObject({ status: 200, path: 'x.html', variesByAccept: true });
  });
});
