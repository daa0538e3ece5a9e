import { describe, expect, it } from 'vitest';
import { resolveTarget, formatIntent, siteOf, type Sketch, testAnswers } from './visits.ts';

const REQUESTS =
  '/file /file/ /file.html /folder /folder/ /folder/index.html /both /both/ /both.html /both/index.html'.split(' ');

const FILE = '200 file.html';
const FOLDER = '200 folder/index.html';
const BOTH_FILE = '200 both.html';
const BOTH_INDEX = '200 both/index.html';

/** The rows of the table. The columns are in the order of the requests. */
const ROWS: [settings: Omit<Sketch, 'files'>, answers: string[]][] = [
  [{}, [FILE, '-> /file', FILE, '-> /folder/', FOLDER, FOLDER, BOTH_FILE, BOTH_INDEX, BOTH_FILE, BOTH_INDEX]],
  [
    { cleanUrls: true },
    [
      FILE,
      '-> /file',
      '-> /file',
      '-> /folder/',
      FOLDER,
      '-> /folder/',
      BOTH_FILE,
      BOTH_INDEX,
      '-> /both',
      '-> /both/',
    ],
  ],
  [
    { trailingSlash: true },
    ['-> /file/', FILE, FILE, '-> /folder/', FOLDER, FOLDER, '-> /both/', BOTH_INDEX, BOTH_FILE, BOTH_INDEX],
  ],
  [
    { trailingSlash: false },
    [FILE, '-> /file', FILE, FOLDER, '-> /folder', FOLDER, BOTH_FILE, '-> /both', BOTH_FILE, BOTH_INDEX],
  ],
  [
    { cleanUrls: true, trailingSlash: true },
    [
      '-> /file/',
      FILE,
      '-> /file/',
      '-> /folder/',
      FOLDER,
      '-> /folder/',
      '-> /both/',
      BOTH_INDEX,
      BOTH_FILE,
      '-> /both/',
    ],
  ],
  [
    { cleanUrls: true, trailingSlash: false },
    [FILE, '-> /file', '-> /file', FOLDER, '-> /folder', '-> /folder', BOTH_FILE, '-> /both', '-> /both', BOTH_INDEX],
  ],
];

describe.each(ROWS)('with the settings %o for pages and slashes (S15, S16, S20),', (settings, answers) => {
  const site = siteOf({ files: ['file.html', 'folder/index.html', 'both.html', 'both/index.html'], ...settings });
  it.each(REQUESTS.map((request, index) => [request, answers[index]!]))(
    'a request for %s results in %s',
    (request, expected) => {
      expect(formatIntent(resolveTarget(request, site))).toBe(expected);
    },
  );
});

for (const trailingSlash of [null, true, false])
  for (const cleanUrls of [false, true])
    describe(`whatever the settings, as with cleanUrls ${cleanUrls} and trailingSlash ${trailingSlash}`, () => {
      const settings = { cleanUrls, trailingSlash };
      testAnswers('the front page stays at /, exact files have no slash, and names can contain a dot (S14, S16, S19)', {
        files: ['index.html', 'app.js', 'data', 'a.txt/index.html', 'v1.2.html', 'x.html'],
        ...settings,
        answers: {
          '200 index.html': '/',
          '200 app.js': '/app.js',
          '200 data': '/data',
          '200 a.txt/index.html': trailingSlash === false ? '/a.txt' : '/a.txt/',
          '200 v1.2.html': trailingSlash === true ? '/v1.2/' : '/v1.2',
          '404': '/app.js/ /x.html/ /v1.2.html/',
        },
      });
      testAnswers('folders are never listed (S15)', {
        files: ['folder/a.txt', 'a.txt'],
        ...settings,
        answers: { '404': '/ /folder /folder/' },
      });
    });

describe('with cleanUrls an index page has the address of its folder (S17)', () => {
  const files = ['index.html', 'x/index.html', 'x/index/index.html', 'index/y.html'];
  testAnswers('by default', {
    files,
    cleanUrls: true,
    answers: {
      '-> /': '/index.html /index /index/',
      '-> /?a=1': '/index.html?a=1',
      '-> /x/': '/x/index.html /x/index',
      '-> /x/index/': '/x/index/index.html /x/index/index',
      '200 x/index/index.html': '/x/index/',
      '200 index/y.html': '/index/y',
    },
  });
  testAnswers('with trailingSlash false', {
    files,
    cleanUrls: true,
    trailingSlash: false,
    answers: {
      '-> /': '/index.html /index',
      '-> /x': '/x/index.html /x/index /x/index/',
      '200 x/index/index.html': '/x/index/index.html',
    },
  });
});

describe('a canonical redirect leads to the same file, otherwise the file is served in place (S17, S18)', () => {
  const files = ['data', 'data.html', '_worker.js.html', 'ship.json.html', '.well-known/acme-challenge/index.html'];
  testAnswers('by default', {
    files,
    answers: {
      '200 data.html': '/data/',
      '200 _worker.js.html': '/_worker.js/',
      '200 ship.json.html': '/ship.json/',
      '-> /ship.json/': '//ship.json/',
      '404': '/.well-known/acme-challenge',
    },
  });
  testAnswers('with cleanUrls', {
    files,
    cleanUrls: true,
    answers: {
      '200 data.html': '/data.html',
      '200 _worker.js.html': '/_worker.js.html',
      '200 ship.json.html': '/ship.json.html',
    },
  });
  for (const trailingSlash of [null, true, false])
    testAnswers(`with cleanUrls and trailingSlash ${trailingSlash}`, {
      files: ['.well-known/.html'],
      cleanUrls: true,
      trailingSlash,
      answers: { '200 .well-known/.html': '/.well-known/.html', '404': '/.well-known/' },
    });
});

describe('canonical redirects respect the rules of the site (S18)', () => {
  const files = ['x.html', 'y.html', 'folder/index.html'];
  testAnswers('if the address is redirected', {
    files,
    cleanUrls: true,
    forced: ['/x 301 /x.html', '/y 301 /x', '/folder/ 301 https://example.com/'],
    answers: {
      '301 /x.html': '/x',
      '200 x.html': '/x.html',
      '200 y.html': '/y.html',
      '200 folder/index.html': '/folder/index.html',
    },
  });
  testAnswers('if the trailing slash of the address contradicts the settings', {
    files,
    trailingSlash: false,
    forced: ['/x 308 /x/'],
    answers: { '308 /x/': '/x', '200 x.html': '/x/' },
  });
  testAnswers('if the address is rewritten', {
    files,
    cleanUrls: true,
    forced: ['/x 200 /y.html', '/y 200 /y.html', '/folder 404 /y.html'],
    answers: { '200 x.html': '/x.html', '-> /y': '/y.html', '200 folder/index.html': '/folder/index.html' },
  });
  testAnswers('if the address serves the file as a 404 page', {
    files,
    cleanUrls: true,
    forced: ['/x 404 /x.html'],
    answers: { '404 x.html': '/x', '200 x.html': '/x.html' },
  });
  testAnswers('if the address is off limits, whatever rules there are', {
    files: ['_worker.js.html'],
    cleanUrls: true,
    forced: ['/_worker.js 200 /_worker.js.html'],
    answers: { '404': '/_worker.js', '200 _worker.js.html': '/_worker.js.html' },
  });
  testAnswers('if a rule redirects only missing addresses', {
    files,
    cleanUrls: true,
    whenMissing: ['/* 301 https://example.com/'],
    answers: { '-> /x': '/x.html', '-> /folder/': '/folder' },
  });
});

testAnswers('a canonical redirect keeps the query as sent (S13, S21)', {
  files: ['folder/index.html'],
  answers: Object.fromEntries(
    ['?a=1&b=%2F', '?', '?next=//evil.example', '?%zz'].map((query) => [`-> /folder/${query}`, `/folder${query}`]),
  ),
});
