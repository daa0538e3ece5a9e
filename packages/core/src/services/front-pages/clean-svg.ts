import { readTags } from './read-tags.ts';

/** The elements that are kept. Others are removed with everything in them. */
const ELEMENTS = new Set(
  'svg g defs title path rect circle ellipse line polyline polygon text tspan linearGradient radialGradient stop clipPath mask style'.split(
    ' ',
  ),
);
const ATTRIBUTES = new Set(
  (
    'id class viewBox preserveAspectRatio x y x1 x2 y1 y2 cx cy fx fy fr r rx ry dx dy d points width height transform ' +
    'fill fill-opacity fill-rule clip-rule color stroke stroke-width stroke-linecap stroke-linejoin stroke-miterlimit ' +
    'stroke-opacity opacity display visibility offset stop-color stop-opacity gradientUnits gradientTransform spreadMethod ' +
    'clipPathUnits maskUnits maskContentUnits clip-path mask style font-family font-size font-weight font-style text-anchor ' +
    'dominant-baseline letter-spacing paint-order shape-rendering vector-effect'
  ).split(' '),
);
const GRADIENTS = new Set(['linearGradient', 'radialGradient']);
/** Elements whose contents are drawn wherever they are referred to. Inside them, no reference is kept. */
const DRAWN_BY_REFERENCE = new Set(['clipPath', 'mask']);
const MAX_DEPTH = 32;

/** Characters that XML forbids. */
// oxlint-disable-next-line no-control-regex
const FORBIDDEN = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/;

const LOCAL_REFERENCE = /^#[\w.:-]{1,100}$/;
const LOCAL_URL = /^url\(["']?#[\w.:-]{1,100}["']?\)$/;
const DARK_OR_LIGHT = /@media ?\( ?prefers-color-scheme ?: ?(?:dark|light) ?\)/g;
/** What could request, repeat or animate something, or hide it from this check. */
const UNSAFE_STYLE = [
  '\\',
  '<',
  '@',
  '&',
  'url',
  'image',
  'import',
  'expression',
  'animation',
  'transition',
  'filter',
  'dash',
  'mask',
  'clip',
  'content',
  'cursor',
  'var(',
];

/**
 * Reduces an SVG image to shapes, texts, gradients and their colors. Scripts, links, embedded images, foreign elements,
 * animations, filters, patterns and everything that can draw a shape many times (`use`, nested masks) are removed, so
 * that a browser that shows the image runs and requests nothing, and needs time linear in its length.
 *
 * @returns `null` if the document is not an SVG image, or is nested deeper than 32.
 */
export function cleanSvg(document: string): string | null {
  let markup = '';
  const kept: string[] = [];
  let skipped = 0;
  let isTooDeep = false;
  let style: string | null = null;
  readTags(
    document,
    { xml: true },
    {
      open(name, attributes) {
        const isRoot = kept.length === 0;
        if (skipped > 0 || !ELEMENTS.has(name) || (isRoot && (name !== 'svg' || markup !== '')))
          return void (skipped += 1);
        if (kept.length === MAX_DEPTH) isTooDeep = true;
        if (isTooDeep) return;
        const isDrawnByReference =
          DRAWN_BY_REFERENCE.has(name) || kept.some((parent) => DRAWN_BY_REFERENCE.has(parent));
        markup += `<${name}${isRoot ? ' xmlns="http://www.w3.org/2000/svg"' : ''}`;
        for (const [attribute, value] of attributes) {
          const safe = safeAttribute(name, attribute, value, isDrawnByReference);
          if (safe !== null) markup += ` ${safe}="${escape(value.trim())}"`;
        }
        markup += '>';
        kept.push(name);
        if (name === 'style') style = '';
      },
      close(name) {
        if (skipped > 0) return void (skipped -= 1);
        if (kept.at(-1) !== name) return;
        kept.pop();
        if (style !== null && isSafeStyle(style)) markup += escape(style);
        style = null;
        markup += `</${name}>`;
      },
      text(text) {
        if (skipped > 0 || kept.length === 0) return;
        if (style === null) markup += escape(text);
        else style += text;
      },
    },
  );
  const isComplete =
    markup.startsWith('<svg') && kept.length === 0 && skipped === 0 && !isTooDeep && !FORBIDDEN.test(markup);
  return isComplete ? markup : null;
}

/** Returns the name with which an attribute is kept; `null` to remove it. */
function safeAttribute(element: string, attribute: string, value: string, isDrawnByReference: boolean): string | null {
  const text = value.trim();
  if (attribute === 'href' || attribute === 'xlink:href')
    return GRADIENTS.has(element) && LOCAL_REFERENCE.test(text) ? 'href' : null;
  if (!ATTRIBUTES.has(attribute)) return null;
  if (attribute === 'style') return isSafeStyle(text) ? attribute : null;
  if (attribute === 'clip-path' || attribute === 'mask')
    return LOCAL_URL.test(text) && !isDrawnByReference ? attribute : null;
  return !/url|\\/i.test(text) || LOCAL_URL.test(text) ? attribute : null;
}

function isSafeStyle(style: string): boolean {
  const rest = style.replace(/\s+/g, ' ').replace(DARK_OR_LIGHT, '').toLowerCase();
  return !UNSAFE_STYLE.some((text) => rest.includes(text));
}

function escape(text: string): string {
  return text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
}
