/*
 * Re-typed as data from firebase/superstatic, test/unit/middleware/files.spec.ts, test/integration/clean-urls.spec.ts and
 * test/integration/serving-files.spec.ts. Licence: MIT. Its canonical 301 is 307 here (S21).
 */
import type { Group } from './suite.ts';

const PAGE_FIRST = 'x.html is found before x/index.html (S15)';
const PAGE_FORMS = 'x.html is found at /x without a setting (S15)';
const SLASHED = 'a page requested with a slash is redirected to its address (S15)';
const OF_FOLDER = 'the address of an index page is that of its folder, with a slash (S15)';
const SAME_FILE = 'a redirect must lead to the same file (S17)';

const FOO = ['foo.html', 'foo/index.html', 'foo/bar.html'];
const APP = ['index.html', 'test.html', 'app.js', 'dir/index.html', 'dir/sub.html'];

export const superstatic: Group[] = [
  {
    title: 'no settings',
    site: { files: FOO },
    cases: [
      ['/foo', '-> /foo/', '200 foo.html', PAGE_FIRST],
      ['/foo.html', '200 foo.html'],
      ['/foo.html/', '404'],
      ['/foo/', '200 foo/index.html'],
      ['/foo/bar', '404', '200 foo/bar.html', PAGE_FORMS],
      ['/foo/bar.html', '200 foo/bar.html'],
      ['/foo/bar.html/', '404'],
      ['/foo/bar/', '404', '-> /foo/bar', SLASHED],
      ['/foo/index', '404', '200 foo/index.html', PAGE_FORMS],
      ['/foo/index.html', '200 foo/index.html'],
      ['/foo/index.html/', '404'],
      ['/foo?query=params', '-> /foo/?query=params', '200 foo.html', PAGE_FIRST],
    ],
  },
  {
    title: 'trailingSlash false',
    site: { files: FOO, trailingSlash: false },
    cases: [
      ['/foo', '200 foo/index.html', '200 foo.html', PAGE_FIRST],
      ['/foo.html', '200 foo.html'],
      ['/foo.html/', '404'],
      ['/foo/', '-> /foo'],
      ['/foo////', '-> /foo'],
      ['/foo/bar', '404', '200 foo/bar.html', PAGE_FORMS],
      ['/foo/bar.html', '200 foo/bar.html'],
      ['/foo/bar.html/', '404'],
      ['/foo/bar/', '404', '-> /foo/bar', PAGE_FORMS],
      ['/foo/index', '404', '200 foo/index.html', PAGE_FORMS],
      ['/foo/index.html', '200 foo/index.html'],
      ['/foo/index.html/', '404'],
    ],
  },
  {
    title: 'trailingSlash true',
    site: { files: FOO, trailingSlash: true },
    cases: [
      ['/foo', '-> /foo/'],
      ['/foo.html', '200 foo.html'],
      ['/foo.html/', '404'],
      ['/foo/', '200 foo/index.html'],
      ['/foo/bar', '404', '-> /foo/bar/', PAGE_FORMS],
      ['/foo/bar.html', '200 foo/bar.html'],
      ['/foo/bar.html/', '404'],
      ['/foo/bar/', '404', '200 foo/bar.html', PAGE_FORMS],
      ['/foo/index', '404', '-> /foo/index/', PAGE_FORMS],
      ['/foo/index.html', '200 foo/index.html'],
      ['/foo/index.html/', '404'],
    ],
  },
  {
    title: 'cleanUrls',
    site: { files: FOO, cleanUrls: true },
    cases: [
      ['/foo', '200 foo/index.html', '200 foo.html', PAGE_FIRST],
      ['/foo.html', '-> /foo'],
      ['/foo.html/', '404'],
      ['/foo/', '200 foo/index.html'],
      ['/foo/bar', '200 foo/bar.html'],
      ['/foo/bar.html', '-> /foo/bar'],
      ['/foo/bar.html/', '404'],
      ['/foo/bar/', '404', '-> /foo/bar', SLASHED],
      ['/foo/index', '-> /foo', '-> /foo/', OF_FOLDER],
      ['/foo/index.html', '-> /foo', '-> /foo/', OF_FOLDER],
      ['/foo/index.html/', '404'],
    ],
  },
  {
    title: 'cleanUrls, trailingSlash false',
    site: { files: FOO, cleanUrls: true, trailingSlash: false },
    cases: [
      ['/foo', '200 foo/index.html', '200 foo.html', PAGE_FIRST],
      ['/foo.html', '-> /foo'],
      ['/foo.html/', '404'],
      ['/foo/', '-> /foo'],
      ['/foo/bar', '200 foo/bar.html'],
      ['/foo/bar.html', '-> /foo/bar'],
      ['/foo/bar.html/', '404'],
      ['/foo/bar/', '-> /foo/bar'],
      ['/foo/index', '-> /foo', '200 foo/index.html', SAME_FILE],
      ['/foo/index.html', '-> /foo', '200 foo/index.html', SAME_FILE],
      ['/foo/index.html/', '404'],
    ],
  },
  {
    title: 'cleanUrls, trailingSlash true',
    site: { files: FOO, cleanUrls: true, trailingSlash: true },
    cases: [
      ['/foo', '-> /foo/'],
      ['/foo.html', '-> /foo/', '200 foo.html', SAME_FILE],
      ['/foo.html/', '404'],
      ['/foo/', '200 foo/index.html'],
      ['/foo/bar', '-> /foo/bar/'],
      ['/foo/bar.html', '-> /foo/bar/'],
      ['/foo/bar.html/', '404'],
      ['/foo/bar/', '200 foo/bar.html'],
      ['/foo/index', '-> /foo/'],
      ['/foo/index.html', '-> /foo/'],
      ['/foo/index.html/', '404'],
    ],
  },
  {
    title: 'files by their name',
    site: { files: ['index.html', 'superstatic.html', 'style.css', '\u00e4\u00e4\u00e4.html'] },
    cases: [
      ['/', '200 index.html'],
      ['/style.css', '200 style.css'],
      ['/%C3%A4%C3%A4%C3%A4.html', '200 \u00e4\u00e4\u00e4.html'],
      ['/superstatic.html?key=value', '200 superstatic.html'],
    ],
  },
  {
    title: 'an app',
    site: { files: APP },
    cases: [
      ['/test', '404', '200 test.html', PAGE_FORMS],
      ['/test.html', '200 test.html'],
      ['/app.js', '200 app.js'],
      ['/dir/', '200 dir/index.html'],
      ['/dir', '-> /dir/'],
      ['/../README.md', '404'],
    ],
  },
  {
    title: 'an app with cleanUrls',
    site: { files: APP, cleanUrls: true },
    cases: [
      ['/test.html', '-> /test'],
      ['/test', '200 test.html'],
    ],
  },
  {
    title: 'an app with redirects',
    site: { files: APP, forced: ['/from 301 /to', '/fromCustom 302 /toCustom', '/external 301 http://redirect.com/'] },
    cases: [
      ['/from', '301 /to'],
      ['/fromCustom', '302 /toCustom'],
      ['/external', '301 http://redirect.com', '301 http://redirect.com/', 'a URL has a path, if only /'],
    ],
  },
  {
    title: 'an app with one rewrite and cleanUrls',
    site: { files: APP, cleanUrls: true, whenMissing: ['/testing 200 /index.html'] },
    cases: [
      ['/testing', '200 index.html'],
      ['/test', '200 test.html'],
    ],
  },
  {
    title: 'an app with a rewrite for everything',
    site: { files: [...APP, '404.html'], whenMissing: ['/* 200 /index.html'] },
    cases: [
      ['/test.html', '200 test.html'],
      ['/index.html', '200 index.html'],
      ['/dir/', '200 dir/index.html'],
      ['/testing/', '200 index.html'],
    ],
  },
];
