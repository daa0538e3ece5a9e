// cspell:ignore photognp
import { describe, expect, it } from 'vitest';
import { parsePage } from '../../../src/services/front-pages/parse-page.ts';

const parse = (page: string | Uint8Array) => parsePage(Buffer.from(page));
const titleOf = (page: string | Uint8Array) => parse(page).title;
const DEFAULTS = ['favicon.ico', 'favicon.svg', 'favicon.png', 'apple-touch-icon.png'];
/** The icons of a page with some tags, without those that are always tried. */
const iconsOf = (tags: string) => parse(`<!doctype html><head>${tags}`).icons.slice(0, -DEFAULTS.length);

describe('api §3: the title of a front page', () => {
  it.each([
    ['<title>Home</title>', 'Home'],
    [
      '<!doctype html><html><head><TITLE lang="en">\n  Ada &amp; Grace&#x27;s \t notes\n</Title>',
      "Ada & Grace's notes",
    ],
    ['<title>One</title><title>Two</title>', 'One'],
    ['<svg><title>Logo</title></svg><title>Home</title>', 'Home'],
    ['<script>document.title = "<title>Script</title>"</script><title>Home</title>', 'Home'],
    ['<!-- <title>Comment</title> --><title>Home</title>', 'Home'],
    ['<title><b>Not bold</b></title>', '<b>Not bold</b>'],
    ['<title>Never closed', 'Never closed'],
    ['<title>photo\u202egnp.exe\u2069\0\u0007</title>', 'photognp.exe'],
    ['<title>👨‍👩‍👧 Family</title>', '👨‍👩‍👧 Family'],
    ['<title>&#xd800;x</title>', '\ufffdx'],
  ])('%s', (page, title) => expect(titleOf(page)).toBe(title));

  it.each(['', '<title></title>', '<title> &nbsp; </title>', '<h1>Home</h1>', '<svg><title>Logo</title>', '\0\u0001'])(
    'is missing in %j',
    (page) => expect(titleOf(page)).toBeNull(),
  );

  it('has at most 200 characters, and no half of one', () => {
    expect(titleOf(`<title>${'x'.repeat(200)}</title>`)).toBe('x'.repeat(200));
    expect(titleOf(`<title>${'x'.repeat(100_000)}</title>`)).toBe(`${'x'.repeat(199)}…`);
    expect(titleOf(`<title>x${'😀'.repeat(100)}</title>`)).toBe(`x${'😀'.repeat(99)}…`);
  });

  it.each([
    ['windows-1252', Buffer.from('<meta charset="windows-1252"><title>Caf\xe9</title>', 'latin1'), 'Café'],
    ['Shift_JIS', Buffer.from('<meta charset=shift_jis><title>\x93\xfa\x96{</title>', 'latin1'), '日本'],
    ['UTF-16 with a mark', Buffer.from('\ufeff<title>Café</title>', 'utf16le'), 'Café'],
    ['UTF-8 with a mark', '\ufeff<title>Café</title>', 'Café'],
    ['an unknown encoding', '<meta charset="klingon"><title>Café</title>', 'Café'],
    ['UTF-16 that is UTF-8', '<meta charset="utf-16"><title>Café</title>', 'Café'],
  ])('is decoded from %s', (_, page, title) => expect(titleOf(page)).toBe(title));
});

describe('api §3: the icons of a front page', () => {
  it('are those that the page names, and then those that browsers request without a link', () => {
    expect(parse('<link rel="icon" href="/img/a.png">').icons).toEqual(['img/a.png', ...DEFAULTS]);
    expect(parse('').icons).toEqual(DEFAULTS);
  });

  it.each([
    ['<link rel="SHORTCUT Icon" href=" favicon.ico?v=2 ">', []],
    ['<link rel=icon href=./a%20b/é.png#x>', ['a b/é.png']],
    ['<base href="/docs/"><link rel=icon href=a.png>', ['docs/a.png']],
    ['<base href="https://www.example.com/x/"><link rel=icon href=../a.png>', ['a.png']],
    ['<link rel=icon href="https://www.example.com/a.png">', ['a.png']],
    ['<link rel=icon href="data:image/png;base64,AAAA">', ['data:image/png;base64,AAAA']],
    ['<link rel=stylesheet href=a.css><link href=b.png><link rel=icon>', []],
    ['<link rel=icon href="javascript:alert(1)"><link rel=icon href="http://[">', []],
    ['<link rel=icon href="/%ff.png"><link rel=icon href="/.git/a.png"><link rel=icon href="/">', []],
    ['<link rel=icon href="../../etc/passwd">', ['etc/passwd']],
  ])('%s', (tags, icons) => expect(iconsOf(tags)).toEqual(icons));

  it('are ordered by how well they suit a list', () => {
    const links = [
      '<link rel="apple-touch-icon" href="touch.png" sizes="180x180">',
      '<link rel="icon" href="dark.svg" media="(prefers-color-scheme: dark)">',
      '<link rel="icon" href="16.png" sizes="16x16">',
      '<link rel="icon" href="192.png" sizes="192x192">',
      '<link rel="icon" href="any.svg" sizes="any">',
      '<link rel="icon" href="48.png" sizes="48x48">',
    ];
    expect(iconsOf(links.join(''))).toEqual(['any.svg', '48.png', '192.png', '16.png', 'dark.svg', 'touch.png']);
  });

  it('are at most 12, whatever the page says', () => {
    const links = Array.from({ length: 10_000 }, (_, i) => `<link rel=icon href=${i}.png>`);
    expect(iconsOf(links.join(''))).toHaveLength(12);
  });
});

describe('a hostile page is read in linear time:', () => {
  const REPEATED: Record<string, string> = {
    'nested elements': '<a>',
    'nested images': '<svg>',
    'titles in images': '<svg><title>',
    'end tags': '<a></b>',
    attributes: '<a b c d e f>',
    'open tags': '<a b=',
    comments: '<!--',
    entities: '&a',
    quotes: '<a b="',
    titles: '<title>',
    'encodings without an end': '<meta ',
  };

  // A parser whose time is quadratic needs minutes for a page of 4 MiB.
  it.each(Object.entries(REPEATED))('%s', (_, text) => {
    const page = text.repeat((4 * 1024 * 1024) / text.length);
    expect(parsePage(Buffer.from(`<link rel=icon href=a.png>${page}`)).icons).toEqual(['a.png', ...DEFAULTS]);
  });
});
