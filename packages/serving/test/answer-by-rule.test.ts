import { describe, expect, it } from 'vitest';
import { resolve } from '../src/resolve.ts';
import type { RuleMatch } from '../src/rules/rules.ts';
import { ask, formatIntent, siteOf, testAnswers } from './visits.ts';

describe('a single-page app serves its page on all routes, without a redirect (S25)', () => {
  for (const settings of [
    {},
    { cleanUrls: true },
    { trailingSlash: true },
    { cleanUrls: true, trailingSlash: false },
  ]) {
    testAnswers({ files: ['index.html', 'app.js'], ...settings, whenMissing: ['/* 200 /index.html'] }, [
      ['/any/route', '200 index.html'],
      ['/any/route/', '200 index.html'],
      ['/any/route?q=1', '200 index.html'],
      ['/', '200 index.html'],
      ['/app.js', '200 app.js'],
    ]);
  }
});

describe('forced rules take precedence over files, and files over other rules (S25)', () => {
  testAnswers(
    {
      files: ['a.html', 'b.html', 'c.html', 'folder/index.html', 'app.js', 'not.html'],
      forced: ['/a 301 /b', '/b.html 200 /c.html', '/app.js 404 /not.html', '/folder/* 302 /c'],
      whenMissing: ['/c 301 /a', '/folder 301 /a', '/gone 404 /not.html', '/moved 303 /a'],
    },
    [
      ['/a', '301 /b'],
      ['/a.html', '200 a.html'],
      ['/b.html', '200 c.html'],
      ['/app.js', '404 not.html'],
      ['/folder', '302 /c'],
      ['/folder/x', '302 /c'],
      ['/c', '200 c.html'],
      ['/gone', '404 not.html'],
      ['/moved', '303 /a'],
    ],
  );
});

describe('a redirect has the status code of its rule (S25, S31)', () => {
  it.each([301, 302, 303, 307, 308])('such as %d', (status) => {
    const site = siteOf({ files: [], forced: [`/old ${status} /new`] });
    expect(ask('/old', site)).toEqual({ kind: 'redirect', status, location: '/new', variesByAccept: false });
  });
});

describe('the first rule that matches and can act wins (S26)', () => {
  const files = ['a.html', 'b.html', 'index.html', 'data.json'];
  testAnswers(
    {
      files,
      whenMissing: [
        '/one 200 /nothing',
        '/one 301 https://example.com/one',
        '/one 301 /two',
        '/self 301 /self',
        '/self 200 /a.html',
        '/far 200 https://example.com/',
        '/far 404 https://example.com/',
        '/far 200 /b.html',
        '/app/* 200 /index.html',
        '/app/* 404 /data.json',
      ],
    },
    [
      ['/one', '301 https://example.com/one'],
      ['/self', '200 a.html'],
      ['/far', '200 b.html'],
      ['/app/route', '200 index.html'],
      ['/app/image.png', '404 data.json'],
    ],
  );
});

describe('query and fragment of a redirect (S27)', () => {
  const forced = [
    '/plain 301 /new',
    '/query 301 /new?b=2',
    '/empty 301 /new?',
    '/fragment 301 /new#part',
    '/both 301 /new?b=2#part',
    '/far 301 https://example.com/new#part',
    '/far-query 301 https://example.com/new?b=2',
  ];
  testAnswers({ files: [], forced }, [
    ['/plain', '301 /new'],
    ['/plain?a=1', '301 /new?a=1'],
    ['/plain?', '301 /new?'],
    ['/query?a=1', '301 /new?b=2'],
    ['/empty?a=1', '301 /new?'],
    ['/fragment', '301 /new#part'],
    ['/fragment?a=1', '301 /new?a=1#part'],
    ['/both?a=1', '301 /new?b=2#part'],
    ['/far?a=1', '301 https://example.com/new?a=1#part'],
    ['/far-query?a=1', '301 https://example.com/new?b=2'],
  ]);
});

describe('a redirect to the requested address itself is skipped (S28)', () => {
  const forced = ['/same 301 /same', '/slash 301 /slash/', '/lang 302 /lang?l=en', '/all/* 301 /all/:splat'];
  testAnswers({ files: ['same.html', 'slash.html', 'lang.html'], forced, whenMissing: ['/all/* 302 /other'] }, [
    ['/same', '200 same.html'],
    ['/same?a=1', '200 same.html'],
    ['/same/', '301 /same'],
    ['/slash', '301 /slash/'],
    ['/slash/', '200 slash.html'],
    ['/lang', '302 /lang?l=en'],
    ['/lang?l=de', '302 /lang?l=en'],
    ['/lang?l=en', '200 lang.html'],
    ['/all/x', '302 /other'],
    ['/all/%C3%A9', '302 /other'],
    ['/all/e%CC%81', '302 /other'],
  ]);

  it('skips a redirect that differs from the request only in the fragment', () => {
    const site = siteOf({ files: [], forced: ['/x 301 /x#part'] });
    expect(formatIntent(ask('/x', site))).toBe('404');
  });
});

describe('a rewrite only finds files and page forms (S29)', () => {
  const files = ['page.html', 'folder/index.html', 'both.html', 'both/index.html', 'data.json'];
  const whenMissing = [
    '/1 200 /page',
    '/2 200 /page/',
    '/3 200 /folder',
    '/4 200 /folder/',
    '/5 200 /both',
    '/6 200 /both/',
    '/7 200 /data.json',
    '/8 200 /moved',
    '/9 200 /9',
    '/moved 200 /page',
    '/copy/* 200 /:splat',
  ];
  testAnswers({ files, whenMissing }, [
    ['/1', '200 page.html'],
    ['/2', '200 page.html'],
    ['/3', '200 folder/index.html'],
    ['/4', '200 folder/index.html'],
    ['/5', '200 both.html'],
    ['/6', '200 both/index.html'],
    ['/7', '200 data.json'],
    ['/8', '404'],
    ['/9', '404'],
    ['/moved', '200 page.html'],
    ['/copy/data.json', '200 data.json'],
    ['/copy/page', '200 page.html'],
  ]);
  it.each([{ cleanUrls: true }, { trailingSlash: true }, { trailingSlash: false }])(
    'serves page forms without a canonical redirect, with the settings %o',
    (settings) => {
      const site = siteOf({ files, whenMissing: ['/x 200 /page.html', '/y 200 /folder/index'], ...settings });
      expect(formatIntent(ask('/x', site))).toBe('200 page.html');
      expect(formatIntent(ask('/y', site))).toBe('200 folder/index.html');
    },
  );
});

describe('Location (S13)', () => {
  const site = siteOf({ files: [] });
  const rule: RuleMatch = { status: 301, origin: null, path: '', query: '', fragment: '', isFallback: false };
  it.each([
    ['', '/'],
    ['/evil.example', '/evil.example'],
    ['//evil.example', '/evil.example'],
    ['\\evil.example', '/%5Cevil.example'],
    ['a b/\u00e9?#%', '/a%20b/%C3%A9%3F%23%25'],
  ])('is encoded for a rule with the destination %j: %s', (path, location) => {
    const forced = { matches: () => [{ ...rule, path }] };
    const request = { method: 'GET', path: { path: 'x', clean: true, servable: true }, query: '', accept: undefined };
    expect(resolve(request, { ...site, rules: { ...site.rules, forced } })).toMatchObject({ location });
  });
});

describe('rules that match but cannot act (S26, S65)', () => {
  const unservableRules = (count: number) => Array.from({ length: count }, (_, n) => `/x 200 /missing-${n}`);
  it.each([
    [31, '200 a.html'],
    [32, '404'],
  ])('are skipped: after %d of them the response is %s', (count, expected) => {
    const site = siteOf({ files: ['a.html'], whenMissing: [...unservableRules(count), '/x 200 /a.html'] });
    expect(formatIntent(ask('/x', site))).toBe(expected);
  });
});
