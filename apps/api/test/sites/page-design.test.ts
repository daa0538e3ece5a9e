import type { Server } from 'node:http';
import { describeInBrowser, openPage, type WatchedPage } from '@berth/testing/browser';
import { ask, listen, stop } from '@berth/testing/raw-socket';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createHttpServer } from '../../src/http/server.ts';
import { type PageName, sendPage } from '../../src/site-host/pages.ts';
import { sendUnlockPage, type UnlockState } from '../../src/site-host/unlock-page.ts';
import { expectPage } from '../pages/expect-page.ts';

const STATUSES: Record<PageName, number> = {
  'unknown-address': 404,
  'unknown-page': 404,
  'no-front-page': 404,
  paused: 503,
  'taken-down': 451,
  'needs-https': 401,
  malformed: 400,
  fault: 500,
  away: 503,
};
const UNLOCKING: UnlockState[] = [
  { kind: 'locked' },
  { kind: 'wrong' },
  { kind: 'too-many', retryAfterSeconds: 540 },
  { kind: 'busy', retryAfterSeconds: 5 },
  { kind: 'foreign' },
];
const NAMES = [...Object.keys(STATUSES), ...UNLOCKING.map(({ kind }) => kind)];
const SMALL_PHONE = { width: 320, height: 568 };

/** The texts on the page, in the order of the document: colours, the top edge, whether it is visible. */
const WRITTEN = `Array.from(document.body.querySelectorAll('*'))
  .filter((element) => Array.from(element.childNodes).some((node) => node.nodeType === 3 && node.data.trim() !== ''))
  .map((element) => {
    let behind = element;
    while (behind.parentElement && getComputedStyle(behind).backgroundColor === 'rgba(0, 0, 0, 0)') behind = behind.parentElement;
    const { top, width, height } = element.getBoundingClientRect();
    const [ink, paper] = [getComputedStyle(element).color, getComputedStyle(behind).backgroundColor];
    return { text: element.textContent, ink, paper, top, isShown: width > 0 && height > 0 };
  })`;

/** The outline of the focused element, and its background. */
const OUTLINE = `(({ outlineStyle, outlineWidth, outlineColor }) =>
  [outlineStyle, outlineWidth, outlineColor, getComputedStyle(document.body).backgroundColor]
)(getComputedStyle(document.activeElement))`;

interface Written {
  text: string;
  ink: string;
  paper: string;
  top: number;
  isShown: boolean;
}

let server: Server;
let port: number;
beforeAll(async () => {
  server = createHttpServer(
    (req, res) => {
      const name = req.url!.slice(1);
      const state = UNLOCKING.find(({ kind }) => kind === name);
      if (state) sendUnlockPage(res, state, '/', {});
      else sendPage(res, name as PageName);
    },
    { log: { info() {}, warn() {}, error() {} } },
  );
  port = await listen(server);
});
afterAll(() => stop(server));

it.each(Object.entries(STATUSES))('%s is %d, with the headers of security §7', async (name, expected) => {
  const { status, headers, body } = await ask(port, `GET /${name} HTTP/1.1`);
  expect(status).toBe(expected);
  expectPage(headers, body, "'none'");
  expect(headers).toMatchObject({
    'cache-control': 'no-store',
    'content-length': String(Buffer.byteLength(body, 'latin1')),
  });
});

describeInBrowser('a page of the service', (browser) => {
  let window: WatchedPage;
  let asked: string[];
  beforeAll(async () => {
    window = await openPage(browser(), { viewport: SMALL_PHONE });
    window.page.on('request', (request) => request.url().startsWith('http') && asked.push(request.url()));
  });

  const open = async (name: string, colorScheme: 'light' | 'dark' = 'light') => {
    const url = `http://localhost:${port}/${name}`;
    const { page, faults, foreign } = window;
    asked = [];
    await page.emulateMedia({ colorScheme });
    await page.goto(url);
    expect({ asked, foreign }).toEqual({ asked: [url], foreign: [] });
    // The only faults are the messages of the browser about the status of this page and of those before it.
    expect(faults.filter((fault) => !fault.includes(`http://localhost:${port}/`))).toEqual([]);
    return page;
  };

  it.each(NAMES)('%s: is readable in light and dark mode', async (name) => {
    const papers = new Set<string>();
    for (const scheme of ['light', 'dark'] as const) {
      const page = await open(name, scheme);
      const heading = await page.getByRole('main').getByRole('heading', { level: 1 }).textContent();
      expect((await page.title()).replace(/^Error: /, '')).toBe(heading);
      expect(await page.evaluate('document.documentElement.lang')).toBe('en');
      const written = await page.evaluate<Written[]>(WRITTEN);
      expect(written.length).toBeGreaterThan(2);
      for (const { text, ink, paper } of written)
        expect(contrast(ink, paper), `${scheme}: ${text}, ${ink} on ${paper}`).toBeGreaterThan(4.5);
      papers.add(written[0]!.paper);
    }
    expect(papers.size).toBe(2);
  });

  it.each(NAMES)('%s: fits a small phone, also with doubled font size and without its style', async (name) => {
    const page = await open(name);
    expect(await overflow(page), 'as it is').toBe(0);
    await page.evaluate("document.documentElement.style.fontSize = '200%'");
    expect(await overflow(page), 'with large letters').toBe(0);
    await page.evaluate("document.documentElement.style.fontSize = ''");
    const styled = await page.evaluate<Written[]>(WRITTEN);
    await page.evaluate('document.styleSheets[0].disabled = true');
    expect(await overflow(page), 'without style').toBe(0);
    const plain = await page.evaluate<Written[]>(WRITTEN);
    for (const written of [styled, plain]) {
      expect(written.filter(({ isShown }) => !isShown)).toEqual([]);
      const tops = written.map(({ top }) => top);
      expect(tops, 'top to bottom in the order of the document').toEqual(tops.toSorted((a, b) => a - b));
    }
  });

  it.each(NAMES)('%s: can be used with the Tab key, and shows the focus', async (name) => {
    const page = await open(name);
    const asks = UNLOCKING.some(({ kind }) => kind === name);
    const usable = 'document.querySelectorAll("a[href], button, input:not([type=hidden])")';
    const count = await page.evaluate<number>(`${usable}.length`);
    expect(count).toBe(asks ? 2 : name === 'unknown-page' ? 1 : 0);
    if (asks) await page.locator('input:focus').waitFor();
    for (let index = 0; index < count; index += 1) {
      // A password field has the focus at first, so that the password can be typed at once.
      if (!asks || index > 0) await page.keyboard.press('Tab');
      expect(await page.evaluate(`Array.from(${usable}).indexOf(document.activeElement)`)).toBe(index);
      const [style, width, colour, paper] = await page.evaluate<[string, string, string, string]>(OUTLINE);
      expect([style, width]).toEqual(['solid', '2px']);
      expect(contrast(colour, paper)).toBeGreaterThan(3);
    }
  });
});

/** How far the page extends beyond the window, in pixels. */
function overflow(page: Page): Promise<number> {
  return page.evaluate<number>('document.documentElement.scrollWidth - document.documentElement.clientWidth');
}

/** The contrast of two colours, from 1 to 21. Source: https://www.w3.org/TR/WCAG22/#dfn-contrast-ratio. */
function contrast(one: string, other: string): number {
  const luminance = (colour: string) => {
    const linear = (part: string) =>
      Number(part) / 255 <= 0.04045 ? Number(part) / 255 / 12.92 : ((Number(part) / 255 + 0.055) / 1.055) ** 2.4;
    const [red = 0, green = 0, blue = 0] = colour.match(/\d+/g)!.map(linear);
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].toSorted((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}
