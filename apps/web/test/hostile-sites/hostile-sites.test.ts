import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createOwnerLink } from '@berth/core';
import { describeInBrowser, launchBrowser } from '@berth/testing/browser';
import { useServer } from '@berth/testing/use-server';
import type { Browser, BrowserContext, Frame, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Origins, type SeenRequest, serveOrigins } from './origins.ts';

const CONSOLE = 'https://app.example.com';
const FOREIGN = 'https://evil.test';
/** In the data of the signed-in person. No site may receive it. */
const PRIVATE = 'owner@localhost';
const SITE = '<!doctype html><title>A hostile site</title>';

// The worst arrangement that an operator can choose: sites are siblings of the console.
const server = useServer({ env: { BASE_URL: CONSOLE, PLATFORM_DOMAIN: 'example.com' } });
let folder: string;
let origins: Origins;
let sibling: string;
let browser: Browser;
let context: BrowserContext;
/** A page at the origin of the console, signed in. */
let victim: Page;

describeInBrowser('T43: a hostile site', () => {
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'berth-origins-'));
    const hosts = { consoleHost: new URL(CONSOLE).host, foreignHost: new URL(FOREIGN).host };
    origins = await serveOrigins(server().port, folder, hosts);
    const { deployment } = await server().publish({ 'index.html': SITE }, { headers: { Host: hosts.consoleHost } });
    sibling = `https://${deployment}.example.com`;
    browser = await launchBrowser([
      `--host-resolver-rules=MAP * 127.0.0.1:${origins.port}`,
      '--ignore-certificate-errors',
    ]);
    context = await browser.newContext({ ignoreHTTPSErrors: true });
    victim = await context.newPage();
    await victim.goto(`${CONSOLE}/ping`);
    const link = new URL(await createOwnerLink(server().berth.core));
    expect(await call('signIn.useLink', { secret: link.hash.slice('#first='.length) })).toBe(200);
    expect(await readSession()).toContain(PRIVATE);
  });
  afterAll(async () => {
    await browser?.close();
    await origins?.close();
    await rm(folder, { recursive: true, force: true });
  });

  beforeEach(() => void origins.takeRequests());
  afterEach(async () => {
    for (const page of context.pages()) if (page !== victim) await page.close();
  });

  describe.each([
    ['beside the console', () => sibling, 'same-site'],
    ['of another domain', () => FOREIGN, 'cross-site'],
    ['in a sandboxed frame', () => `${sibling}#frame`, 'cross-site'],
  ])('%s', (_, address, site) => {
    let attacker: Frame;
    beforeEach(async () => {
      const page = await context.newPage();
      await page.goto(address());
      attacker = page.mainFrame();
      if (!address().endsWith('#frame')) return;
      await page.evaluate(() => {
        const frame = document.createElement('iframe');
        frame.sandbox.add('allow-scripts', 'allow-forms');
        frame.srcdoc = '<p>Sandboxed';
        document.body.append(frame);
        return new Promise((loaded) => (frame.onload = loaded));
      });
      attacker = page.frames().find((frame) => frame !== page.mainFrame())!;
    });

    it.each<[string, 'GET' | 'POST', (frame: Frame, url: string) => Promise<unknown>]>([
      ['a fetch without CORS', 'GET', (frame, url) => frame.evaluate(plainFetch, { url, method: 'GET' })],
      ['an image', 'GET', (frame, url) => frame.evaluate(loadImage, url)],
      ['a frame', 'GET', (frame, url) => frame.evaluate(loadFrame, url)],
      ['a form', 'POST', (frame, url) => frame.evaluate(sendForm, url)],
      [
        'a fetch that changes without CORS',
        'POST',
        (frame, url) => frame.evaluate(plainFetch, { url, method: 'POST' }),
      ],
    ])('is anonymous with %s', async (_vector, method, attack) => {
      for (const path of method === 'GET'
        ? ['/session', '/trpc/session.get', '/trpc/account.get', '/account']
        : ['/trpc/session.end', '/trpc/signIn.password', '/trpc/sessions.deleteOthers', '/account/claim']) {
        await attack(attacker, `${CONSOLE}${path}`);
        const [request] = await requests((seen) => seen.path === path);
        expect(request).toMatchObject({ method, headers: { 'sec-fetch-site': site } });
        expect(request!.body).not.toContain(PRIVATE);
        expect(request!.headers).not.toHaveProperty('x-berth-console');
      }
      expect(await readSession()).toContain(PRIVATE);
    });

    it('reads nothing with CORS', async () => {
      for (const [path, method] of [
        ['/session', 'GET'],
        ['/trpc/account.get', 'GET'],
        ['/trpc/session.end', 'POST'],
      ]) {
        const outcome = await attacker.evaluate(readWithCookies, { url: `${CONSOLE}${path}`, method: method! });
        expect(outcome).toBe('refused');
      }
      expect(origins.takeRequests().some(({ body }) => body.includes(PRIVATE))).toBe(false);
      expect(await readSession()).toContain(PRIVATE);
    });

    it('cannot add the header of the console', async () => {
      const outcome = await attacker.evaluate(readWithHeader, `${CONSOLE}/trpc/session.get`);
      expect(outcome).toBe('refused');
      const seen = origins.takeRequests();
      expect(seen.map(({ method }) => method)).toEqual(['OPTIONS']);
    });

    it('cannot show the console in a frame', async () => {
      for (const path of ['/', '/docs']) await attacker.evaluate(loadFrame, `${CONSOLE}${path}`);
      const shown = attacker.childFrames().map((frame) => frame.url());
      expect(shown.filter((url) => url.startsWith(CONSOLE))).toEqual([]);
    });
  });

  it.each([
    ['beside the console', () => sibling, 'same-site', true],
    ['of another domain', () => FOREIGN, 'cross-site', false],
  ])('%s that a link leads away from learns and changes nothing', async (_, address, site, sendsCookie) => {
    const page = await context.newPage();
    await page.goto(address());
    await page.evaluate((url) => {
      const link = document.createElement('a');
      link.href = url;
      link.textContent = 'Follow';
      document.body.append(link);
    }, `${CONSOLE}/session`);
    await page.click('text=Follow');
    await page.waitForURL(`${CONSOLE}/session`);
    const [request] = await requests(({ path }) => path === '/session');
    // The strict cookie is sent by siblings. Only the header tells them apart.
    expect(/__Host-berth-session=/.test(request!.headers.cookie ?? '')).toBe(sendsCookie);
    expect(request).toMatchObject({ headers: { 'sec-fetch-site': site } });
    expect(request!.body).not.toContain(PRIVATE);
    expect(await readSession()).toContain(PRIVATE);
  });

  it('cannot read the cookie of the console, and neither can a script of the console', async () => {
    const page = await context.newPage();
    await page.goto(sibling);
    expect(await page.evaluate(() => document.cookie)).toBe('');
    expect(await victim.evaluate(() => document.cookie)).toBe('');
  });

  it('beside the console cannot set or replace its cookie', async () => {
    const page = await context.newPage();
    await page.goto(sibling);
    await page.evaluate(() => {
      const value = '0'.repeat(32);
      for (const name of ['__Host-berth-session', '__Secure-berth-session', 'berth-session'])
        for (const domain of ['', '; Domain=example.com'])
          // oxlint-disable-next-line unicorn/no-document-cookie -- the attack
          document.cookie = `${name}=${value}; Path=/; Secure${domain}`;
    });
    origins.takeRequests();
    expect(await readSession()).toContain(PRIVATE);
    const [request] = await requests(({ path }) => path === '/trpc/session.get');
    const cookies = request!.headers.cookie!.split('; ');
    expect(cookies.filter((cookie) => cookie.startsWith('__Host-berth-session='))).toHaveLength(1);
    // Other names do arrive, which is why the console does not read them.
    expect(cookies).toContain(`berth-session=${'0'.repeat(32)}`);
  });
});

async function requests(isMeant: (seen: SeenRequest) => boolean): Promise<SeenRequest[]> {
  const found: SeenRequest[] = [];
  await expect.poll(() => found.push(...origins.takeRequests().filter(isMeant))).toBeGreaterThan(0);
  return found;
}

/** Calls a procedure as a page of the console does. @returns The status. */
function call(procedure: string, input: unknown): Promise<number> {
  return victim.evaluate(
    async ([url, body]) => {
      const headers = { 'Content-Type': 'application/json' };
      return (await fetch(url!, { method: 'POST', headers, body: body! })).status;
    },
    [`${CONSOLE}/trpc/${procedure}`, JSON.stringify(input)],
  );
}

/** Reads the session as a page of the console does. */
function readSession(): Promise<string> {
  return victim.evaluate(async (url) => (await fetch(url)).text(), `${CONSOLE}/trpc/session.get`);
}

// The attacks. They run in the page of the attacker.

function plainFetch({ url, method }: { url: string; method: string }): Promise<unknown> {
  const body = method === 'POST' ? '{}' : null;
  return fetch(url, { mode: 'no-cors', credentials: 'include', method, body }).catch(() => {});
}

function loadImage(url: string): Promise<unknown> {
  const image = new Image();
  image.src = url;
  return new Promise((done) => (image.onload = image.onerror = done));
}

function loadFrame(url: string): Promise<unknown> {
  const frame = document.createElement('iframe');
  frame.src = url;
  document.body.append(frame);
  return new Promise((done) => (frame.onload = frame.onerror = done));
}

function sendForm(url: string): void {
  const form = document.createElement('form');
  Object.assign(form, { action: url, method: 'POST', enctype: 'text/plain', target: 'result' });
  const field = document.createElement('input');
  Object.assign(field, { name: '{"secret":"', value: '"}' });
  const frame = document.createElement('iframe');
  frame.name = 'result';
  form.append(field);
  document.body.append(frame, form);
  form.submit();
}

async function readWithCookies({ url, method }: { url: string; method: string }): Promise<string> {
  try {
    return await (await fetch(url, { credentials: 'include', method })).text();
  } catch {
    return 'refused';
  }
}

async function readWithHeader(url: string): Promise<string> {
  try {
    const headers = { 'X-Berth-Console': '1' };
    return await (await fetch(url, { credentials: 'include', headers })).text();
  } catch {
    return 'refused';
  }
}
