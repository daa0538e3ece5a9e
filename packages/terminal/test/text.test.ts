import { columns, fitTable, table, wrap } from '@berth/terminal';
import { expect, it } from 'vitest';

it.each([
  ['trailing spaces', ['a|', 'wide|b'], ['a', 'wide  b']],
  ['wide characters and emoji', ['日本|x', 'abcd|y', '🚢|z'], ['日本  x', 'abcd  y', '🚢    z']],
  ['combining characters', ['u\u0308|x', 'bb|y'], ['u\u0308   x', 'bb  y']],
  [
    'control characters, which are escaped (T38)',
    ['a\u001b[2Jb\nc\u202ed|e', 'a|f'],
    ['a\\u001b[2Jb\\u000ac\\u202ed  e', 'a                          f'],
  ],
])('columns are aligned with %s', (_, rows, lines) => {
  expect(columns(rows.map((row) => row.split('|')))).toEqual(lines);
});

it('a table begins with a heading, and has no lines if it has no rows', () => {
  expect(table(['a', 'bee'], [['long', 'x']])).toEqual(['A     BEE', 'long  x']);
  expect(table(['a'], [])).toEqual([]);
});

it.each([
  ['between words', 'one two three', 8, ['one two', 'three']],
  ['by the width of wide characters', '日本 日本', 8, ['日本', '日本']],
  ['never inside a word', 'a https://long.example b', 5, ['a', 'https://long.example', 'b']],
  ['not if the text fits', 'one two', 7, ['one two']],
  ['without losing its indentation', '  one two', 7, ['  one', 'two']],
  ['without losing spaces between words', 'a  b   c', 4, ['a  b', '  c']],
])('wrap breaks a text %s', (_, text, width, lines) => {
  expect(wrap(text, width)).toEqual(lines);
  expect(lines.join(' ')).toBe(text);
});

it.each([
  [80, ['ID    URL         SIZE', 'calm  http://a.b  1 B', 'otto  http://c.d  2 B'], []],
  [21, ['ID    SIZE', 'calm  1 B', 'otto  2 B'], ['url']],
  [9, ['ID', 'calm', 'otto'], ['url', 'size']],
  [1, ['ID', 'calm', 'otto'], ['url', 'size']],
])(
  'a table on a screen of %i columns omits empty columns, and less important columns until it fits',
  (width, lines, omitted) => {
    const rows = [
      ['calm', '-', 'http://a.b', '1 B'],
      ['otto', '-', 'http://c.d', '2 B'],
    ];
    expect(fitTable(['id', 'labels', 'url', 'size'], rows, width, ['labels', 'url', 'size'])).toEqual({
      lines,
      omitted,
    });
  },
);
