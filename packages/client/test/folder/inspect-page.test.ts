import { join } from 'node:path';
import { expect, test } from 'vitest';
import { findFilesOfPage } from '../../src/folder/inspect-page.ts';
import { makeFolder } from './folders.ts';

const findFiles = (page: string) =>
  findFilesOfPage(
    join(makeFolder({ 'page.html': page, 'site.css': '', 'img/a b.png': '', 'fonts/x.woff2': '' }), 'page.html'),
  );

test.each([
  [
    'a style sheet and an image',
    '<link href="site.css"><img src="./img/a%20b.png?v=1#x">',
    ['site.css', './img/a%20b.png?v=1#x'],
  ],
  ['a file that is named twice, once', '<a href="site.css"></a><a href="site.css"></a>', ['site.css']],
  ['no file that does not exist', '<img src="missing.png">', []],
  ['no folder', '<a href="img/"></a>', []],
  [
    'no other site, absolute path or fragment',
    '<a href="https://site.css"></a><a href="//a/site.css"></a><a href="/site.css"></a><a href="#site.css"></a>',
    [],
  ],
  ['no reference that cannot be decoded', '<a href="%zz"></a>', []],
])('findFilesOfPage finds %s', async (_, page, files) => {
  expect(await findFiles(page)).toEqual(files);
});

test('findFilesOfPage finds nothing if the page cannot be read', async () => {
  expect(await findFilesOfPage(join(makeFolder(), 'page.html'))).toEqual([]);
});
