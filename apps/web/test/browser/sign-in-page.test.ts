import { registerAccount, setAccountState } from '@berth/core/operator';
import { describeInBrowser, launchBrowser, openPage } from '@berth/testing/browser';
import { codeIn, startMailServer, type TestMailServer } from '@berth/testing/mail-server';
import { startProvider, type TestProvider } from '@berth/testing/oidc-server';
import { startServer, type TestServer } from '@berth/testing/server';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, expect, it, onTestFinished } from 'vitest';
import { openWithAuthenticator } from './authenticator.ts';
import { useConsole } from './built-console.ts';
import { dropOn, publishedUrl, useFolders } from './drop.ts';

let mail: TestMailServer;
let provider: TestProvider;
beforeAll(async () => {
  [mail, provider] = await Promise.all([startMailServer(), startProvider()]);
});
afterAll(() => Promise.all([mail.close(), provider.close()]));

const env = () => ({
  SMTP_URL: mail.url,
  OIDC_ISSUER: provider.issuer,
  OIDC_CLIENT_ID: 'berth',
  OIDC_CLIENT_SECRET: 'secret',
  OIDC_NAME: 'Acme',
  SIGN_UP: 'on',
});
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name });
const originOf = ({ port }: TestServer) => `http://localhost:${port}`;

/** Asks for a code. @returns The code that arrives. */
async function askForCode(page: Page, email: string): Promise<string> {
  const arriving = mail.next();
  await page.getByLabel('E-mail address').fill(email);
  await button(page, 'Send me a code').click();
  await page.getByLabel('Code').waitFor();
  return codeIn(await arriving);
}

async function enterCode(page: Page, code: string): Promise<void> {
  await page.getByLabel('Code').fill(code);
  await button(page, 'Sign in').click();
}

/** Returns a code of 6 digits that is not the given one. */
const wrong = (code: string) => String((Number(code) + 1) % 1_000_000).padStart(6, '0');

describeInBrowser('api §13: the sign-in page', (browser) => {
  const console = useConsole({ env });
  const writeFolder = useFolders();
  let people = 0;
  let email: string;
  let members: TestServer;

  beforeAll(async () => {
    members = await startServer({
      env: { ...env(), SIGN_UP: 'off', RATE_LIMITS: 'signin=1000/min', CONSOLE_FOLDER: console.folder() },
    });
  });
  afterAll(() => members?.close());
  beforeEach(() => {
    email = `edith${(people += 1)}@example.com`;
    provider.refusal = null;
    provider.person = { sub: `sub-${email}`, email, email_verified: true };
  });

  /** Drops a folder as a visitor without an account, and opens its claim link. @returns The address of the site. */
  async function dropAndClaim(page: Page, server: TestServer): Promise<string> {
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.goto(originOf(server));
    await button(page, 'Choose folder').waitFor();
    await dropOn(page, await writeFolder(`fair${people}`, { 'index.html': '<title>Spring fair</title>' }));
    const url = await publishedUrl(page, `fair${people}`);
    await page.getByText('Copy claim link').click();
    await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toContain('/claim/');
    await page.goto(await page.evaluate(() => navigator.clipboard.readText()));
    await page.getByRole('link', { name: new URL(url).host }).waitFor();
    return url;
  }

  /** Keeps the site of the claim page, and checks whose it is. */
  async function keep(page: Page, server: TestServer, url: string): Promise<void> {
    await button(page, 'Keep this site').click();
    await page.getByText('The site is yours.').waitFor();
    const [owner] = await server.database.query<{ email: string; expires: Date | null }>(
      'select a.email, d.expires from deployment d join account a on a.id = d.account_id where d.id = $1',
      [new URL(url).hostname.split('.')[0]],
    );
    expect(owner).toEqual({ email, expires: null });
  }

  it('opens an account with a code by e-mail, and returns to the claim page that sent the person', async () => {
    const { page } = await openPage(browser());
    const url = await dropAndClaim(page, console.server());
    await page.getByText('No account yet? You can open one on the next page.').waitFor();
    await page.getByRole('link', { name: 'Sign in to keep it' }).click();
    const code = await askForCode(page, email);
    await page.getByText(`A code was sent to ${email}.`).waitFor();
    await enterCode(page, wrong(code));
    await page.getByText('The code is wrong. You can try 4 more times.').waitFor();
    await enterCode(page, `${code.slice(0, 3)} ${code.slice(3)}`);
    await heading(page, 'Keep this site').waitFor();
    await keep(page, console.server(), url);
  });

  it('opens an account with OpenID Connect, after a failure too, and returns to the claim page', async () => {
    const { page } = await openPage(browser());
    const url = await dropAndClaim(page, console.server());
    await page.getByRole('link', { name: 'Sign in to keep it' }).click();
    provider.refusal = 'access_denied';
    await page.getByRole('link', { name: 'Continue with Acme' }).click();
    await page.getByText('Acme did not sign you in. Try again.').waitFor();
    provider.refusal = null;
    await page.getByRole('link', { name: 'Continue with Acme' }).click();
    await heading(page, 'Keep this site').waitFor();
    await keep(page, console.server(), url);
  });

  it('with SIGN_UP=off says on the claim page how to get an account, and opens none', async () => {
    const { page } = await openPage(browser());
    await dropAndClaim(page, members);
    await page.getByText('No account yet? Ask the operator of this server for one').waitFor();
    await page.getByRole('link', { name: 'Sign in to keep it' }).click();
    await page.getByRole('link', { name: 'Continue with Acme' }).click();
    await page.getByText('you have no active account here').waitFor();
    expect(await members.database.query('select 1 from account where email = $1', [email])).toEqual([]);
  });

  it('returns to the claim page after a one-time link in another tab, whether or not a way in is added', async () => {
    await registerAccount(members.berth.core, { email, plan: 'free' });
    const { page } = await openPage(browser());
    const url = await dropAndClaim(page, members);
    await page.getByRole('link', { name: 'Sign in to keep it' }).click();
    await heading(page, 'Sign in').waitFor();
    const tab = await page.context().newPage();
    await tab.goto(await members.signInLink(email));
    await button(tab, `Sign in as ${email}`).click();
    await heading(tab, 'Set up sign-in').waitFor();
    await tab.getByRole('link', { name: 'Not now' }).click();
    await heading(tab, 'Keep this site').waitFor();
    await keep(tab, members, url);
    await tab.goto(originOf(members));
    await tab.goto(await members.signInLink(email));
    await button(tab, `Sign in as ${email}`).click();
    expect(await tab.getByRole('link', { name: 'Not now' }).getAttribute('href')).toBe('/');
  });

  it('names the site of a claim link and how long it lasts without JavaScript too', async () => {
    const { claim, deployment, url } = await members.publish({ 'index.html': 'x' }, { key: null });
    await members.database.query('update front_page set title = $1 where deployment_id = $2', ['<b>Fair', deployment]);
    const { page } = await openPage(browser(), { javaScriptEnabled: false });
    await page.goto(claim!);
    await heading(page, 'Keep this site').waitFor();
    const text = await page.getByRole('main').innerText();
    expect(text).toContain(`<b>Fair, at ${new URL(url).host}`);
    expect(text).toMatch(/It is removed in [23] days,/);
    await page.getByRole('link', { name: 'use an API key' }).click();
    await page.getByLabel('API key of your account').waitFor();
    expect(await page.getByText('<b>Fair, at').count()).toBe(1);
  });

  it('opens a link that is pasted into the tab with the start page', async () => {
    await registerAccount(members.berth.core, { email, plan: 'free' });
    const { page } = await openPage(browser());
    await page.goto(originOf(members));
    await button(page, 'Choose folder').waitFor();
    await page.goto(await members.signInLink(email));
    await button(page, `Sign in as ${email}`).waitFor();
    expect(new URL(page.url()).hash).toBe('');
  });

  it('refuses a code after 5 wrong tries and after its time, and sends at most 3 an hour', async () => {
    await registerAccount(members.berth.core, { email, plan: 'free' });
    const { page } = await openPage(browser());
    await page.goto(`${originOf(members)}/app/sign-in`);
    const code = await askForCode(page, email);
    await page.getByText(`If ${email} can sign in here, a code was sent.`).waitFor();
    for (const text of ['4 more times', '3 more times', '2 more times', '1 more time.', 'The code is wrong. Ask']) {
      await enterCode(page, wrong(code));
      await page.getByText(text).waitFor();
    }
    await enterCode(page, code);
    await page.getByText('or it has expired. Ask for another one.').waitFor();

    const arriving = mail.next();
    await button(page, 'Send another code').click();
    const second = codeIn(await arriving);
    await members.database.query(`update proof set expires = now() - interval '1 second' where purpose = 'code'`);
    await enterCode(page, second);
    await page.getByText('or it has expired. Ask for another one.').waitFor();

    const last = mail.next();
    await button(page, 'Send another code').click();
    const third = codeIn(await last);
    await button(page, 'Send another code').click();
    await page.getByText('Too many requests').waitFor();
    await enterCode(page, third);
    await page.getByRole('navigation').getByText(email).waitFor();
  });

  it('says that the provider cannot be reached', async () => {
    const away = await startProvider();
    await away.close();
    const server = await startServer({
      env: { ...env(), OIDC_ISSUER: away.issuer, CONSOLE_FOLDER: console.folder() },
    });
    onTestFinished(() => server.close());
    const { page } = await openPage(browser());
    await page.goto(`${originOf(server)}/app/sign-in`);
    await page.getByRole('link', { name: 'Continue with Acme' }).click();
    await page.getByText('Acme cannot be reached.').waitFor();
  });

  it('says that no passkey was used, and that a removed one is not known', async () => {
    await registerAccount(members.berth.core, { email, plan: 'free' });
    const { page } = await openWithAuthenticator(browser());
    await page.goto(`${originOf(members)}/app/sign-in`);
    await button(page, 'Sign in with a passkey').click();
    await page.getByText('No passkey was used.').waitFor();
    await page.goto(await members.signInLink(email));
    await button(page, `Sign in as ${email}`).click();
    await button(page, 'Add a passkey').click();
    await page.getByText('with your passkey at any time').waitFor();
    await members.database.query('delete from passkey');
    await page.context().clearCookies();
    await page.goto(`${originOf(members)}/app/sign-in`);
    await button(page, 'Sign in with a passkey').click();
    await page.getByText('This passkey is not known here.').waitFor();
  });

  it('T46: a change that needs a recent proof accepts a code by e-mail', async () => {
    await registerAccount(members.berth.core, { email, plan: 'free' });
    const { page } = await openPage(browser());
    await page.goto(await members.signInLink(email));
    await button(page, `Sign in as ${email}`).click();
    await heading(page, 'Set up sign-in').waitFor();
    await members.database.query(`update session set proved = proved - interval '1 hour'`);
    await page.goto(`${originOf(members)}/app/tokens`);
    await button(page, 'New token…').click();
    await button(page, 'Create').click();
    const dialog = page.getByRole('dialog', { name: 'Prove that it is you' });
    const arriving = mail.next();
    await dialog.getByRole('button', { name: 'Send me a code by e-mail' }).click();
    await dialog.getByLabel('Code').fill(codeIn(await arriving));
    await dialog.getByRole('button', { name: 'Continue' }).click();
    await page.getByText('It is shown only once.').waitFor();
  });

  it('shows a person that the account is suspended, and lets them sign out', async () => {
    const account = await registerAccount(members.berth.core, { email, plan: 'free' });
    const { page } = await openPage(browser());
    await page.goto(await members.signInLink(email));
    await button(page, `Sign in as ${email}`).click();
    await heading(page, 'Set up sign-in').waitFor();
    await setAccountState(members.berth.core, account, 'suspended');
    await page.goto(`${originOf(members)}/app/sites`);
    await heading(page, 'This account is suspended').waitFor();
    await button(page, 'Sign out').click();
    await heading(page, 'Sign in').waitFor();
    expect(await page.context().cookies()).toEqual([]);
  });

  it('over plain http in a network says why it refuses', async () => {
    const server = await startServer({
      env: { BASE_URL: 'http://berth.home', PLATFORM_DOMAIN: 'sites.home', CONSOLE_FOLDER: console.folder() },
    });
    const network = await launchBrowser({ hosts: [`MAP berth.home 127.0.0.1:${server.port}`] });
    onTestFinished(async () => {
      await network.close();
      await server.close();
    });
    const page = await network.newPage();
    await page.goto('http://berth.home/app/sign-in');
    await page.getByText('Signing in needs https, because others in the network could read a cookie.').waitFor();
    expect(await page.getByLabel('Password').count()).toBe(0);
  });
});
