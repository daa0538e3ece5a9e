/*
 * Re-typed as data from cloudflare/workers-sdk, packages/workers-shared/asset-worker/tests/test-cases
 * (html-handling-test-cases.ts, encoding-test-cases.ts). Licence: MIT or Apache-2.0.
 *
 * `auto-trailing-slash` corresponds to `cleanUrls`, `force-trailing-slash` and `drop-trailing-slash` to `cleanUrls` with
 * `trailingSlash` true and false. The mode `none`, which finds no page without its extension, has no counterpart.
 * Files with a `%` in their name are omitted, because they cannot be published.
 */
import type { Group } from './suite.ts';

const NO_FORM = 'a path without extension finds x.html and x/index.html, but not the other way round (S15)';
const IN_PLACE = 'a page whose address belongs to another file is served in place (S18)';
const SAME_FILE = 'a redirect must lead to the same file (S17)';
const NO_SLASH = 'a slash inside a segment is never resolved (S8)';
const NO_PERCENT = 'no stored name contains a % (S10)';
const SPELLING = 'encodings of one name are not redirected to each other (S10)';

const AUTO = { cleanUrls: true };
const DROP = { cleanUrls: true, trailingSlash: false };
const FORCE = { cleanUrls: true, trailingSlash: true };

const ROOT = ['index.html'];
const BOTH = ['both.html', 'both/index.html'];
const FILE = ['file.html'];
const FOLDER = ['folder/index.html'];
const BIN = ['bin/index.html'];
const FILE_BIN = ['file-bin', 'file-bin.html'];
const BOOP = ['[boop].html'];
const BOOPS = ['[boop].html', '[boop]/index.html'];
const ACCENT = ['beep/[b\u00f2op].html'];
const QUESTION = ['beep?boop.html'];

export const workersSdk: Group[] = [
  {
    title: 'auto: the front page',
    site: { ...AUTO, files: ROOT },
    cases: [
      ['/', '200 index.html'],
      ['/index', '-> /'],
      ['/index.html', '-> /'],
    ],
  },
  {
    title: 'auto: a page beside a folder',
    site: { ...AUTO, files: BOTH },
    cases: [
      ['/both', '200 both.html'],
      ['/both.html', '-> /both'],
      ['/both/', '200 both/index.html'],
      ['/both/index.html', '-> /both/'],
      ['/both/index', '-> /both/'],
    ],
  },
  {
    title: 'auto: a page',
    site: { ...AUTO, files: FILE },
    cases: [
      ['/file', '200 file.html'],
      ['/file.html', '-> /file'],
      ['/file/', '-> /file'],
      ['/file/index', '-> /file', '404', NO_FORM],
      ['/file/index.html', '-> /file', '404', NO_FORM],
    ],
  },
  {
    title: 'auto: a folder',
    site: { ...AUTO, files: FOLDER },
    cases: [
      ['/folder', '-> /folder/'],
      ['/folder.html', '-> /folder/', '404', NO_FORM],
      ['/folder/', '200 folder/index.html'],
      ['/folder/index', '-> /folder/'],
      ['/folder/index.html', '-> /folder/'],
    ],
  },
  {
    title: 'auto: an escaped slash',
    site: { ...AUTO, files: BIN },
    cases: [
      ['/bin', '-> /bin/'],
      ['/bin.html', '-> /bin/', '404', NO_FORM],
      ['/bin%2F', '-> /bin/', '404', NO_SLASH],
      ['/bin%252F', '200 bin%2F', '404', NO_PERCENT],
      ['/bin/', '200 bin/index.html'],
      ['/bin/index', '-> /bin/'],
      ['/bin/index.html', '-> /bin/'],
    ],
  },
  {
    title: 'auto: a page beside a file',
    site: { ...AUTO, files: FILE_BIN },
    cases: [
      ['/file-bin', '200 file-bin'],
      ['/file-bin.html', '200 file-bin.html'],
      ['/file-bin/', '404', '200 file-bin.html', IN_PLACE],
      ['/file-bin/index', '404'],
      ['/file-bin/index.html', '404'],
    ],
  },
  {
    title: 'drop: the front page',
    site: { ...DROP, files: ROOT },
    cases: [
      ['/', '200 index.html'],
      ['/index', '-> /'],
      ['/index.html', '-> /'],
    ],
  },
  {
    title: 'drop: a page beside a folder',
    site: { ...DROP, files: BOTH },
    cases: [
      ['/both', '200 both.html'],
      ['/both.html', '-> /both'],
      ['/both/', '-> /both'],
      ['/both/index', '-> /both', '200 both/index.html', SAME_FILE],
      ['/both/index.html', '200 both/index.html'],
    ],
  },
  {
    title: 'drop: a page',
    site: { ...DROP, files: FILE },
    cases: [
      ['/file', '200 file.html'],
      ['/file.html', '-> /file'],
      ['/file/', '-> /file'],
      ['/file/index', '-> /file', '404', NO_FORM],
      ['/file/index.html', '-> /file', '404', NO_FORM],
    ],
  },
  {
    title: 'drop: a folder',
    site: { ...DROP, files: FOLDER },
    cases: [
      ['/folder', '200 folder/index.html'],
      ['/folder.html', '-> /folder', '404', NO_FORM],
      ['/folder/', '-> /folder'],
      ['/folder/index', '-> /folder'],
      ['/folder/index.html', '-> /folder'],
    ],
  },
  {
    title: 'drop: an escaped slash',
    site: { ...DROP, files: BIN },
    cases: [
      ['/bin', '200 bin/index.html'],
      ['/bin.html', '-> /bin', '404', NO_FORM],
      ['/bin%2F', '-> /bin', '404', NO_SLASH],
      ['/bin%252F', '200 bin%2F', '404', NO_PERCENT],
      ['/bin/', '-> /bin'],
      ['/bin/index', '-> /bin'],
      ['/bin/index.html', '-> /bin'],
    ],
  },
  {
    title: 'drop: a page beside a file',
    site: { ...DROP, files: FILE_BIN },
    cases: [
      ['/file-bin', '200 file-bin'],
      ['/file-bin.html', '200 file-bin.html'],
      ['/file-bin/', '404', '200 file-bin.html', IN_PLACE],
      ['/file-bin/index', '404'],
      ['/file-bin/index.html', '404'],
    ],
  },
  {
    title: 'force: the front page',
    site: { ...FORCE, files: ROOT },
    cases: [
      ['/', '200 index.html'],
      ['/index', '-> /'],
      ['/index.html', '-> /'],
    ],
  },
  {
    title: 'force: a page beside a folder',
    site: { ...FORCE, files: BOTH },
    cases: [
      ['/both', '-> /both/'],
      ['/both.html', '200 both.html'],
      ['/both/', '200 both/index.html'],
      ['/both/index', '-> /both/'],
      ['/both/index.html', '-> /both/'],
    ],
  },
  {
    title: 'force: a page',
    site: { ...FORCE, files: FILE },
    cases: [
      ['/file', '-> /file/'],
      ['/file.html', '-> /file/'],
      ['/file/', '200 file.html'],
      ['/file/index', '-> /file/', '404', NO_FORM],
      ['/file/index.html', '-> /file/', '404', NO_FORM],
    ],
  },
  {
    title: 'force: a folder',
    site: { ...FORCE, files: FOLDER },
    cases: [
      ['/folder', '-> /folder/'],
      ['/folder.html', '-> /folder/', '404', NO_FORM],
      ['/folder/', '200 folder/index.html'],
      ['/folder/index', '-> /folder/'],
      ['/folder/index.html', '-> /folder/'],
    ],
  },
  {
    title: 'force: an escaped slash',
    site: { ...FORCE, files: BIN },
    cases: [
      ['/bin', '-> /bin/'],
      ['/bin.html', '-> /bin/', '404', NO_FORM],
      ['/bin%2F', '-> /bin/', '404', NO_SLASH],
      ['/bin%252F', '200 bin%2F', '404', NO_PERCENT],
      ['/bin/', '200 bin/index.html'],
      ['/bin/index', '-> /bin/'],
      ['/bin/index.html', '-> /bin/'],
    ],
  },
  {
    title: 'force: a page beside a file',
    site: { ...FORCE, files: FILE_BIN },
    cases: [
      ['/file-bin', '200 file-bin'],
      ['/file-bin.html', '-> /file-bin/'],
      ['/file-bin/', '200 file-bin.html'],
      ['/file-bin/index', '-> /file-bin/', '404', NO_FORM],
      ['/file-bin/index.html', '-> /file-bin/', '404', NO_FORM],
    ],
  },
  {
    title: 'auto: brackets in a name',
    site: { ...AUTO, files: BOOP },
    cases: [
      ['/[boop]', '-> /%5Bboop%5D', '200 [boop].html', SPELLING],
      ['/%5Bboop%5D', '200 [boop].html'],
      ['/%5Bboop%5D.html', '-> /%5Bboop%5D'],
      ['/[boop].html', '-> /%5Bboop%5D'],
      ['/%5Bboop%5D/', '-> /%5Bboop%5D'],
      ['/[boop]/', '-> /%5Bboop%5D'],
      ['/%255Bboop%255D', '200 %5Bboop%5D.html', '404', NO_PERCENT],
      ['/%255Bboop%255D.html', '-> /%255Bboop%255D', '404', NO_PERCENT],
    ],
  },
  {
    title: 'auto: brackets in two names',
    site: { ...AUTO, files: BOOPS },
    cases: [
      ['/[boop]', '-> /%5Bboop%5D', '200 [boop].html', SPELLING],
      ['/%5Bboop%5D', '200 [boop].html'],
      ['/[boop].html', '-> /%5Bboop%5D'],
      ['/%5Bboop%5D.html', '-> /%5Bboop%5D'],
      ['/[boop]/', '-> /%5Bboop%5D/', '200 [boop]/index.html', SPELLING],
      ['/%5Bboop%5D/', '200 [boop]/index.html'],
      ['/[boop]/index.html', '-> /%5Bboop%5D/'],
      ['/%5Bboop%5D/index.html', '-> /%5Bboop%5D/'],
    ],
  },
  {
    title: 'auto: a half escaped path',
    site: { ...AUTO, files: ACCENT },
    cases: [['/beep/[b%C3%B2op]', '-> /beep/%5Bb%C3%B2op%5D', '200 beep/[b\u00f2op].html', SPELLING]],
  },
  {
    title: 'auto: a question mark in a name',
    site: { ...AUTO, files: QUESTION },
    cases: [
      ['/beep?boop', '404'],
      ['/beep%3Fboop', '200 beep?boop.html'],
      ['/beep%3Fboop/', '-> /beep%3Fboop'],
    ],
  },
  {
    title: 'drop: brackets in a name',
    site: { ...DROP, files: BOOP },
    cases: [
      ['/[boop]', '-> /%5Bboop%5D', '200 [boop].html', SPELLING],
      ['/%5Bboop%5D', '200 [boop].html'],
      ['/%5Bboop%5D.html', '-> /%5Bboop%5D'],
      ['/[boop].html', '-> /%5Bboop%5D'],
      ['/%5Bboop%5D/', '-> /%5Bboop%5D'],
      ['/[boop]/', '-> /%5Bboop%5D'],
      ['/%255Bboop%255D', '200 %5Bboop%5D.html', '404', NO_PERCENT],
      ['/%255Bboop%255D.html', '-> /%255Bboop%255D', '404', NO_PERCENT],
    ],
  },
  {
    title: 'drop: brackets in two names',
    site: { ...DROP, files: BOOPS },
    cases: [
      ['/[boop]', '-> /%5Bboop%5D', '200 [boop].html', SPELLING],
      ['/%5Bboop%5D', '200 [boop].html'],
      ['/[boop].html', '-> /%5Bboop%5D'],
      ['/%5Bboop%5D.html', '-> /%5Bboop%5D'],
      ['/[boop]/', '-> /%5Bboop%5D'],
      ['/%5Bboop%5D/', '-> /%5Bboop%5D'],
      ['/[boop]/index.html', '-> /%5Bboop%5D/index.html', '200 [boop]/index.html', SPELLING],
      ['/%5Bboop%5D/index.html', '200 [boop]/index.html'],
    ],
  },
  {
    title: 'drop: a half escaped path',
    site: { ...DROP, files: ACCENT },
    cases: [['/beep/[b%C3%B2op]', '-> /beep/%5Bb%C3%B2op%5D', '200 beep/[b\u00f2op].html', SPELLING]],
  },
  {
    title: 'drop: a question mark in a name',
    site: { ...DROP, files: QUESTION },
    cases: [
      ['/beep?boop', '404'],
      ['/beep%3Fboop', '200 beep?boop.html'],
      ['/beep%3Fboop/', '-> /beep%3Fboop'],
    ],
  },
  {
    title: 'force: brackets in a name',
    site: { ...FORCE, files: BOOP },
    cases: [
      ['/%5Bboop%5D/', '200 [boop].html'],
      ['/[boop]/', '-> /%5Bboop%5D/', '200 [boop].html', SPELLING],
      ['/[boop]', '-> /%5Bboop%5D/'],
      ['/[boop].html', '-> /%5Bboop%5D/'],
      ['/%5Bboop%5D', '-> /%5Bboop%5D/'],
      ['/%5Bboop%5D.html', '-> /%5Bboop%5D/'],
      ['/%255Bboop%255D', '-> /%255Bboop%255D/', '404', NO_PERCENT],
      ['/%255Bboop%255D.html', '-> /%255Bboop%255D/', '404', NO_PERCENT],
    ],
  },
  {
    title: 'force: brackets in two names',
    site: { ...FORCE, files: BOOPS },
    cases: [
      ['/[boop]', '-> /%5Bboop%5D/'],
      ['/%5Bboop%5D', '-> /%5Bboop%5D/'],
      ['/[boop].html', '-> /%5Bboop%5D.html', '200 [boop].html', SPELLING],
      ['/%5Bboop%5D.html', '200 [boop].html'],
      ['/[boop]/', '-> /%5Bboop%5D/', '200 [boop]/index.html', SPELLING],
      ['/%5Bboop%5D/', '200 [boop]/index.html'],
      ['/[boop]/index.html', '-> /%5Bboop%5D/'],
      ['/%5Bboop%5D/index.html', '-> /%5Bboop%5D/'],
    ],
  },
  {
    title: 'force: a half escaped path',
    site: { ...FORCE, files: ACCENT },
    cases: [['/beep/[b%C3%B2op]/', '-> /beep/%5Bb%C3%B2op%5D/', '200 beep/[b\u00f2op].html', SPELLING]],
  },
  {
    title: 'force: a question mark in a name',
    site: { ...FORCE, files: QUESTION },
    cases: [
      ['/beep?boop/', '404'],
      ['/beep%3Fboop', '-> /beep%3Fboop/'],
      ['/beep%3Fboop/', '200 beep?boop.html'],
    ],
  },
];
