/*
 * Re-typed as data from cloudflare/workers-sdk, packages/workers-shared/asset-worker/tests/test-cases
 * (html-handling-test-cases.ts, encoding-test-cases.ts). Licence: MIT or Apache-2.0.
 *
 * `auto-trailing-slash` corresponds to `cleanUrls`, `force-trailing-slash` and `drop-trailing-slash` to `cleanUrls` with
 * `trailingSlash` true and false. The mode `none`, which finds no page without its extension, has no counterpart.
 * Files with a `%` in their name are omitted, because they cannot be published.
 */
import type { Sketch } from '../visits.ts';

/** Test cases of the suite on one site. */
interface Group {
  title: string;
  site: Sketch;
  cases: Case[];
}

/** The request and the response of the original. If Berth differs, its response and the reason follow. */
type Case = [asked: string, theirs: string] | [asked: string, theirs: string, ours: string, why: string];

const NO_FORM = 'a path without extension finds x.html and x/index.html, but not the other way round (S15)';
const IN_PLACE = 'a page whose address belongs to another file is served in place (S18)';
const SAME_FILE = 'a redirect must lead to the same file (S17)';
const NO_SLASH = 'a slash inside a segment is never resolved (S8)';
const NO_PERCENT = 'no stored name contains a % (S10)';
const SPELLING = 'encodings of one name are not redirected to each other (S10)';

const MODES = [
  ['auto', { cleanUrls: true }],
  ['drop', { cleanUrls: true, trailingSlash: false }],
  ['force', { cleanUrls: true, trailingSlash: true }],
] as const;

/** A response of the original, or that response, the one of Berth and the reason. `null` if the original has no such test. */
type Cell = string | [theirs: string, ours: string, why: string] | null;

/** Returns a group of cases for each mode. A row has a request and its response in each mode, or one response for all modes. */
function inEveryMode(
  title: string,
  files: string[],
  rows: [asked: string, auto: Cell, drop?: Cell, force?: Cell][],
): Group[] {
  return MODES.map(([mode, settings], index) => ({
    title: `${mode}: ${title}`,
    site: { ...settings, files },
    cases: rows.flatMap(([asked, ...cells]): Case[] => {
      const cell = cells.length === 1 ? cells[0]! : cells[index];
      if (cell === undefined || cell === null) return [];
      return [typeof cell === 'string' ? [asked, cell] : [asked, ...cell]];
    }),
  }));
}

export const workersSdk: Group[] = [
  ...inEveryMode(
    'the front page',
    ['index.html'],
    [
      ['/', '200 index.html'],
      ['/index', '-> /'],
      ['/index.html', '-> /'],
    ],
  ),
  ...inEveryMode(
    'a page beside a folder',
    ['both.html', 'both/index.html'],
    [
      ['/both', '200 both.html', '200 both.html', '-> /both/'],
      ['/both.html', '-> /both', '-> /both', '200 both.html'],
      ['/both/', '200 both/index.html', '-> /both', '200 both/index.html'],
      ['/both/index.html', '-> /both/', '200 both/index.html', '-> /both/'],
      ['/both/index', '-> /both/', ['-> /both', '200 both/index.html', SAME_FILE], '-> /both/'],
    ],
  ),
  ...inEveryMode(
    'a page',
    ['file.html'],
    [
      ['/file', '200 file.html', '200 file.html', '-> /file/'],
      ['/file.html', '-> /file', '-> /file', '-> /file/'],
      ['/file/', '-> /file', '-> /file', '200 file.html'],
      ['/file/index', ['-> /file', '404', NO_FORM], ['-> /file', '404', NO_FORM], ['-> /file/', '404', NO_FORM]],
      ['/file/index.html', ['-> /file', '404', NO_FORM], ['-> /file', '404', NO_FORM], ['-> /file/', '404', NO_FORM]],
    ],
  ),
  ...inEveryMode(
    'a folder',
    ['folder/index.html'],
    [
      ['/folder', '-> /folder/', '200 folder/index.html', '-> /folder/'],
      [
        '/folder.html',
        ['-> /folder/', '404', NO_FORM],
        ['-> /folder', '404', NO_FORM],
        ['-> /folder/', '404', NO_FORM],
      ],
      ['/folder/', '200 folder/index.html', '-> /folder', '200 folder/index.html'],
      ['/folder/index', '-> /folder/', '-> /folder', '-> /folder/'],
      ['/folder/index.html', '-> /folder/', '-> /folder', '-> /folder/'],
    ],
  ),
  ...inEveryMode(
    'an escaped slash',
    ['bin/index.html'],
    [
      ['/bin', '-> /bin/', '200 bin/index.html', '-> /bin/'],
      ['/bin.html', ['-> /bin/', '404', NO_FORM], ['-> /bin', '404', NO_FORM], ['-> /bin/', '404', NO_FORM]],
      ['/bin%2F', ['-> /bin/', '404', NO_SLASH], ['-> /bin', '404', NO_SLASH], ['-> /bin/', '404', NO_SLASH]],
      ['/bin%252F', ['200 bin%2F', '404', NO_PERCENT]],
      ['/bin/', '200 bin/index.html', '-> /bin', '200 bin/index.html'],
      ['/bin/index', '-> /bin/', '-> /bin', '-> /bin/'],
      ['/bin/index.html', '-> /bin/', '-> /bin', '-> /bin/'],
    ],
  ),
  ...inEveryMode(
    'a page beside a file',
    ['file-bin', 'file-bin.html'],
    [
      ['/file-bin', '200 file-bin'],
      ['/file-bin.html', '200 file-bin.html', '200 file-bin.html', '-> /file-bin/'],
      [
        '/file-bin/',
        ['404', '200 file-bin.html', IN_PLACE],
        ['404', '200 file-bin.html', IN_PLACE],
        '200 file-bin.html',
      ],
      ['/file-bin/index', '404', '404', ['-> /file-bin/', '404', NO_FORM]],
      ['/file-bin/index.html', '404', '404', ['-> /file-bin/', '404', NO_FORM]],
    ],
  ),
  ...inEveryMode(
    'brackets in a name',
    ['[boop].html'],
    [
      [
        '/[boop]',
        ['-> /%5Bboop%5D', '200 [boop].html', SPELLING],
        ['-> /%5Bboop%5D', '200 [boop].html', SPELLING],
        '-> /%5Bboop%5D/',
      ],
      ['/%5Bboop%5D', '200 [boop].html', '200 [boop].html', '-> /%5Bboop%5D/'],
      ['/%5Bboop%5D.html', '-> /%5Bboop%5D', '-> /%5Bboop%5D', '-> /%5Bboop%5D/'],
      ['/[boop].html', '-> /%5Bboop%5D', '-> /%5Bboop%5D', '-> /%5Bboop%5D/'],
      ['/%5Bboop%5D/', '-> /%5Bboop%5D', '-> /%5Bboop%5D', '200 [boop].html'],
      ['/[boop]/', '-> /%5Bboop%5D', '-> /%5Bboop%5D', ['-> /%5Bboop%5D/', '200 [boop].html', SPELLING]],
      [
        '/%255Bboop%255D',
        ['200 %5Bboop%5D.html', '404', NO_PERCENT],
        ['200 %5Bboop%5D.html', '404', NO_PERCENT],
        ['-> /%255Bboop%255D/', '404', NO_PERCENT],
      ],
      [
        '/%255Bboop%255D.html',
        ['-> /%255Bboop%255D', '404', NO_PERCENT],
        ['-> /%255Bboop%255D', '404', NO_PERCENT],
        ['-> /%255Bboop%255D/', '404', NO_PERCENT],
      ],
    ],
  ),
  ...inEveryMode(
    'brackets in two names',
    ['[boop].html', '[boop]/index.html'],
    [
      [
        '/[boop]',
        ['-> /%5Bboop%5D', '200 [boop].html', SPELLING],
        ['-> /%5Bboop%5D', '200 [boop].html', SPELLING],
        '-> /%5Bboop%5D/',
      ],
      ['/%5Bboop%5D', '200 [boop].html', '200 [boop].html', '-> /%5Bboop%5D/'],
      ['/[boop].html', '-> /%5Bboop%5D', '-> /%5Bboop%5D', ['-> /%5Bboop%5D.html', '200 [boop].html', SPELLING]],
      ['/%5Bboop%5D.html', '-> /%5Bboop%5D', '-> /%5Bboop%5D', '200 [boop].html'],
      [
        '/[boop]/',
        ['-> /%5Bboop%5D/', '200 [boop]/index.html', SPELLING],
        '-> /%5Bboop%5D',
        ['-> /%5Bboop%5D/', '200 [boop]/index.html', SPELLING],
      ],
      ['/%5Bboop%5D/', '200 [boop]/index.html', '-> /%5Bboop%5D', '200 [boop]/index.html'],
      [
        '/[boop]/index.html',
        '-> /%5Bboop%5D/',
        ['-> /%5Bboop%5D/index.html', '200 [boop]/index.html', SPELLING],
        '-> /%5Bboop%5D/',
      ],
      ['/%5Bboop%5D/index.html', '-> /%5Bboop%5D/', '200 [boop]/index.html', '-> /%5Bboop%5D/'],
    ],
  ),
  ...inEveryMode(
    'a half escaped path',
    ['beep/[b\u00f2op].html'],
    [
      [
        '/beep/[b%C3%B2op]',
        ['-> /beep/%5Bb%C3%B2op%5D', '200 beep/[b\u00f2op].html', SPELLING],
        ['-> /beep/%5Bb%C3%B2op%5D', '200 beep/[b\u00f2op].html', SPELLING],
        null,
      ],
      ['/beep/[b%C3%B2op]/', null, null, ['-> /beep/%5Bb%C3%B2op%5D/', '200 beep/[b\u00f2op].html', SPELLING]],
    ],
  ),
  ...inEveryMode(
    'a question mark in a name',
    ['beep?boop.html'],
    [
      ['/beep?boop', '404', '404', null],
      ['/beep%3Fboop', '200 beep?boop.html', '200 beep?boop.html', '-> /beep%3Fboop/'],
      ['/beep%3Fboop/', '-> /beep%3Fboop', '-> /beep%3Fboop', '200 beep?boop.html'],
      ['/beep?boop/', null, null, '404'],
    ],
  ),
];
