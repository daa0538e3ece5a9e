import { isWithheld, MAX_SITE_TITLE } from '@berth/contract';
import { readTags } from './read-tags.ts';

/** What the head of a page says about its site. */
export interface PageHead {
  /** The text of the `<title>`; `null` for none. */
  title: string | null;
  /** The icons in the order in which they are tried: `data:` URLs, and paths in the site. */
  icons: string[];
}

/** The icons that browsers and devices request without a link. */
const DEFAULT_ICONS = ['favicon.ico', 'favicon.svg', 'favicon.png', 'apple-touch-icon.png'];
const MAX_ICONS = 12;
const MAX_TITLE_SOURCE = 4_096;
/** The size in pixels that is best for a list. */
const WANTED_SIZE = 32;

/**
 * Reads the title and the icons of an HTML page, as text: nothing is run or requested.
 *
 * @param bytes The page, or its beginning.
 */
export function parsePage(bytes: Uint8Array): PageHead {
  const links: { href: string; rank: number }[] = [];
  let title: string | null = null;
  let base = '/';
  let isInTitle = false;
  let openSvgs = 0;
  readTags(
    decodePage(bytes),
    { xml: false },
    {
      open(name, attributes) {
        if (name === 'svg') openSvgs += 1;
        else if (name === 'title' && title === null && openSvgs === 0) [title, isInTitle] = ['', true];
        else if (name === 'base') base = attributes.get('href') ?? base;
        else if (name === 'link' && links.length < MAX_ICONS) {
          const [href, rank] = [attributes.get('href')?.trim(), rankOf(attributes)];
          if (href && rank !== null) links.push({ href, rank });
        }
      },
      close(name) {
        if (name === 'svg') openSvgs = Math.max(0, openSvgs - 1);
        if (name === 'title') isInTitle = false;
      },
      text(text) {
        if (isInTitle && title!.length < MAX_TITLE_SOURCE) title += text.slice(0, MAX_TITLE_SOURCE);
      },
    },
  );
  const declared = links.toSorted((a, b) => a.rank - b.rank).flatMap(({ href }) => iconOf(href, base) ?? []);
  return { title: cleanTitle(title ?? ''), icons: [...new Set([...declared, ...DEFAULT_ICONS])] };
}

/** Returns the rank of a link to an icon, the best first; `null` for another link. */
function rankOf(attributes: ReadonlyMap<string, string>): number | null {
  const kinds = (attributes.get('rel') ?? '').toLowerCase().split(/\s+/);
  const isIcon = kinds.includes('icon');
  if (!isIcon && !kinds.includes('apple-touch-icon')) return null;
  const size = Number.parseInt(attributes.get('sizes') ?? '', 10) || WANTED_SIZE;
  const sizeRank = size >= WANTED_SIZE ? size : 1_000 - size;
  return sizeRank + (isIcon ? 0 : 10_000) + (attributes.has('media') ? 1_000 : 0);
}

/** Returns a `data:` URL, or the path of an icon in the site. The host does not matter: the site must have the file. */
function iconOf(href: string, base: string): string | null {
  if (/^data:/i.test(href)) return href;
  const url = URL.parse(href, URL.parse(base, 'https://site.invalid/')?.href);
  if (!url?.protocol.startsWith('http')) return null;
  try {
    const path = decodeURIComponent(url.pathname.slice(1)).normalize('NFC');
    return path === '' || isWithheld(path) ? null : path;
  } catch {
    return null;
  }
}

/** Removes control characters and those that change the direction of text, and shortens the title. */
function cleanTitle(text: string): string | null {
  const title = text
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .replace(/[\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, '')
    .toWellFormed()
    .trim();
  if (title === '') return null;
  if (title.length <= MAX_SITE_TITLE) return title;
  return `${title.slice(0, MAX_SITE_TITLE - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}

const CHARSET_BYTES = 1_024;

/** Decodes a page as browsers do: by its byte order mark, or by the encoding that it declares; otherwise as UTF-8. */
function decodePage(bytes: Uint8Array): string {
  const head = Buffer.from(bytes.subarray(0, CHARSET_BYTES)).toString('latin1');
  const meta = head.toLowerCase().indexOf('<meta');
  const declared = meta < 0 ? undefined : /charset ?= ?["']?([\w-]{1,40})/i.exec(head.slice(meta))?.[1];
  const encoding = byteOrderOf(bytes) ?? (declared && !/^utf-?16/i.test(declared) ? declared : 'utf-8');
  try {
    return new TextDecoder(encoding).decode(bytes);
  } catch {
    return new TextDecoder().decode(bytes);
  }
}

function byteOrderOf([first, second]: Uint8Array): string | null {
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  return first === 0xff && second === 0xfe ? 'utf-16le' : null;
}
