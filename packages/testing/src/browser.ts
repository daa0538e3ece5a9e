import { existsSync } from 'node:fs';
import { type Browser, type BrowserContextOptions, chromium, type Page, type Route } from 'playwright-core';
import { afterAll, beforeAll, describe } from 'vitest';

/** The browser of the tests. The shell without a window comes first, because its tests take two thirds of the time. */
const INSTALLED = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'];
const CHROMIUM = process.env['CHROMIUM_PATH'] ?? INSTALLED.find((path) => existsSync(path)) ?? INSTALLED[0]!;

/** Why the tests in a browser cannot run; `null` when they can. */
export const MISSING_BROWSER = existsSync(CHROMIUM) ? null : `there is no Chromium at ${CHROMIUM}; set CHROMIUM_PATH`;

/** Starts Chromium. @param switches Further switches of its command line. */
export function launchBrowser(switches: readonly string[] = []): Promise<Browser> {
  return chromium.launch({
    executablePath: CHROMIUM,
    args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--no-proxy-server', ...switches],
  });
}

/** Describes tests that share one browser. Without a browser they are skipped, and the title gives the reason. */
export function describeInBrowser(title: string, describeTests: (browser: () => Browser) => void): void {
  const reason = MISSING_BROWSER === null ? '' : `, skipped: ${MISSING_BROWSER}`;
  describe.skipIf(MISSING_BROWSER !== null)(`${title} in Chromium${reason}`, () => {
    let browser: Browser;
    beforeAll(async () => void (browser = await launchBrowser()));
    afterAll(() => browser?.close());
    describeTests(() => browser);
  });
}

/** A page in a browser, with everything that failed on the page. */
export interface WatchedPage {
  page: Page;
  /** Errors of the console and of scripts, and failed or refused requests to our hosts. */
  faults: string[];
  /** Requested addresses that are not on this machine. The browser gets the text in `stubs`, or an empty response. */
  foreign: string[];
}

/** Opens a page whose requests never leave this machine. */
export async function openPage(
  browser: Browser,
  { stubs = {}, ...options }: BrowserContextOptions & { stubs?: Record<string, string> } = {},
): Promise<WatchedPage> {
  const context = await browser.newContext({ reducedMotion: 'reduce', ...options });
  const faults: string[] = [];
  const foreignUrls: string[] = [];
  await context.route(isForeign, (route: Route) => {
    const address = route.request().url();
    foreignUrls.push(address);
    const body = stubs[address];
    const headers = { 'Access-Control-Allow-Origin': '*' };
    return route.fulfill(
      body === undefined ? { status: 204, headers } : { headers, contentType: 'application/json', body },
    );
  });
  const page = await context.newPage();
  page.on(
    'console',
    (message) => message.type() === 'error' && faults.push(`${message.text()} (${message.location().url})`),
  );
  page.on('pageerror', (error) => faults.push(String(error)));
  page.on('requestfailed', (request) => {
    const reason = request.failure()?.errorText;
    // The page itself aborted this request, so nothing failed.
    if (reason !== 'net::ERR_ABORTED') faults.push(`${request.url()} failed: ${reason}`);
  });
  page.on(
    'response',
    (response) => response.status() >= 400 && faults.push(`${response.url()} has status ${response.status()}`),
  );
  return { page, faults, foreign: foreignUrls };
}

function isForeign({ protocol, hostname }: URL): boolean {
  return protocol.startsWith('http') && hostname !== 'localhost' && !hostname.endsWith('.localhost');
}
