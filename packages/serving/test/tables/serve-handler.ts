/*
 * Re-typed as data from vercel/serve-handler, test/integration.test.js: the cases about paths. Licence: MIT.
 * Its canonical 301 is 307 here (S21). `listing` stands for a directory listing.
 */
import type { Group } from './suite.ts';

const NO_LISTING = 'folders are never listed (S15)';
const REACHES = 'a canonical redirect reaches a 200, never a 404 (S18)';
const WITHHELD = 'dot files are withheld, also from rules (S12)';
const UNSLASHED = 'a folder requested without a slash is redirected to its address (S15)';
const RULES_FIRST = 'redirects of the site come before redirects for slashes (S1)';

const FILES = [
  '.dotfile',
  '404.html',
  'clean-file.html',
  'directory/clean-file.html',
  'directory/index.html',
  'docs.md',
  'object.json',
  'single-directory/content.txt',
  'special-directory/not-an-index.md',
];

export const serveHandler: Group[] = [
  {
    title: 'no settings',
    site: { files: FILES },
    cases: [
      ['/', 'listing', '404 404.html', NO_LISTING],
      ['/special-directory', 'listing', '404 404.html', NO_LISTING],
      ['/.dotfile', '200 .dotfile', '404 404.html', WITHHELD],
      ['/object.json', '200 object.json'],
      ['/mask-off.json', '404 404.html'],
      ['/not-existing', '404 404.html'],
      ['/symlinks/package.json', '404 404.html'],
      ['/single-directory', '200 single-directory/content.txt', '404 404.html', NO_LISTING],
      ['/../../test', '400', '404 404.html', 'a path that leaves the site is missing (S9)'],
      ['/%E0%A4%A', '400'],
    ],
  },
  {
    title: 'trailingSlash true',
    site: { files: FILES, trailingSlash: true },
    cases: [
      ['/test', '-> /test/', '404 404.html', REACHES],
      ['/test//////', '-> /test/', '404 404.html', REACHES],
      ['/directory', '-> /directory/'],
      ['/directory//////', '-> /directory/'],
    ],
  },
  {
    title: 'trailingSlash false',
    site: { files: FILES, trailingSlash: false },
    cases: [
      ['/test/', '-> /test', '404 404.html', REACHES],
      ['/directory/', '-> /directory'],
    ],
  },
  {
    title: 'cleanUrls',
    site: { files: FILES, cleanUrls: true },
    cases: [
      ['//haveibeenpwned.com/index', '-> /haveibeenpwned.com', '404 404.html', REACHES],
      ['/directory', '200 directory/index.html', '-> /directory/', UNSLASHED],
      ['/directory/clean-file.html', '-> /directory/clean-file'],
      ['/index', '-> /', '404 404.html', REACHES],
    ],
  },
  {
    title: 'rewrites',
    site: {
      files: FILES,
      whenMissing: ['/face/* 200 /.dotfile', '/id/object 200 /object.json', '/secret 200 /404.html'],
    },
    cases: [
      ['/face/delete', '200 .dotfile', '404 404.html', WITHHELD],
      ['/mask/delete', '404 404.html'],
      ['/id/object', '200 object.json'],
      ['/secret', '200 404.html'],
    ],
  },
  {
    title: 'a rewrite for everything',
    site: { files: FILES, whenMissing: ['/* 200 /clean-file.html'] },
    cases: [['/whatever', '200 clean-file.html']],
  },
  {
    title: 'redirects',
    site: { files: FILES, forced: ['/face/* 301 /testing', '/me/* 301 /mask/:splat'] },
    cases: [
      ['/face/mask', '301 /testing'],
      ['/me/you', '301 /mask/you'],
      ['/test/mask', '404 404.html'],
    ],
  },
  {
    title: 'redirects, trailingSlash true',
    site: { files: FILES, trailingSlash: true, forced: ['/face/* 301 /testing'] },
    cases: [['/face/mask', '-> /face/mask/', '301 /testing', RULES_FIRST]],
  },
  {
    title: 'redirects, trailingSlash false',
    site: { files: FILES, trailingSlash: false, forced: ['/face/* 301 /testing'] },
    cases: [['/face/mask/', '-> /face/mask', '301 /testing', RULES_FIRST]],
  },
];
