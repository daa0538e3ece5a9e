import { describeInBrowser, openPage } from '@berth/testing/browser';
import { codeIn, startMailServer } from '@berth/testing/mail-server';
import { startProvider } from '@berth/testing/oidc-server';
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, expect, it } from 'vitest';
import { useConsole } from './built-console.ts';

const mail = await startMailServer();
const provider = await startProvider();
afterAll(() => Promise.all([mail.close(), provider.close()]));

let people = 0;
const newEmail = () => `person${(people += 1)}@example.com`;

describeInBrowser('the account pages, with a mail server and an OpenID Connect provider,', (browser) => {
  const console = useConsole({
    env: {
      SMTP_URL: mail.url,
      OIDC_ISSUER: provider.issuer,
      OIDC_CLIENT_ID: 'berth',
      OIDC_CLIENT_SECRET: 'secret',
      OIDC_NAME: 'Acme',
    },
  });
  const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true });
  const query = (text: string, values: unknown[] = []) => console.server().database.query(text, values);

  /** Creates an account on the plan for teams. @returns Its id and the e-mail address of its owner. */
  async function newAccount(
    email = newEmail(),
    name: string | null = null,
  ): Promise<{ account: string; email: string }> {
    const { account } = await console.server().account('team');
    await query('update account set email = $2, name = $3 where id = $1', [account, email, name]);
    await query('update member set email = $2 where account_id = $1', [account, email]);
    return { account, email };
  }

  async function openIn(context: BrowserContext, path: string): Promise<Page> {
    const page = await context.newPage();
    await page.goto(console.origin() + path);
    return page;
  }

  /** Opens a page of the console in a new browser in which the person is signed in. */
  async function signIn(email: string, path: string): Promise<Page> {
    const { page } = await openPage(browser());
    await page.goto(await console.server().signInLink(email));
    await button(page, `Sign in as ${email}`).click();
    await page.getByRole('heading', { level: 1, name: 'Set up sign-in' }).waitFor();
    await page.goto(console.origin() + path);
    return page;
  }

  it('api §13: a person changes their e-mail address with a code of both addresses, and their name', async () => {
    const { email } = await newAccount();
    const page = await signIn(email, '/app/account');
    const next = newEmail();
    const from = mail.received.length;
    await button(page, 'Change address').click();
    await page.getByLabel('New e-mail address').fill(next);
    await button(page, 'Send codes').click();
    await page.getByLabel(`Code sent to ${next}`).waitFor();
    const received = mail.received.slice(from);
    expect(received.map(({ to }) => to)).toEqual([[next], [email]]);
    const [code, presentCode] = received.map(codeIn);
    await page.getByLabel(`Code sent to ${next}`).fill(presentCode!);
    await page.getByLabel(`Code sent to ${email}`).fill(presentCode!);
    await page.getByRole('dialog').getByRole('button', { name: 'Change address' }).click();
    await page.getByText('A code is wrong. You can try 4 more times.').waitFor();
    await page.getByLabel(`Code sent to ${next}`).fill(code!);
    await page.getByRole('dialog').getByRole('button', { name: 'Change address' }).click();
    await page.getByText(`Your address is now ${next}.`).waitFor();
    await page.getByRole('navigation').getByText(next).waitFor();

    await page.getByLabel('Your name').fill('Mary Ward');
    await button(page, 'Save').click();
    await page.getByText('Your name was saved.').waitFor();
    await page.getByRole('link', { name: 'Members', exact: true }).click();
    await page.getByText('Mary Ward').waitFor();
  });

  it('api §13: a person adds and removes an identity, but not the last way in', async () => {
    const { email } = await newAccount('sister@localhost');
    const page = await signIn(email, '/app/account');
    provider.person = { sub: 'sister', email: 'sister@acme.example' };
    await button(page, 'Add an account at Acme').click();
    await page.getByText('Acme: sister@acme.example').waitFor();
    expect(page.url()).toBe(`${console.origin()}/app/account`);
    await button(page, 'Remove Acme: sister@acme.example').click();
    await page.getByText('This is your only way to sign in.').waitFor();

    const other = await signIn((await newAccount()).email, '/app/account');
    await button(other, 'Add an account at Acme').click();
    await other.getByText('This Acme account already signs in another person here.').waitFor();

    await button(page, 'Set a password').click();
    await page.getByLabel('New password').fill('correct horse battery');
    await button(page, 'Set password').click();
    await page.getByText('The password was set.').waitFor();
    await button(page, 'Remove Acme: sister@acme.example').click();
    await page.getByText('Acme: sister@acme.example no longer signs you in.').waitFor();
  });

  it('api §13: a member of two accounts chooses one, and all tabs show it', async () => {
    const [first, second] = [await newAccount(newEmail(), 'Harbour'), await newAccount(newEmail(), 'Lighthouse')];
    await query(`insert into member (account_id, email, role, created) values ($1, $2, 'member', now())`, [
      second.account,
      first.email,
    ]);
    const page = await signIn(first.email, '/app/members');
    const main = page.getByRole('main');
    await main.getByText('You, since').waitFor();
    expect(await main.getByText(second.email).count()).toBe(0);
    const tab = await openIn(page.context(), '/app/account');
    await tab.getByLabel('Name of the account').waitFor();
    expect(await tab.getByLabel('Name of the account').inputValue()).toBe('Harbour');

    await page.getByRole('navigation').getByLabel('Account').selectOption({ label: 'Lighthouse' });
    await main.getByText(second.email).waitFor();
    expect(await button(page, 'Invite').count()).toBe(0);
    await expect.poll(() => tab.getByLabel('Name of the account').inputValue()).toBe('Lighthouse');
  });

  it('api §13: a person with several accounts keeps a site in one of them; a full one refuses it', async () => {
    const [full, free] = [await newAccount(newEmail(), 'Full'), await newAccount(newEmail(), 'Free')];
    await query(`update account set plan = 'free', deployment_count = 100 where id = $1`, [full.account]);
    await query(`insert into member (account_id, email, role, created) values ($1, $2, 'member', now())`, [
      free.account,
      full.email,
    ]);
    const { claim } = await console.server().publish({ 'index.html': 'Fair' }, { key: null });
    const page = await signIn(full.email, new URL(claim!).pathname);
    const choice = page.getByRole('main').getByLabel('Account');
    await choice.selectOption({ label: 'Full' });
    await button(page, 'Keep this site').click();
    await page.getByText('The plan allows 100 deployments, and the account has 100.').waitFor();
    await page.getByRole('link', { name: 'what your plan includes' }).waitFor();
    await choice.selectOption({ label: 'Free' });
    await page.getByText('The plan allows 100').waitFor({ state: 'detached' });
    await button(page, 'Keep this site').click();
    await page.getByText('The site is yours.').waitFor();
    expect(await query('select 1 from deployment where account_id = $1', [free.account])).toHaveLength(1);
  });

  it('api §13: an invitation is mailed, and its link is shown too; the open page of a removed member says so', async () => {
    const owner = await newAccount();
    const page = await signIn(owner.email, '/app/members');
    const guest = newEmail();
    const arriving = mail.next();
    await button(page, 'Invite').click();
    await page.getByLabel('E-mail address').fill(guest);
    await button(page, 'Make a link').click();
    await page.getByText(`The invitation was sent to ${guest}.`).waitFor();
    const link = await page.getByText(/\/app\/invite#[0-9a-f]{32}$/).innerText();
    const { to, subject, text } = await arriving;
    expect({ to, subject }).toEqual({ to: [guest], subject: `Invitation to localhost:${console.server().port}` });
    expect(text).toContain(link);
    await button(page, 'Done').click();

    const { page: member } = await openPage(browser());
    await member.goto(link);
    await button(member, `Join as ${guest}`).click();
    await member.getByRole('heading', { level: 1, name: 'Set up sign-in' }).waitFor();
    await member.getByRole('link', { name: 'Activity', exact: true }).click();
    await member
      .getByText(/joined|member/i)
      .first()
      .waitFor();
    await page.reload();
    await button(page, `Remove ${guest}`).click();
    await button(page, 'Remove').click();
    await member.getByText('the owner has removed you from the account').waitFor();
  });

  it('api §6: an account whose seats are taken cannot invite, and says why', async () => {
    const { account, email } = await newAccount();
    await query(`update account set plan = 'free' where id = $1`, [account]);
    const page = await signIn(email, '/app/members');
    await page.getByText('Your plan includes one member, you.').waitFor();
    expect(await button(page, 'Invite').isDisabled()).toBe(true);
  });
});
