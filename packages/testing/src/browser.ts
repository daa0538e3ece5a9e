import { existsSync } from 'node:fs';
import { type Browser, type BrowserContextOptions, chromium, type Page, type Route } from 'playwright-core';
import { afterAll, beforeAll, describe } from 'vitest';

const CHROMIUM = process.env['CHROMIUM_PATH'] ?? '/usr/bin/chromium';

/** Why the tests in a browser cannot run; `null` when they can. */
const NO_BROWSER = existsSync(CHROMIUM) ? null : `there is no Chromium at ${CHROMIUM}; set CHROMIUM_PATH`;

export function launchBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath: CHROMIUM,
    args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--no-proxy-server'],
  });
}

/** Describes tests that share a browser. Where there is none, they are skipped, and their title says why. */
export function describeInBrowser(title: string, describeTests: (browser: () => Browser) => void): void {
  const reason = NO_BROWSER === null ? '' : `, skipped: ${NO_BROWSER}`;
  describe.skipIf(NO_BROWSER !== null)(`${title} in Chromium${reason}`, () => {
    let browser: Browser;
    beforeAll(async () => void (browser = await launchBrowser()));
    afterAll(() => browser?.close());
    describeTests(() => browser);
  });
}

/** A page, and everything that went wrong on it. */
export interface WatchedPage {
  page: Page;
  /** Errors of the console and of scripts, and failed or refused requests to our hosts. */
  faults: string[];
  /** Requested addresses that are not on this machine. They are answered here, with `stubs` or with nothing. */
  foreign: string[];
}

/** Opens a page on which nothing leaves the machine. */
export async function openPage(
  browser: Browser,
  { stubs = {}, ...options }: BrowserContextOptions & { stubs?: Record<string, string> } = {},
): Promise<WatchedPage> {
  const context = await browser.newContext({ reducedMotion: 'reduce', ...options });
  const faults: string[] = [];
  const foreign: string[] = [];
  await context.route(isForeign, (route: Route) => {
    const address = route.request().url();
    foreign.push(address);
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
    // A request that the page aborted is not a fault.
    if (reason !== 'net::ERR_ABORTED') faults.push(`${request.url()} failed: ${reason}`);
  });
  page.on(
    'response',
    (response) => response.status() >= 400 && faults.push(`${response.url()} was answered ${response.status()}`),
  );
  return { page, faults, foreign };
}

function isForeign({ protocol, hostname }: URL): boolean {
  return protocol.startsWith('http') && hostname !== 'localhost' && !hostname.endsWith('.localhost');
}
