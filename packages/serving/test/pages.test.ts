import { describe, expect, it } from 'vitest';
import { ask, formatIntent, siteOf, type Sketch, testAnswers } from './visits.ts';

const REQUESTS =
  '/file /file/ /file.html /folder /folder/ /folder/index.html /both /both/ /both.html /both/index.html'.split(' ');

const FILE = '200 file.html';
const FOLDER = '200 folder/index.html';
const BOTH = '200 both.html';
const BOTH_INDEX = '200 both/index.html';

/** The rows of the table; its columns are in the order of the requests. */
const ROWS: [title: string, settings: Omit<Sketch, 'files'>, answers: string[]][] = [
  ['default', {}, [FILE, '-> /file', FILE, '-> /folder/', FOLDER, FOLDER, BOTH, BOTH_INDEX, BOTH, BOTH_INDEX]],
  [
    'cleanUrls',
    { cleanUrls: true },
    [FILE, '-> /file', '-> /file', '-> /folder/', FOLDER, '-> /folder/', BOTH, BOTH_INDEX, '-> /both', '-> /both/'],
  ],
  [
    'trailingSlash true',
    { trailingSlash: true },
    ['-> /file/', FILE, FILE, '-> /folder/', FOLDER, FOLDER, '-> /both/', BOTH_INDEX, BOTH, BOTH_INDEX],
  ],
  [
    'trailingSlash false',
    { trailingSlash: false },
    [FILE, '-> /file', FILE, FOLDER, '-> /folder', FOLDER, BOTH, '-> /both', BOTH, BOTH_INDEX],
  ],
  [
    'cleanUrls, slash true',
    { cleanUrls: true, trailingSlash: true },
    ['-> /file/', FILE, '-> /file/', '-> /folder/', FOLDER, '-> /folder/', '-> /both/', BOTH_INDEX, BOTH, '-> /both/'],
  ],
  [
    'cleanUrls, slash false',
    { cleanUrls: true, trailingSlash: false },
    [FILE, '-> /file', '-> /file', FOLDER, '-> /folder', '-> /folder', BOTH, '-> /both', '-> /both', BOTH_INDEX],
  ],
];

describe.each(ROWS)('pages and slashes: %s (S15, S16, S20)', (_, settings, answers) => {
  const site = siteOf({ files: ['file.html', 'folder/index.html', 'both.html', 'both/index.html'], ...settings });
  it.each(REQUESTS.map((request, index) => [request, answers[index]!]))(
    'a request for %s results in %s',
    (request, expected) => {
      expect(formatIntent(ask(request, site))).toBe(expected);
    },
  );
});

const SETTINGS = [null, true, false].flatMap((trailingSlash) =>
  [false, true].map((cleanUrls) => ({ cleanUrls, trailingSlash })),
);

describe.each(SETTINGS)('whatever the settings, as with %o', (settings) => {
  const files = ['index.html', 'app.js', 'data', 'a.txt/index.html', 'v1.2.html', 'x.html'];
  const site = siteOf({ files, ...settings });

  it('the front page stays at / (S16)', () => {
    expect(formatIntent(ask('/', site))).toBe('200 index.html');
  });
  it('slash settings do not affect an exact file (S14)', () => {
    expect(formatIntent(ask('/app.js', site))).toBe('200 app.js');
    expect(formatIntent(ask('/data', site))).toBe('200 data');
  });
  it('a file or page with a trailing slash is 404, unless it is a folder (S19)', () => {
    expect(formatIntent(ask('/app.js/', site))).toBe('404');
    expect(formatIntent(ask('/x.html/', site))).toBe('404');
    expect(formatIntent(ask('/v1.2.html/', site))).toBe('404');
  });
  it('names of folders and pages can contain a dot (S19)', () => {
    const folder = settings.trailingSlash === false ? '/a.txt' : '/a.txt/';
    const page = settings.trailingSlash ? '/v1.2/' : '/v1.2';
    expect(formatIntent(ask(folder, site))).toBe('200 a.txt/index.html');
    expect(formatIntent(ask(page, site))).toBe('200 v1.2.html');
  });
  it('folders are never listed (S15)', () => {
    const without = siteOf({ files: ['folder/a.txt', 'a.txt'], ...settings });
    expect(['/', '/folder', '/folder/'].map((target) => formatIntent(ask(target, without)))).toEqual([
      '404',
      '404',
      '404',
    ]);
  });
});

describe('with cleanUrls an index page has the address of its folder (S17)', () => {
  const files = ['index.html', 'x/index.html', 'x/index/index.html', 'index/y.html'];
  describe('by default', () => {
    testAnswers({ files, cleanUrls: true }, [
      ['/index.html', '-> /'],
      ['/index', '-> /'],
      ['/index.html?a=1', '-> /?a=1'],
      ['/x/index.html', '-> /x/'],
      ['/x/index', '-> /x/'],
      ['/x/index/', '200 x/index/index.html'],
      ['/x/index/index.html', '-> /x/index/'],
      ['/x/index/index', '-> /x/index/'],
      ['/index/', '-> /'],
      ['/index/y', '200 index/y.html'],
    ]);
  });
  describe('with trailingSlash false', () => {
    testAnswers({ files, cleanUrls: true, trailingSlash: false }, [
      ['/index.html', '-> /'],
      ['/index', '-> /'],
      ['/x/index.html', '-> /x'],
      ['/x/index', '-> /x'],
      ['/x/index/', '-> /x'],
      ['/x/index/index.html', '200 x/index/index.html'],
    ]);
  });
});

describe('a canonical redirect leads to the same file, otherwise the file is served in place (S17, S18)', () => {
  const files = ['data', 'data.html', '_worker.js.html', 'ship.json.html', '.well-known/acme-challenge/index.html'];
  testAnswers({ files }, [
    ['/data/', '200 data.html'],
    ['/_worker.js/', '200 _worker.js.html'],
    ['/ship.json/', '200 ship.json.html'],
    ['//ship.json/', '-> /ship.json/'],
    ['/.well-known/acme-challenge', '404'],
  ]);
  describe.each([null, true, false])('with cleanUrls, trailingSlash %s', (trailingSlash) => {
    testAnswers({ files: ['.well-known/.html'], cleanUrls: true, trailingSlash }, [
      ['/.well-known/.html', '200 .well-known/.html'],
      ['/.well-known/', '404'],
    ]);
  });
  describe('with cleanUrls', () => {
    testAnswers({ files, cleanUrls: true }, [
      ['/data.html', '200 data.html'],
      ['/_worker.js.html', '200 _worker.js.html'],
      ['/ship.json.html', '200 ship.json.html'],
    ]);
  });
});

describe('canonical redirects respect the rules of the site (S18)', () => {
  const files = ['x.html', 'y.html', 'folder/index.html'];
  describe('if the address is redirected', () => {
    testAnswers(
      { files, cleanUrls: true, forced: ['/x 301 /x.html', '/y 301 /x', '/folder/ 301 https://example.com/'] },
      [
        ['/x', '301 /x.html'],
        ['/x.html', '200 x.html'],
        ['/y.html', '200 y.html'],
        ['/folder/index.html', '200 folder/index.html'],
      ],
    );
  });
  describe('if the trailing slash of the address contradicts the settings', () => {
    testAnswers({ files, trailingSlash: false, forced: ['/x 308 /x/'] }, [
      ['/x', '308 /x/'],
      ['/x/', '200 x.html'],
    ]);
  });
  describe('if the address is rewritten', () => {
    testAnswers({ files, cleanUrls: true, forced: ['/x 200 /y.html', '/y 200 /y.html', '/folder 404 /y.html'] }, [
      ['/x.html', '200 x.html'],
      ['/y.html', '-> /y'],
      ['/folder/index.html', '200 folder/index.html'],
    ]);
  });
  describe('if the address serves the file as a 404 page', () => {
    testAnswers({ files, cleanUrls: true, forced: ['/x 404 /x.html'] }, [
      ['/x', '404 x.html'],
      ['/x.html', '200 x.html'],
    ]);
  });
  describe('if the address is off limits, whatever rules there are', () => {
    testAnswers({ files: ['_worker.js.html'], cleanUrls: true, forced: ['/_worker.js 200 /_worker.js.html'] }, [
      ['/_worker.js', '404'],
      ['/_worker.js.html', '200 _worker.js.html'],
    ]);
  });
  describe('if a rule redirects only missing addresses', () => {
    testAnswers({ files, cleanUrls: true, whenMissing: ['/* 301 https://example.com/'] }, [
      ['/x.html', '-> /x'],
      ['/folder', '-> /folder/'],
    ]);
  });
});

describe('a canonical redirect keeps the query as sent (S13, S21)', () => {
  it.each(['?a=1&b=%2F', '?', '?next=//evil.example', '?%zz'])('%s', (query) => {
    const site = siteOf({ files: ['folder/index.html'] });
    expect(ask(`/folder${query}`, site)).toEqual({
      kind: 'canonical',
      location: `/folder/${query}`,
      variesByAccept: false,
    });
  });
});
