import { describe, expect, it } from 'vitest';
import { cleanSvg } from '../../../src/services/front-pages/clean-svg.ts';

const START = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9">';
/** Cleans the contents of an image; returns what is left of them. */
const clean = (contents: string): string | null => {
  const svg = cleanSvg(`<svg viewBox="0 0 9 9">${contents}</svg>`);
  if (svg === null) return null;
  expect(svg.startsWith(START) && svg.endsWith('</svg>')).toBe(true);
  return svg.slice(START.length, -'</svg>'.length);
};

describe('security T17: an SVG icon keeps', () => {
  it.each([
    '<path d="M0 0h9z" fill="#f00" fill-rule="evenodd" transform="rotate(9)"></path>',
    '<defs><linearGradient id="a" x1="0"><stop offset="0" stop-color="red"></stop></linearGradient></defs><circle r="4" fill="url(#a)"></circle>',
    '<radialGradient id="b" href="#a"></radialGradient>',
    '<mask id="m"><rect width="9"></rect></mask><g mask="url(#m)" style="fill: red; stroke-width: 2px"></g>',
    '<style>path { fill: #000 } @media (prefers-color-scheme: dark) { path { fill: #fff } }</style><path d="M0 0"></path>',
    '<text y=".9em" font-size="90">🐳</text>',
  ])('%s', (contents) => expect(clean(contents)).toBe(contents));

  it('the image behind a declaration, a document type and comments', () => {
    const svg = `<?xml version="1.0"?><!DOCTYPE svg [<!ENTITY x "y">]><!-- made by a tool --><svg viewBox="0 0 9 9"/>`;
    expect(cleanSvg(svg)).toBe(`${START}</svg>`);
  });
});

describe('security T17: an SVG icon loses', () => {
  it.each([
    ['scripts', '<script>alert(1)</script><script href="a.js"/>', ''],
    ['handlers', '<g onload="alert(1)" onclick="alert(2)"></g>', '<g></g>'],
    ['foreign elements', '<foreignObject><iframe src="/"></iframe><b>x</b></foreignObject><g></g>', '<g></g>'],
    ['links', '<a href="javascript:alert(1)"><path d="M0 0"/></a>', ''],
    ['images', '<image href="https://evil.example/a.png"/><feImage href="/a"/>', ''],
    [
      'references to other documents',
      '<linearGradient href="https://evil.example/#a"/>',
      '<linearGradient></linearGradient>',
    ],
    ['requests of attributes', '<g fill="url(https://evil.example)" mask="URL(//evil.example#a)"></g>', '<g></g>'],
    [
      'requests of styles',
      '<g style="fill: u\\72l(//evil.example)"></g><g style="background: url(#a)"></g>',
      '<g></g><g></g>',
    ],
    ['imports', '<style>@import "//evil.example/a.css";</style>', '<style></style>'],
    ['fonts', '<style>@font-face { src: local(x) }</style>', '<style></style>'],
    [
      'animations',
      '<g><animate attributeName="x"/><set/></g><style>g { animation: a 1s }</style>',
      '<g></g><style></style>',
    ],
    [
      'copies of shapes',
      '<defs><g id="a"/></defs><use href="#a"/><use xlink:href="#a"/>',
      '<defs><g id="a"></g></defs>',
    ],
    ['patterns and filters', '<pattern id="p"><g/></pattern><filter id="f"/><g filter="url(#f)"></g>', '<g></g>'],
    [
      'masks in masks',
      '<mask id="a"><g mask="url(#b)"><g clip-path="url(#c)"/></g></mask>',
      '<mask id="a"><g><g></g></g></mask>',
    ],
    ['masked masks', '<clipPath id="a" clip-path="url(#b)"/>', '<clipPath id="a"></clipPath>'],
    ['dashes', '<path d="M0 0" stroke-dasharray="0.00001"/>', '<path d="M0 0"></path>'],
    [
      'markup in texts',
      '<text>&lt;script&gt;<![CDATA[<script>]]></text>',
      '<text>&#60;script&#62;&#60;script&#62;</text>',
    ],
    ['markup in attributes', `<g id='"><script>'></g>`, '<g id="&#34;&#62;&#60;script&#62;"></g>'],
    ['styles that end early', '<style><![CDATA[</style><script>alert(1)</script>]]></style>', '<style></style>'],
    ['instructions', '<?xml-stylesheet href="//evil.example/a.css"?>', ''],
  ])('%s', (_, contents, kept) => expect(clean(contents)).toBe(kept));
});

it.each([
  ['a page', '<!doctype html><html><svg></svg></html>'],
  ['no markup', 'svg'],
  ['an image that ends early', '<svg><g>'],
  ['a forbidden character', '<svg><text>\0</text></svg>'],
  ['deep nesting', `<svg>${'<g>'.repeat(40)}${'</g>'.repeat(40)}</svg>`],
  ['two images', '<svg></svg><script></script'],
])('security T17: %s is no SVG icon, or has nothing after the image', (_, text) => {
  expect(cleanSvg(text) ?? '').toMatch(/^$|^<svg [^<>]*><\/svg>$/);
});
