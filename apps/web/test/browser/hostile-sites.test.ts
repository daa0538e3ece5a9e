import { launchBrowser, MISSING_BROWSER } from '@berth/testing/browser';
import { startServer } from '@berth/testing/server';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { useConsole } from './built-console.ts';
import { signIn } from './sign-in.ts';
import { startTlsFront, type TlsFront } from './tls-front.ts';

const CONSOLE = 'https://app.example.test';
const ELSEWHERE = 'https://evil.test';
const COOKIE = '__Host-berth-session';
const PAGE = '<!doctype html><title>Hostile</title><body>';

/** What a hostile page asks for: reading, changing, signing out, publishing. */
const READ = `${CONSOLE}/trpc/account.get`;
const CHANGES = [
  '/trpc/session.end',
  '/trpc/tokens.create',
  '/trpc/sessions.deleteOthers',
  '/trpc/domains.put',
  '/tokens',
];

describe.skipIf(MISSING_BROWSER !== null)('T43: a hostile page in Chromium', () => {
  const served = useConsole({ env: { BASE_URL: CONSOLE, PLATFORM_DOMAIN: 'example.test' } });
  let front: TlsFront;
  let browser: Browser;
  let context: BrowserContext;
  let account: Page;
  let sibling: string;

  beforeAll(async () => {
    front = await startTlsFront(() => served.server().port, { 'evil.test': PAGE });
    browser = await launchBrowser({
      hosts: [`MAP * 127.0.0.1:${front.port}`],
      switches: ['--ignore-certificate-errors'],
    });
    const { url } = await served.server().publish({ 'index.html': PAGE }, { headers: { Host: 'app.example.test' } });
    sibling = new URL(url).origin;
    context = await browser.newContext({ ignoreHTTPSErrors: true });
    account = await context.newPage();
    await account.goto(CONSOLE);
    const link = (await served.server().berth.openLink(true))!;
    const secret = link.split('=').at(-1)!;
    expect(await callFromConsole('signIn.useLink', { secret })).toBe(200);
  });
  afterAll(async () => {
    await browser?.close();
    await front?.close();
  });
  beforeEach(() => void (front.seen.length = 0));

  function callFromConsole(procedure: string, input?: object): Promise<number> {
    return account.evaluate(
      async ([name, body]) => {
        const init = body === null ? {} : { method: 'POST', body, headers: { 'Content-Type': 'application/json' } };
        return (await fetch(`/trpc/${name}`, init)).status;
      },
      [procedure, input === undefined ? null : JSON.stringify(input)] as const,
    );
  }

  async function hostilePage(origin: string): Promise<Page> {
    const page = await context.newPage();
    await page.goto(origin);
    return page;
  }

  /** Fails if a hostile request was treated as the owner's, or the owner's session or account changed. */
  async function expectHarmless({ withCookie }: { withCookie: boolean }): Promise<void> {
    const attacks = front.seen.filter(({ host, site }) => host === 'app.example.test' && site !== 'same-origin');
    expect(attacks.length).toBeGreaterThan(0);
    for (const { method, path, status } of attacks)
      if (method !== 'OPTIONS' && path !== '/')
        expect(`${method} ${path} ${status}`).toMatch(/ (?:401|403|400|404|405|413|0)$/);
    expect(attacks.some(({ cookie }) => cookie.includes(COOKIE))).toBe(withCookie);
    expect(await callFromConsole('account.get')).toBe(200);
    const changes = await served
      .server()
      .database.query(
        `select event from activity where event not in ('account.create', 'session.create', 'deployment.create', 'account.key.generate')`,
      );
    expect(changes).toEqual([]);
  }

  const places = [
    ['beside the console', () => sibling, true],
    ['at another domain', () => ELSEWHERE, false],
  ] as const;

  describe.each(places)('%s', (_, origin, withCookie) => {
    it('reads nothing and changes nothing by fetch', async () => {
      const page = await hostilePage(origin());
      const results = await page.evaluate(
        async ([read, changes, base]) => {
          const outcomes: string[] = [];
          const attempt = async (url: string, init: RequestInit) => {
            const response = await fetch(url, { credentials: 'include', ...init }).catch(() => null);
            outcomes.push(response === null || response.type === 'opaque' ? 'unreadable' : await response.text());
          };
          await attempt(read, {});
          await attempt(read, { mode: 'no-cors' });
          for (const path of changes) {
            await attempt(base + path, { method: 'POST', mode: 'no-cors', body: '{}' });
            await attempt(base + path, { method: 'POST', body: '{}', headers: { 'Content-Type': 'application/json' } });
            await attempt(base + path, { method: 'POST', body: '{}', headers: { 'X-Berth-Console': '1' } });
          }
          return outcomes;
        },
        [READ, CHANGES, CONSOLE] as const,
      );
      expect(results.every((text) => text === 'unreadable')).toBe(true);
      await expectHarmless({ withCookie });
      await page.close();
    });

    it('reads nothing by an image, a script, a frame or a sandboxed frame', async () => {
      const page = await hostilePage(origin());
      await page.evaluate(async (read) => {
        const loaded = (element: HTMLElement) =>
          new Promise<void>((resolve) => {
            element.addEventListener('load', () => resolve());
            element.addEventListener('error', () => resolve());
            document.body.append(element);
          });
        await loaded(Object.assign(new Image(), { src: read }));
        await loaded(Object.assign(document.createElement('script'), { src: read }));
        await loaded(Object.assign(document.createElement('iframe'), { src: read }));
        const frame = Object.assign(document.createElement('iframe'), { srcdoc: `<img src="${read}">` });
        frame.setAttribute('sandbox', 'allow-scripts');
        await loaded(frame);
      }, READ);
      await expectHarmless({ withCookie });
      await page.close();
    });

    it('changes nothing by a form', async () => {
      for (const path of CHANGES) {
        const page = await hostilePage(origin());
        await Promise.all([
          page.waitForNavigation(),
          page.evaluate((action) => {
            const form = Object.assign(document.createElement('form'), {
              method: 'post',
              enctype: 'text/plain',
              action,
            });
            form.append(Object.assign(document.createElement('input'), { name: '{"a":"', value: '"}' }));
            document.body.append(form);
            form.submit();
          }, CONSOLE + path),
        ]);
        expect(await page.innerText('body')).not.toMatch(/ship-|deploy-/);
        await page.close();
      }
      await expectHarmless({ withCookie });
    });

    it('shows its visitor nothing of the account by a link', async () => {
      const page = await hostilePage(origin());
      await Promise.all([page.waitForNavigation(), page.evaluate((read) => location.assign(read), READ)]);
      expect(await page.innerText('body')).toContain('authentication_failed');
      await expectHarmless({ withCookie });
      await page.close();
    });

    it('cannot frame the console, and cannot reach its window', async () => {
      const page = await hostilePage(origin());
      const refused = page.waitForEvent('console', (message) => /frame-ancestors|refused/i.test(message.text()));
      await page.evaluate(
        (src) => void document.body.append(Object.assign(document.createElement('iframe'), { src })),
        CONSOLE,
      );
      await refused;
      const [popup] = await Promise.all([
        context.waitForEvent('page'),
        page.evaluate((url) => void Object.assign(globalThis, { opened: open(url) }), CONSOLE),
      ]);
      await popup.waitForURL(`${CONSOLE}/**`);
      const isOpenerCutOff = () => page.evaluate(() => (globalThis as unknown as { opened: Window }).opened.closed);
      await expect.poll(isOpenerCutOff).toBe(true);
      await popup.close();
      await page.close();
    });
  });

  it('beside the console cannot replace or add a session cookie', async () => {
    const page = await hostilePage(sibling);
    await page.evaluate((name) => {
      for (const cookie of [name, 'berth-session', '__Secure-berth-session'])
        for (const path of ['/', '/trpc'])
          // oxlint-disable-next-line unicorn/no-document-cookie -- The attack under test.
          document.cookie = `${cookie}=${'0'.repeat(32)}; Domain=example.test; Path=${path}; Secure`;
    }, COOKIE);
    expect(await callFromConsole('account.get')).toBe(200);
    const request = front.seen.find(({ path }) => path === '/trpc/account.get');
    expect(request!.cookie.split(COOKIE)).toHaveLength(2);
    expect(request!.cookie).not.toContain(`${COOKIE}=000`);
    await page.close();
  });

  it('at a name of localhost, beside a console at localhost, sends no cookie, reads nothing and changes nothing', async () => {
    const local = await startServer({ env: { CONSOLE_FOLDER: served.folder() } });
    onTestFinished(() => local.close());
    const home = `http://localhost:${local.port}`;
    const name = `berth-session-${local.port}`;
    const visitor = await browser.newContext();
    onTestFinished(() => visitor.close());
    const owner = await visitor.newPage();
    await owner.goto(home);
    await signIn(owner, local);
    const { url } = await local.publish({ 'index.html': PAGE });
    const page = await visitor.newPage();
    await page.goto(url);
    const activities = () => local.database.query('select event, created from activity order by created');
    const before = await activities();
    const cookies: Promise<string>[] = [];
    page.on('request', (request) => cookies.push(request.allHeaders().then(({ cookie = '' }) => cookie)));
    const outcomes = await page.evaluate(
      async ([base, changes, name]) => {
        // oxlint-disable-next-line unicorn/no-document-cookie -- The attack under test.
        document.cookie = `${name}=${'0'.repeat(32)}; Domain=localhost; Path=/`;
        const attempt = async (path: string, init: RequestInit) => {
          const response = await fetch(base + path, { credentials: 'include', ...init }).catch(() => null);
          return response === null || response.type === 'opaque' ? 'unreadable' : response.text();
        };
        const image = Object.assign(new Image(), { src: `${base}/trpc/account.get` });
        await image.decode().catch(() => {});
        const posts = changes.map((path) => attempt(path, { method: 'POST', mode: 'no-cors', body: '{}' }));
        return Promise.all([...posts, attempt('/trpc/account.get', {})]);
      },
      [home, CHANGES, name] as const,
    );
    expect(new Set(outcomes)).toEqual(new Set(['unreadable']));
    await Promise.all([
      page.waitForNavigation(),
      page.evaluate((to) => location.assign(to), `${home}/trpc/account.get`),
    ]);
    expect(await page.innerText('body')).toContain('authentication_failed');
    expect(cookies.length).toBeGreaterThan(CHANGES.length);
    expect((await Promise.all(cookies)).filter((cookie) => cookie.includes(name))).toEqual([]);
    expect(await activities()).toEqual(before);
    await owner.reload();
    await owner.getByRole('navigation').getByText('owner@localhost').waitFor();
  });
});
