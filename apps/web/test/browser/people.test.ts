import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeInBrowser, openPage } from '@berth/testing/browser';
import { OWNER_KEY } from '@berth/testing/requests';
import type { Page } from 'playwright-core';
import { expect, it, onTestFinished } from 'vitest';
import { openWithAuthenticator } from './authenticator.ts';
import { useConsole } from './built-console.ts';

const OWNER = 'owner@localhost';
const CLI = join(import.meta.dirname, '../../../../packages/cli/src/main.ts');

describeInBrowser('people of an account, in the console', (browser) => {
  const console = useConsole();
  const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true });
  const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name });

  /** Signs in with a one-time link, and ends on the page that offers a way in. */
  async function useLink(page: Page, email = OWNER): Promise<void> {
    await page.goto(await console.server().signInLink(email));
    await button(page, `Sign in as ${email}`).click();
    await heading(page, 'Set up sign-in').waitFor();
  }

  /** Creates an account on the plan for teams. @returns The e-mail address of its owner. */
  async function newOwner(): Promise<string> {
    const { account } = await console.server().account('team');
    const [row] = await console
      .server()
      .database.query<{ email: string }>('select email from account where id = $1', [account]);
    return row!.email;
  }

  async function signIn(email = OWNER): Promise<Page> {
    const { page } = await openWithAuthenticator(browser());
    await useLink(page, email);
    return page;
  }

  it('api §13: a one-time link signs in after a click; a passkey signs in again after signing out', async () => {
    const { page } = await openWithAuthenticator(browser());
    const url = await console.server().signInLink(OWNER);
    await page.goto(url);
    await button(page, `Sign in as ${OWNER}`).waitFor();
    expect(page.url()).toBe(`${console.origin()}/app/first`);
    expect(await console.server().database.query('select 1 from session')).toEqual([]);
    await button(page, `Sign in as ${OWNER}`).click();
    await button(page, 'Add a passkey').click();
    await page.getByText('You can now sign in with your passkey at any time.').waitFor();
    await page.getByRole('link', { name: 'Continue' }).click();
    await page.getByRole('link', { name: 'Account', exact: true }).click();
    await button(page, 'Sign out').click();
    await heading(page, 'Sign in').waitFor();
    await button(page, 'Sign in with a passkey').click();
    await page.getByRole('navigation').getByText(OWNER).waitFor();

    const other = (await openPage(browser())).page;
    await other.goto(url);
    await other.getByText('This link was used or has expired.').waitFor();
  });

  it('api §13: a password signs in, and the sign-in page returns to the page that asked for it', async () => {
    const email = await newOwner();
    const page = await signIn(email);
    await page.getByLabel('New password').fill('correct horse battery');
    await button(page, 'Set password').click();
    await page.getByRole('status').getByText('with your password').waitFor();
    await page.context().clearCookies();
    await page.goto(`${console.origin()}/app/members`);
    await page.getByRole('main').getByRole('button', { name: 'Sign in' }).click();
    await page.getByLabel('E-mail address').fill(email.toUpperCase());
    await page.getByRole('textbox', { name: 'Password' }).fill('wrong password');
    await button(page, 'Sign in').click();
    await page.getByText('The e-mail address or the password is wrong.').waitFor();
    await page.getByRole('textbox', { name: 'Password' }).fill('correct horse battery');
    await button(page, 'Sign in').click();
    await heading(page, 'Members').waitFor();
  });

  it('api §13: the command line gets a key after a person has approved its code', async () => {
    const home = await mkdtemp(join(tmpdir(), 'berth-people-'));
    onTestFinished(() => rm(home, { recursive: true, force: true }));
    const child = spawn(process.execPath, [CLI, 'login', '--server', console.origin()], {
      env: { PATH: process.env['PATH'], HOME: home },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    onTestFinished(() => void child.kill());
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (output += String(text)));
    await expect.poll(() => output, { timeout: 30_000 }).toMatch(/[B-Z]{4}-[B-Z]{4}/);
    expect(output).toContain(`${console.origin()}/device`);
    const [code] = /[B-Z]{4}-[B-Z]{4}/.exec(output)!;
    const page = await signIn();
    await page.goto(`${console.origin()}/device`);
    await page.getByRole('textbox', { name: 'Code' }).fill(code.toLowerCase());
    await button(page, 'Continue').click();
    await page.getByText('berth-cli on').waitFor();
    await button(page, 'Approve').click();
    await page.getByText('is signed in. You can close this page').waitFor();
    await expect.poll(() => output, { timeout: 30_000 }).toContain(`Signed in to ${console.origin()} as ${OWNER}.`);
    const stored = await readFile(join(home, '.config/berth/config.json'), 'utf8');
    const [key] = /ship-[0-9a-f]{32}/.exec(stored)!;
    expect((await console.server().api('/ping', { key })).status).toBe(200);
    const [token] = (await console.server().api('/tokens', { key })).json<{ tokens: [{ labels: string[] }] }>().tokens;
    expect(token.labels[0]).toMatch(/^berth-cli-on-/);
  });

  it('api §13: a denied program gets no key', async () => {
    const response = await console.server().api('/oauth/device_authorization', {
      method: 'POST',
      headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
      body: 'client_id=some-program',
    });
    const { user_code: code } = response.json<{ user_code: string }>();
    const page = await signIn();
    await page.goto(`${console.origin()}/device?code=${code}`);
    await button(page, 'Continue').click();
    await button(page, 'Deny').click();
    await page.getByText('some-program was denied.').waitFor();
  });

  it('api §13: a signed-in person keeps a site with a click; others sign in first and return to it', async () => {
    const { claim, url } = await console
      .server()
      .publish({ 'index.html': '<title>Spring fair</title>' }, { key: null });
    const { page } = await openWithAuthenticator(browser());
    await page.goto(claim!);
    await page.getByRole('link', { name: new URL(url).host }).waitFor();
    await page.getByText('It is removed in 2 days').waitFor();
    expect(await button(page, 'Keep this site').count()).toBe(0);
    await page.getByRole('link', { name: 'Sign in to keep it' }).click();
    await heading(page, 'Sign in').waitFor();
    expect(page.url()).toContain(encodeURIComponent(new URL(claim!).pathname));
    await useLink(page);
    await page.goto(claim!);
    await button(page, 'Keep this site').click();
    await page.getByText('The site is yours.').waitFor();
    await page.reload();
    await page.getByText('The site is yours.').waitFor();
    const { deployment } = (await console.server().api('/deployments?limit=1', { key: OWNER_KEY })).json<{
      deployments: [{ deployment: string }];
    }>().deployments[0] as { deployment: string };
    expect(url).toContain(deployment);
  });

  it('api §13: an invited person becomes a member and works; a removed member is locked out', async () => {
    const owner = await signIn(await newOwner());
    await owner.getByRole('link', { name: 'Members', exact: true }).click();
    await button(owner, 'Invite').click();
    await owner.getByLabel('E-mail address').fill('grace@example.com');
    await button(owner, 'Make a link').click();
    const link = await owner.getByText(/\/app\/invite#[0-9a-f]{32}$/).innerText();
    await button(owner, 'Done').click();

    const { page: member } = await openWithAuthenticator(browser());
    await member.goto(link);
    await button(member, 'Join as grace@example.com').click();
    await heading(member, 'Set up sign-in').waitFor();
    await member.getByRole('link', { name: 'Members', exact: true }).click();
    await member.getByText('grace@example.com').first().waitFor();
    expect(await button(member, 'Invite').count()).toBe(0);
    const token = await member.evaluate(async () => {
      const response = await fetch('/trpc/tokens.create', {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ kind: 'api' }),
      });
      return (await response.json()) as { result: { data: { secret: string } } };
    });
    const key = token.result.data.secret;
    expect((await console.server().api('/ping', { key })).status).toBe(200);

    await owner.reload();
    await button(owner, 'Remove grace@example.com').click();
    await button(owner, 'Remove').click();
    await owner.getByText('grace@example.com was removed.').waitFor();
    expect((await console.server().api('/ping', { key })).status).toBe(401);
    await member.reload();
    await member.getByRole('heading', { name: 'Sign in to see your members' }).waitFor();
    const again = (await openPage(browser())).page;
    await again.goto(link);
    await again.getByText('This invitation was accepted, deleted or has expired.').waitFor();
  });

  it('security T46: a change that needs a recent proof asks for it, and continues', async () => {
    const page = await signIn(await newOwner());
    await button(page, 'Add a passkey').click();
    await page.getByRole('status').getByText('with your passkey').waitFor();
    await console.server().database.query(`update session set proved = proved - interval '1 hour'`);
    await page.getByRole('link', { name: 'Members', exact: true }).click();
    await button(page, 'Invite').click();
    await button(page, 'Make a link').click();
    await page.getByRole('dialog', { name: 'Prove that it is you' }).waitFor();
    await button(page, 'Use a passkey').click();
    await page.getByText('It works once, until').waitFor();
  });
});
