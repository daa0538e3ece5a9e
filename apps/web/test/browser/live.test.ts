import { describeInBrowser, openPage } from '@berth/testing/browser';
import { startProxy } from '@berth/testing/proxy';
import { OWNER_KEY } from '@berth/testing/requests';
import { startServer, type TestServer } from '@berth/testing/server';
import type { BrowserContext, Page } from 'playwright-core';
import { expect, it, onTestFinished } from 'vitest';
import { useConsole } from './built-console.ts';

const OWNER = 'owner@localhost';

describeInBrowser('activities as they happen', (browser) => {
  const console = useConsole();

  /** Signs the owner in. @returns The context, whose pages share the session. */
  async function signIn(server: TestServer): Promise<BrowserContext> {
    const { page } = await openPage(browser());
    await page.goto(await server.signInLink(OWNER));
    await page.getByRole('button', { name: `Sign in as ${OWNER}` }).click();
    await page.getByRole('heading', { level: 1, name: 'Set up sign-in' }).waitFor();
    await page.goto('about:blank');
    return page.context();
  }

  /** Opens the page for activities in a new tab. */
  async function openActivity(context: BrowserContext, origin: string) {
    const page = await context.newPage();
    const streams: string[] = [];
    page.on('request', (request) => {
      if (request.url().includes('/trpc/activities.watch')) streams.push(request.url());
    });
    await page.goto(`${origin}/app/activity`);
    await page.getByText('Account created').first().waitFor();
    return { page, streams };
  }

  /** Makes a deploy token, which is an activity. @returns Its id. */
  async function makeToken(server: TestServer): Promise<string> {
    const response = await server.api('/tokens', { method: 'POST', key: OWNER_KEY, json: { kind: 'deploy' } });
    return response.json<{ token: string }>().token;
  }
  const shows = (page: Page, token: string) => page.getByRole('main').getByText(token).first().waitFor();

  it('api §9: all tabs show them from one stream, and another tab takes the stream over', async () => {
    const server = console.server();
    const context = await signIn(server);
    const [first, second] = [
      await openActivity(context, console.origin()),
      await openActivity(context, console.origin()),
    ];
    await expect.poll(() => first.streams.length + second.streams.length).toBe(1);
    const token = await makeToken(server);
    await Promise.all([first, second].map(({ page }) => shows(page, token)));
    expect(second.streams).toEqual([]);

    await first.page.close();
    await expect.poll(() => second.streams.length).toBe(1);
    await shows(second.page, await makeToken(server));
  });

  it('a filter asks the server, and applies to new activities', async () => {
    const server = console.server();
    const { page } = await openActivity(await signIn(server), console.origin());
    await page.getByLabel('By').selectOption({ label: 'The operator' });
    await page.getByLabel('About').selectOption({ label: 'Tokens' });
    await page.getByText('No activity matches these filters.').waitFor();
    await page.getByLabel('By').selectOption({ label: 'API keys' });
    const token = await makeToken(server);
    await shows(page, token);
    await server.publish({ 'index.html': 'hello' });
    await shows(page, await makeToken(server));
    expect(
      await page
        .getByRole('main')
        .getByText(/^Published/)
        .count(),
    ).toBe(0);
    await page.getByLabel('About').selectOption({ label: 'Sites' });
    await page
      .getByText(/^Published/)
      .first()
      .waitFor();
  });

  it('a page says when the connection is lost, and marks what it missed', async () => {
    const running: TestServer[] = [];
    const proxy = await startProxy(() => running[0]!.port);
    const origin = proxy.url.replace('127.0.0.1', 'localhost');
    const server = await startServer({ env: { BASE_URL: origin, CONSOLE_FOLDER: console.folder() } });
    running.push(server);
    onTestFinished(() => server.close());
    const { page, streams } = await openActivity(await signIn(server), origin);
    await expect.poll(() => streams.length).toBe(1);
    const before = await makeToken(server);
    await shows(page, before);

    const restored = Promise.withResolvers<undefined>();
    proxy.trouble = () => restored.promise;
    proxy.cut();
    await page.getByText('The connection is lost.').waitFor();
    const missed = await makeToken(server);
    restored.resolve(undefined);
    proxy.trouble = () => undefined;
    await shows(page, missed);
    await page.getByText('The connection is lost.').waitFor({ state: 'detached' });
    const lines = (await page.getByRole('main').innerText()).split('\n');
    const at = (text: string) => lines.findIndex((line) => line.includes(text));
    expect(at(missed)).toBeLessThan(at('The connection was lost here'));
    expect(at('The connection was lost here')).toBeLessThan(at(before));
  });
});
