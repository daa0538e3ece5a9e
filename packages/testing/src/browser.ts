import { existsSync } from 'node:fs';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe } from 'vitest';

/** The browser of the tests. The shell without a window comes first, because its tests take two thirds of the time. */
const INSTALLED = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'];
const CHROMIUM = process.env['CHROMIUM_PATH'] ?? INSTALLED.find((path) => existsSync(path)) ?? INSTALLED[0]!;

/** Why the tests in a browser cannot run; `null` when they can. */
export const MISSING_BROWSER = existsSync(CHROMIUM) ? null : `there is no Chromium at ${CHROMIUM}; set CHROMIUM_PATH`;

/** The error of a request to an address that is not on this machine. */
const NOT_FOUND = 'net::ERR_NAME_NOT_RESOLVED';

/** Options of {@link launchBrowser}. */
interface BrowserSwitches {
  /** Hosts with other addresses, as rules of `--host-resolver-rules`, such as `MAP berth.home 127.0.0.1:4000`. Default: none. */
  hosts?: readonly string[];
  /** Further switches of the command line. Default: none. */
  switches?: readonly string[];
}

/** Starts Chromium. It finds only this machine, at `localhost` and `*.localhost`. */
export function launchBrowser({ hosts = [], switches = [] }: BrowserSwitches = {}): Promise<Browser> {
  // The first rule that matches applies. A route for every request would do the same, but takes a tenth of the time of the tests.
  const rules = [
    'MAP localhost 127.0.0.1',
    'MAP *.localhost 127.0.0.1',
    ...hosts,
    'MAP * ~NOTFOUND',
    'EXCLUDE 127.0.0.1',
  ];
  return chromium.launch({
    executablePath: CHROMIUM,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      // Pages are drawn without a GPU. A separate process for this takes a quarter of the time of the tests.
      '--in-process-gpu',
      '--disable-dev-shm-usage',
      '--no-proxy-server',
      `--host-resolver-rules=${rules.join(', ')}`,
      ...switches,
    ],
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
  /** Requested addresses that are not on this machine. The browser does not find them, unless they have a text in `stubs`. */
  foreign: string[];
}

/**
 * Opens a page in a browser of {@link launchBrowser}.
 *
 * @param options Options of the browser context, and `stubs`: the JSON that the page receives from an address. Default: none.
 */
export async function openPage(
  browser: Browser,
  { stubs = {}, ...options }: BrowserContextOptions & { stubs?: Record<string, string> } = {},
): Promise<WatchedPage> {
  const context = await browser.newContext({ reducedMotion: 'reduce', ...options });
  const faults: string[] = [];
  const foreignUrls: string[] = [];
  context.on('request', (request) => {
    if (isForeign(request.url())) foreignUrls.push(request.url());
  });
  for (const [address, body] of Object.entries(stubs))
    await context.route(address, (route) =>
      route.fulfill({ headers: { 'Access-Control-Allow-Origin': '*' }, contentType: 'application/json', body }),
    );
  const page = await context.newPage();
  page.on('console', (message) => {
    if (message.type() === 'error' && !message.text().includes(NOT_FOUND))
      faults.push(`${message.text()} (${message.location().url})`);
  });
  page.on('pageerror', (error) => faults.push(String(error)));
  page.on('requestfailed', (request) => {
    const reason = request.failure()?.errorText;
    // The page itself aborted this request, so nothing failed.
    if (reason !== 'net::ERR_ABORTED' && reason !== NOT_FOUND) faults.push(`${request.url()} failed: ${reason}`);
  });
  page.on(
    'response',
    (response) => response.status() >= 400 && faults.push(`${response.url()} has status ${response.status()}`),
  );
  return { page, faults, foreign: foreignUrls };
}

function isForeign(address: string): boolean {
  const url = URL.parse(address);
  return url !== null && url.protocol.startsWith('http') && !/(?:^|\.)localhost$/.test(url.hostname);
}
