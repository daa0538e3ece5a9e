import type { Server } from 'node:http';
import { describeInBrowser, openPage, type WatchedPage } from '@berth/testing/browser';
import { listen, rawRequest, stop } from '@berth/testing/raw-socket';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createHttpServer } from '../../src/http/server.ts';
import { LANGUAGES } from '../../src/pages/languages/languages.ts';
import type { PageName } from '../../src/pages/languages/texts.ts';
import { ServicePages } from '../../src/site-host/pages.ts';
import { sendUnlockPage, type UnlockState } from '../../src/site-host/unlock-page.ts';
import { expectPage } from '../pages/expect-page.ts';

const STATUSES: Record<PageName, number> = {
  'unknown-address': 404,
  'unknown-page': 404,
  'no-front-page': 404,
  expired: 410,
  paused: 503,
  'taken-down': 451,
  'needs-https': 401,
  malformed: 400,
  fault: 500,
  away: 503,
};
const UNLOCK_STATES: UnlockState[] = [
  { kind: 'locked' },
  { kind: 'wrong' },
  { kind: 'too-many', retryAfterSeconds: 540 },
  { kind: 'busy', retryAfterSeconds: 5 },
  { kind: 'foreign' },
];
// cspell:ignore Fehler
const PAGE_NAMES = [...Object.keys(STATUSES), ...UNLOCK_STATES.map(({ kind }) => kind)];
const SMALL_PHONE = { width: 320, height: 568 };

/** Script that returns the texts on the page in the order of the document, with colors, top edge and visibility. */
const TEXTS_SCRIPT = `Array.from(document.body.querySelectorAll('*'))
  .filter((element) => Array.from(element.childNodes).some((node) => node.nodeType === 3 && node.data.trim() !== ''))
  .map((element) => {
    let behind = element;
    while (behind.parentElement && getComputedStyle(behind).backgroundColor === 'rgba(0, 0, 0, 0)') behind = behind.parentElement;
    const { top, width, height } = element.getBoundingClientRect();
    const [color, background] = [getComputedStyle(element).color, getComputedStyle(behind).backgroundColor];
    return { text: element.textContent, color, background, top, isShown: width > 0 && height > 0 };
  })`;

/** Script that returns the outline of the focused element, and the background of the page. */
const OUTLINE_SCRIPT = `(({ outlineStyle, outlineWidth, outlineColor }) =>
  [outlineStyle, outlineWidth, outlineColor, getComputedStyle(document.body).backgroundColor]
)(getComputedStyle(document.activeElement))`;

interface PageText {
  text: string;
  color: string;
  background: string;
  top: number;
  isShown: boolean;
}

const pages = new ServicePages(null);
let server: Server;
let port: number;
beforeAll(async () => {
  server = createHttpServer(
    (req, res) => {
      const name = req.url!.slice(1);
      const state = UNLOCK_STATES.find(({ kind }) => kind === name);
      if (state) sendUnlockPage(res, { state, next: '/' }, {});
      else pages.send(res, name as PageName);
    },
    { log: { info() {}, warn() {}, error() {} } },
  );
  port = await listen(server);
});
afterAll(() => stop(server));

it.each(Object.entries(STATUSES))('the page "%s" has status %d and headers of security §7', async (name, expected) => {
  const { status, headers, body } = await rawRequest(port, `GET /${name} HTTP/1.1`);
  expect(status).toBe(expected);
  expectPage(headers, body, "'none'");
  expect(headers).toMatchObject({
    'cache-control': 'no-store',
    'content-length': String(Buffer.byteLength(body, 'latin1')),
  });
});

describeInBrowser('a page of the service', (browser) => {
  let watchedPage: WatchedPage;
  let requestedUrls: string[];
  beforeAll(async () => {
    watchedPage = await openPage(browser(), { viewport: SMALL_PHONE });
    watchedPage.page.on('request', (request) => request.url().startsWith('http') && requestedUrls.push(request.url()));
  });

  const openNamedPage = async (name: string, colorScheme: 'light' | 'dark' = 'light', language = 'en') => {
    const url = `http://localhost:${port}/${name}`;
    const { page, faults, foreign } = watchedPage;
    requestedUrls = [];
    await page.emulateMedia({ colorScheme });
    await page.setExtraHTTPHeaders({ 'Accept-Language': language });
    await page.goto(url);
    expect({ requestedUrls, foreign }).toEqual({ requestedUrls: [url], foreign: [] });
    // The browser reports the error status of a page as a fault.
    expect(faults.filter((fault) => !fault.includes(`http://localhost:${port}/`))).toEqual([]);
    return page;
  };

  const named = PAGE_NAMES.flatMap((name) => Object.keys(LANGUAGES).map((language) => [name, language] as const));
  it.each(named)('the page "%s" in the language "%s" is readable in light and dark mode', async (name, language) => {
    const backgrounds = new Set<string>();
    for (const scheme of ['light', 'dark'] as const) {
      const page = await openNamedPage(name, scheme, language);
      const heading = await page.getByRole('main').getByRole('heading', { level: 1 }).textContent();
      expect((await page.title()).replace(/^(?:Error|Fehler): /, '')).toBe(heading);
      expect(await page.evaluate('document.documentElement.lang')).toBe(language);
      const texts = await page.evaluate<PageText[]>(TEXTS_SCRIPT);
      expect(texts.length).toBeGreaterThan(2);
      for (const { text, color, background } of texts)
        expect(contrast(color, background), `${scheme}: ${text}, ${color} on ${background}`).toBeGreaterThan(4.5);
      backgrounds.add(texts[0]!.background);
    }
    expect(backgrounds.size).toBe(2);
  });

  it.each(named)(
    'the page "%s" in the language "%s" fits a small phone, even without style or with doubled font size',
    async (name, language) => {
      const page = await openNamedPage(name, 'light', language);
      expect(await overflowOf(page), 'unchanged').toBe(0);
      await page.evaluate("document.documentElement.style.fontSize = '200%'");
      expect(await overflowOf(page), 'with large letters').toBe(0);
      await page.evaluate("document.documentElement.style.fontSize = ''");
      const styledTexts = await page.evaluate<PageText[]>(TEXTS_SCRIPT);
      await page.evaluate('document.styleSheets[0].disabled = true');
      expect(await overflowOf(page), 'without style').toBe(0);
      const unstyledTexts = await page.evaluate<PageText[]>(TEXTS_SCRIPT);
      for (const texts of [styledTexts, unstyledTexts]) {
        expect(texts.filter(({ isShown }) => !isShown)).toEqual([]);
        const textTops = texts.map(({ top }) => top);
        expect(textTops, 'top to bottom in the order of the document').toEqual(textTops.toSorted((a, b) => a - b));
      }
    },
  );

  it.each(PAGE_NAMES)('the page "%s" can be used with the Tab key, and shows the focus', async (name) => {
    const page = await openNamedPage(name);
    const hasForm = UNLOCK_STATES.some(({ kind }) => kind === name);
    const focusableElements = 'document.querySelectorAll("a[href], button, input:not([type=hidden])")';
    const count = await page.evaluate<number>(`${focusableElements}.length`);
    expect(count).toBe(hasForm ? 2 : name === 'unknown-page' ? 1 : 0);
    if (hasForm) await page.locator('input:focus').waitFor();
    for (let index = 0; index < count; index += 1) {
      // The password field has the focus from the start.
      if (!hasForm || index > 0) await page.keyboard.press('Tab');
      expect(await page.evaluate(`Array.from(${focusableElements}).indexOf(document.activeElement)`)).toBe(index);
      const [style, width, color, background] = await page.evaluate<[string, string, string, string]>(OUTLINE_SCRIPT);
      expect([style, width]).toEqual(['solid', '2px']);
      expect(contrast(color, background)).toBeGreaterThan(3);
    }
  });
});

/** Returns how far the page extends beyond the window, in pixels. */
function overflowOf(page: Page): Promise<number> {
  return page.evaluate<number>('document.documentElement.scrollWidth - document.documentElement.clientWidth');
}

/** Returns the contrast of two colors, from 1 to 21. Source: https://www.w3.org/TR/WCAG22/#dfn-contrast-ratio. */
function contrast(firstColor: string, secondColor: string): number {
  const luminance = (color: string) => {
    const linear = (part: string) =>
      Number(part) / 255 <= 0.04045 ? Number(part) / 255 / 12.92 : ((Number(part) / 255 + 0.055) / 1.055) ** 2.4;
    const [red = 0, green = 0, blue = 0] = color.match(/\d+/g)!.map(linear);
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const [dark = 0, light = 0] = [luminance(firstColor), luminance(secondColor)].toSorted((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}
