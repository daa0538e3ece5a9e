import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describeInBrowser, openPage } from '@berth/testing/browser';
import { expectAccessible } from '@berth/ui/testing/accessibility';
import type { Browser, Page } from 'playwright-core';
import { it } from 'vitest';
import { useConsole } from './built-console.ts';

const WIDTHS = [1120, 680, 390];
/** The folder for pictures of every state; none if it is not set. */
const PICTURES = process.env['PICTURES'];

type Console = ReturnType<typeof useConsole>;

interface State {
  /** Opens the page in this state. The person is signed in, unless the state says otherwise. */
  open: (page: Page, console: Console) => Promise<void>;
  signedOut?: true;
}

const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name }).waitFor();
const go = (page: Page, console: Console, path: string) => page.goto(console.origin() + path);

async function newCode(console: Console): Promise<string> {
  const response = await console.server().api('/oauth/device_authorization', {
    method: 'POST',
    headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
    body: 'client_id=berth-cli&device_name=ada-laptop',
  });
  return response.json<{ user_code: string }>().user_code;
}

async function newClaim(console: Console): Promise<string> {
  return (await console.server().publish({ 'index.html': '<title>Spring fair</title>' }, { key: null })).claim!;
}

const STATES: Record<string, State> = {
  'sign-in': {
    signedOut: true,
    open: async (page, console) => {
      await go(page, console, '/app/sign-in');
      await page.getByLabel('E-mail address').waitFor();
    },
  },
  'sign-in-wrong-password': {
    signedOut: true,
    open: async (page, console) => {
      await go(page, console, '/app/sign-in');
      await page.getByLabel('E-mail address').fill('ada@example.com');
      await page.getByRole('textbox', { name: 'Password' }).fill('wrong password');
      await page.getByRole('button', { name: 'Sign in', exact: true }).click();
      await page.getByText('The e-mail address or the password is wrong.').waitFor();
    },
  },
  'first-link': {
    signedOut: true,
    open: async (page, console) => {
      await page.goto(await console.server().signInLink('owner@localhost'));
      await page.getByRole('button', { name: 'Sign in as' }).waitFor();
    },
  },
  'first-link-spent': {
    signedOut: true,
    open: async (page, console) => {
      await go(page, console, `/#first=${'0'.repeat(32)}`);
      await page.getByText('This link was used or has expired.').waitFor();
    },
  },
  keep: {
    open: async (page, console) => {
      await go(page, console, '/app/keep');
      await heading(page, 'Keep a way in');
    },
  },
  members: {
    open: async (page, console) => {
      await go(page, console, '/app/members');
      await page.getByText('owner@localhost').last().waitFor();
      await page.getByText('grace@example.com').waitFor();
    },
  },
  'members-invite': {
    open: async (page, console) => {
      await go(page, console, '/app/members');
      await page.getByRole('button', { name: 'Invite' }).click();
      await page.getByRole('button', { name: 'Make a link' }).click();
      await page.getByText('It works once, until').waitFor();
    },
  },
  account: {
    open: async (page, console) => {
      await go(page, console, '/app/account');
      await page.getByText('This browser').waitFor();
    },
  },
  'account-delete': {
    open: async (page, console) => {
      await go(page, console, '/app/account');
      await page.getByRole('button', { name: 'Delete account' }).click();
      await page.getByRole('dialog').waitFor();
    },
  },
  device: {
    open: async (page, console) => {
      await go(page, console, '/device');
      await page.getByRole('textbox', { name: 'Code' }).waitFor();
    },
  },
  'device-unknown': {
    open: async (page, console) => {
      await go(page, console, '/device?code=BBBB-BBBB');
      await page.getByRole('button', { name: 'Continue' }).click();
      await page.getByText('There is no such code').waitFor();
    },
  },
  'device-found': {
    open: async (page, console) => {
      await go(page, console, `/device?code=${await newCode(console)}`);
      await page.getByRole('button', { name: 'Continue' }).click();
      await page.getByRole('button', { name: 'Approve' }).waitFor();
    },
  },
  'claim-signed-out': {
    signedOut: true,
    open: async (page, console) => {
      await page.goto(await newClaim(console));
      await page.getByRole('link', { name: 'Sign in to keep it' }).waitFor();
    },
  },
  claim: {
    open: async (page, console) => {
      await page.goto(await newClaim(console));
      await page.getByRole('button', { name: 'Keep this site' }).waitFor();
    },
  },
  'claim-kept': {
    open: async (page, console) => {
      await page.goto(await newClaim(console));
      await page.getByRole('button', { name: 'Keep this site' }).click();
      await page.getByText('The site is yours.').waitFor();
    },
  },
  'claim-gone': {
    open: async (page, console) => {
      await go(page, console, `/claim/${'0'.repeat(32)}`);
      await heading(page, 'There is nothing to keep here');
    },
  },
  invite: {
    signedOut: true,
    open: async (page, console) => {
      await page.goto(await newInvite(console, {}));
      await page.getByLabel('Your e-mail address').waitFor();
    },
  },
  'invite-gone': {
    signedOut: true,
    open: async (page, console) => {
      await go(page, console, `/app/invite#${'0'.repeat(32)}`);
      await page.getByText('This invitation was accepted').waitFor();
    },
  },
};

async function newInvite(console: Console, json: object): Promise<string> {
  const { key } = await console.server().account('team');
  return (await console.server().api('/account/invites', { method: 'POST', key, json })).json<{ url: string }>().url;
}

describeInBrowser('the pages for people', (browser) => {
  const console = useConsole();

  async function openState(width: number, { signedOut }: State, launched: Browser): Promise<Page> {
    const { page } = await openPage(launched, { viewport: { width, height: 800 } });
    if (signedOut) return page;
    await page.goto(await console.server().signInLink('owner@localhost'));
    await page.getByRole('button', { name: 'Sign in as owner@localhost' }).click();
    await heading(page, 'Keep a way in');
    return page;
  }

  it.each(Object.keys(STATES))('%s needs no sideways scrolling, and has no fault that axe finds', async (name) => {
    const state = STATES[name]!;
    await invite();
    const page = await openState(WIDTHS[0]!, state, browser());
    await state.open(page, console);
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 800 });
      await page.emulateMedia({ colorScheme: 'light' });
      if (PICTURES) await shoot(page, `${name}-${width}-light`);
      await expectAccessible(page);
      if (PICTURES) await shoot(page, `${name}-${width}-dark`);
    }
  });

  let isInvited = false;
  /** Gives the account of the owner an open invitation. */
  async function invite(): Promise<void> {
    if (isInvited) return;
    isInvited = true;
    await console.server().database.query(
      `insert into invite (id, secret_hash, account_id, email, role, created, expires)
       select 'inv-0000000', '\\x00', account_id, 'grace@example.com', 'member', now(), now() + interval '7 days'
       from member where email = 'owner@localhost'`,
    );
  }
});

async function shoot(page: Page, name: string): Promise<void> {
  await mkdir(PICTURES!, { recursive: true });
  await page.screenshot({ path: join(PICTURES!, `${name}.png`), fullPage: true });
}
