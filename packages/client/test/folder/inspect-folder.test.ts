import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { folderDoubt, type FolderFacts } from '../../src/folder/folder-doubt.ts';
import { inspectFolder, isAppWithoutRoutes } from '../../src/folder/inspect-folder.ts';
import { makeFolder } from './folders.ts';

const PLAIN: FolderFacts = { personal: false, frontPage: true, source: false, unbuilt: false, builds: [], sites: [] };

describe('the question before a folder is published (desktop §8.17)', () => {
  const TABLE: [string, Partial<FolderFacts>, string | null, string[]][] = [
    ['a site', {}, null, []],
    ['a site with a folder named like a build', { builds: ['public'] }, null, []],
    ['a site with a package.json', { source: true }, null, []],
    ['a project with a page, and a build', { source: true, builds: ['dist'] }, 'project', ['dist']],
    ['a project without a page', { source: true, frontPage: false }, 'project', []],
    ['a page that must be built', { source: true, unbuilt: true }, 'project', []],
    ['a folder without a page', { frontPage: false }, 'no-front-page', []],
    ['a folder with sites in it', { frontPage: false, builds: ['out'], sites: ['a'] }, 'no-front-page', ['out', 'a']],
    ['many sites', { frontPage: false, sites: [...'abcdefg'] }, 'no-front-page', [...'abcde']],
    ['a home folder, whatever is in it', { personal: true, builds: ['public'] }, 'personal', []],
  ];
  test.each(TABLE)('is only asked if the folder does not look like a site: %s', (_, facts, about, suggestions) => {
    expect(folderDoubt({ ...PLAIN, ...facts })).toEqual(about === null ? null : { about, suggestions });
  });
});

describe('inspecting a folder', () => {
  const TABLE: [string, string[], string | null, string[]?][] = [
    ['a plain site', ['index.html', 'public/index.html'], null],
    ['a project with its build', ['package.json', 'index.html', 'dist/index.html'], 'project', ['dist']],
    ['a build two folders deep', ['package.json', '.output/public/index.html'], 'project', ['.output/public']],
    ['a build without a page', ['package.json', 'dist/main.js'], 'project', []],
    ['the sources of a Vite site', ['package.json', 'vite.config.ts', 'index.html'], 'project', []],
    ['a Jekyll site', ['_config.yml', 'index.md', '_site/index.html'], 'project', ['_site']],
    [
      'an archive that was unpacked',
      ['trip/index.html', '__MACOSX/index.html', '.git/index.html'],
      'no-front-page',
      ['trip'],
    ],
    ['a page that is a folder', ['index.html/a.txt'], 'no-front-page', []],
  ];
  test.each(TABLE)(
    'gives a question unless the folder looks like a site: %s',
    async (_, files, about, suggestions = []) => {
      const folder = makeFolder(Object.fromEntries(files.map((file) => [file, 'x'])));
      expect(await inspectFolder(folder, '/home/user')).toEqual(about === null ? null : { about, suggestions });
    },
  );

  test('treats the home folder, its parents and its personal subfolders as personal, even through links', async () => {
    const home = join(makeFolder(), 'anna');
    for (const name of ['Desktop', 'Bilder', 'sites/blog', '.config']) mkdirSync(join(home, name), { recursive: true });
    writeFileSync(join(home, '.config/user-dirs.dirs'), 'XDG_PICTURES_DIR="$HOME/Bilder"\n');
    for (const name of ['.', 'Desktop', 'sites/blog']) writeFileSync(join(home, name, 'index.html'), 'x');
    symlinkSync(home, join(dirname(home), 'link'));
    const isAsked = async (path: string) => (await inspectFolder(path, home))?.about ?? null;
    expect(await isAsked(home)).toBe('personal');
    expect(await isAsked(dirname(home))).toBe('personal');
    expect(await isAsked(join(dirname(home), 'link'))).toBe('personal');
    expect(await isAsked('/')).toBe('personal');
    expect(await isAsked(join(home, 'Desktop'))).toBe('personal');
    expect(await isAsked(join(home, 'Bilder'))).toBe('personal');
    expect(await isAsked(join(home, 'sites/blog'))).toBe(null);
  });

  test('gives no question about a missing folder, because publishing the folder reports the error', async () => {
    expect(await inspectFolder(join(makeFolder(), 'gone'), '/home/user')).toBe(null);
  });
});

describe('isAppWithoutRoutes', () => {
  const APP = '<!doctype html><div id="root"></div><script type="module" src="/assets/index.js"></script>';

  test.each([
    ['a Vite app', APP],
    ['a Vue app', '<div id="app">\n</div><script src="a.js"></script>'],
    ['an Angular app', '<app-root></app-root><script src="main.js"></script>'],
  ])('returns true for %s', async (_, page) => {
    expect(await isAppWithoutRoutes(makeFolder({ 'index.html': page, 'assets/index.js': '' }))).toBe(true);
  });

  test.each([
    ['a folder without a page', { 'a.txt': APP }],
    ['a page with content', { 'index.html': '<div id="root"><h1>Hi</h1></div><script src="a.js"></script>' }],
    ['a page without a script', { 'index.html': '<div id="root"></div>' }],
    ['a large page', { 'index.html': APP.padEnd(70_000) }],
    ...['404.html', '200.html', '_redirects', 'ship.json', 'netlify.toml'].map(
      (name) => [`an app with ${name}`, { 'index.html': APP, [name]: 'x' }] as const,
    ),
  ] as [string, Record<string, string>][])('returns false for %s', async (_, files) => {
    expect(await isAppWithoutRoutes(makeFolder(files))).toBe(false);
  });

  test('returns false for a folder that does not exist', async () => {
    expect(await isAppWithoutRoutes('/nonexistent')).toBe(false);
  });
});
