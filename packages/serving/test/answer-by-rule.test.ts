import { describe, expect, it } from 'vitest';
import { resolve } from '../src/resolve.ts';
import type { RuleMatch } from '../src/rules/rules.ts';
import { resolveTarget, formatIntent, siteOf, testAnswers } from './visits.ts';

for (const settings of [{}, { cleanUrls: true }, { trailingSlash: true }, { cleanUrls: true, trailingSlash: false }])
  testAnswers(`a single-page app serves its page on all routes, with the settings ${JSON.stringify(settings)} (S25)`, {
    files: ['index.html', 'app.js'],
    ...settings,
    whenMissing: ['/* 200 /index.html'],
    answers: { '200 index.html': '/any/route /any/route/ /any/route?q=1 /', '200 app.js': '/app.js' },
  });

testAnswers('forced rules take precedence over files, and files over other rules (S25)', {
  files: ['a.html', 'b.html', 'c.html', 'folder/index.html', 'app.js', 'not.html'],
  forced: ['/a 301 /b', '/b.html 200 /c.html', '/app.js 404 /not.html', '/folder/* 302 /c'],
  whenMissing: ['/c 301 /a', '/folder 301 /a', '/gone 404 /not.html', '/moved 303 /a'],
  answers: {
    '301 /b': '/a',
    '200 a.html': '/a.html',
    '200 c.html': '/b.html /c',
    '404 not.html': '/app.js /gone',
    '302 /c': '/folder /folder/x',
    '303 /a': '/moved',
  },
});

describe('a redirect of a rule (S25, S31)', () => {
  it.each([301, 302, 303, 307, 308])('has the status code %d of its rule', (status) => {
    const site = siteOf({ files: [], forced: [`/old ${status} /new`] });
    expect(resolveTarget('/old', site)).toEqual({ kind: 'redirect', status, location: '/new', variesByAccept: false });
  });
});

testAnswers('the first rule that matches and can act wins (S26)', {
  files: ['a.html', 'b.html', 'index.html', 'data.json'],
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
  answers: {
    '301 https://example.com/one': '/one',
    '200 a.html': '/self',
    '200 b.html': '/far',
    '200 index.html': '/app/route',
    '404 data.json': '/app/image.png',
  },
});

testAnswers('query and fragment of a redirect (S27)', {
  files: [],
  forced: [
    '/plain 301 /new',
    '/query 301 /new?b=2',
    '/empty 301 /new?',
    '/fragment 301 /new#part',
    '/both 301 /new?b=2#part',
    '/far 301 https://example.com/new#part',
    '/far-query 301 https://example.com/new?b=2',
  ],
  answers: {
    '301 /new': '/plain',
    '301 /new?a=1': '/plain?a=1',
    '301 /new?': '/plain? /empty?a=1',
    '301 /new?b=2': '/query?a=1',
    '301 /new#part': '/fragment',
    '301 /new?a=1#part': '/fragment?a=1',
    '301 /new?b=2#part': '/both?a=1',
    '301 https://example.com/new?a=1#part': '/far?a=1',
    '301 https://example.com/new?b=2': '/far-query?a=1',
  },
});

testAnswers('a redirect to the requested address itself is skipped, whatever its fragment (S28)', {
  files: ['same.html', 'slash.html', 'lang.html', 'part.html'],
  forced: [
    '/same 301 /same',
    '/slash 301 /slash/',
    '/lang 302 /lang?l=en',
    '/part 301 /part#part',
    '/all/* 301 /all/:splat',
  ],
  whenMissing: ['/all/* 302 /other'],
  answers: {
    '200 same.html': '/same /same?a=1',
    '301 /same': '/same/',
    '301 /slash/': '/slash',
    '200 slash.html': '/slash/',
    '302 /lang?l=en': '/lang /lang?l=de',
    '200 lang.html': '/lang?l=en',
    '200 part.html': '/part',
    '302 /other': '/all/x /all/%C3%A9 /all/e%CC%81',
  },
});

describe('a rewrite only finds files and page forms (S29)', () => {
  const files = ['page.html', 'folder/index.html', 'both.html', 'both/index.html', 'data.json'];
  testAnswers('that exist', {
    files,
    whenMissing: [
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
    ],
    answers: {
      '200 page.html': '/1 /2 /moved /copy/page',
      '200 folder/index.html': '/3 /4',
      '200 both.html': '/5',
      '200 both/index.html': '/6',
      '200 data.json': '/7 /copy/data.json',
      '404': '/8 /9',
    },
  });
  for (const settings of [{ cleanUrls: true }, { trailingSlash: true }, { trailingSlash: false }])
    testAnswers(`without a canonical redirect, with the settings ${JSON.stringify(settings)}`, {
      files,
      whenMissing: ['/x 200 /page.html', '/y 200 /folder/index'],
      ...settings,
      answers: { '200 page.html': '/x', '200 folder/index.html': '/y' },
    });
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
  ])('of a rule with the destination %j is the encoded path %s', (path, location) => {
    const forced = { matches: () => [{ ...rule, path }] };
    const requested = { path: 'x', clean: true, servable: true };
    const request = { method: 'GET', host: 'site.example', path: requested, query: '', accept: undefined };
    expect(resolve(request, { ...site, rules: { ...site.rules, forced } })).toMatchObject({ location });
  });
});

it.each([
  [31, '200 a.html'],
  [32, '404'],
])('after %d rules that match but cannot act, the response is %s (S26, S65)', (count, expected) => {
  const unservableRules = Array.from({ length: count }, (_, n) => `/x 200 /missing-${n}`);
  expect(
    formatIntent(
      resolveTarget('/x', siteOf({ files: ['a.html'], whenMissing: [...unservableRules, '/x 200 /a.html'] })),
    ),
  ).toBe(expected);
});
