import { NOW_SECONDS } from '@berth/ui/testing/samples';
import type { Page } from 'playwright-core';
import { account } from './account-answer.ts';
import { EMAIL, type Script } from './fake-server.ts';
import type { GalleryState } from './gallery.ts';

const DAY = 86_400;
const SECRET = '0f9a31c4d77e42b59c1de0a8b5f3c6e2';
const CLAIM = `/claim/${SECRET}`;

const refused = (status: number, error: string, message: string): Script => ({ error: { status, error, message } });
const NOT_FOUND = refused(404, 'not_found', 'There is nothing at this link.');

const CAPS = { deployments: 1_000, platformDomains: 50, customDomains: 10, seats: 5, storage: 53_687_091_200 };
const USAGE = { deployments: 212, platformDomains: 6, customDomains: 4, seats: 2, storage: 734_003_200 };
const ACCOUNT = account({ name: 'Harbour Festival', usage: USAGE, caps: CAPS });
const FULL_ACCOUNT = account({ name: 'Harbour Festival', usage: USAGE, caps: { ...CAPS, seats: 2 } });

const MEMBERS = {
  'account.get': ACCOUNT,
  'members.list': {
    value: {
      members: [
        { member: 'mem-1', email: EMAIL, name: 'Mara Lind', role: 'owner', created: NOW_SECONDS - 90 * DAY },
        {
          member: 'mem-2',
          email: 'jonas@harbour.example',
          name: null,
          role: 'member',
          created: NOW_SECONDS - 12 * DAY,
        },
      ],
    },
  },
  'invites.list': {
    value: {
      invites: [
        {
          invite: 'inv-1',
          email: 'grace@example.com',
          role: 'member',
          created: NOW_SECONDS - DAY,
          expires: NOW_SECONDS + 6 * DAY,
        },
        { invite: 'inv-2', email: null, role: 'member', created: NOW_SECONDS, expires: NOW_SECONDS + 7 * DAY },
      ],
    },
  },
  'invites.create': {
    value: {
      invite: 'inv-3',
      email: null,
      role: 'member',
      created: NOW_SECONDS,
      expires: NOW_SECONDS + 7 * DAY,
      url: `https://berth.example/app/invite#${SECRET}`,
      mailed: false,
    },
  },
} satisfies Record<string, Script>;

const SETTINGS = {
  'account.get': ACCOUNT,
  'passkeys.list': {
    value: {
      passkeys: [
        { passkey: 'pk-1', name: 'Mara’s laptop', created: NOW_SECONDS - 40 * DAY, used: NOW_SECONDS - 3_600 },
        { passkey: 'pk-2', name: 'Phone', created: NOW_SECONDS - 2 * DAY, used: null },
      ],
    },
  },
  'identities.list': {
    value: {
      identities: [
        {
          identity: 'idn-1',
          provider: 'Acme',
          email: 'mara@acme.example',
          created: NOW_SECONDS - 40 * DAY,
          used: NOW_SECONDS - 2 * DAY,
        },
      ],
    },
  },
  'person.requestEmail': { value: { changed: false, confirmsPresent: true } },
  'person.changeEmail': {
    error: {
      status: 401,
      error: 'authentication_failed',
      message: 'A code is wrong. You can try 4 more times.',
    },
  },
  'sessions.list': {
    value: {
      sessions: [
        session('ses-1', 'Mozilla/5.0 (X11; Linux x86_64) Chrome/156.0.0.0 Safari/537.36', { current: true }),
        session('ses-2', 'Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) Version/19.0 Mobile Safari/604.1', {
          method: 'code',
          seen: NOW_SECONDS - 3 * DAY,
        }),
      ],
    },
  },
} satisfies Record<string, Script>;

function session(id: string, agent: string, other: object) {
  return {
    session: id,
    current: false,
    method: 'passkey',
    account: 'acc-1',
    created: NOW_SECONDS - 9 * DAY,
    seen: NOW_SECONDS - 60,
    agent,
    address: '203.0.113.9',
    ...other,
  };
}

/** A server with a mail server and an OpenID Connect provider. */
const WITH_ALL = { methods: { password: true, passkey: true, code: true, oidc: 'Acme' } };
const ACCOUNTS = [
  { account: 'acc-1', email: EMAIL, name: 'Harbour Festival', role: 'owner' },
  { account: 'acc-2', email: 'team@example.com', name: null, role: 'member' },
];

const DEVICE = {
  value: {
    client: 'Berth CLI on mara-laptop',
    address: '203.0.113.9',
    created: NOW_SECONDS - 30,
    expires: NOW_SECONDS + 570,
  },
} satisfies Script;

const CLAIMED: Script = {
  value: {
    deployment: 'calm-otter-4k9x2qd',
    url: 'https://calm-otter-4k9x2qd.sites.example',
    title: 'Spring fair',
    files: 12,
    size: 1_204_000,
    password: false,
    created: NOW_SECONDS - 3_600,
    expires: NOW_SECONDS + 2 * DAY + 23 * 3_600,
  },
};

/** Asks for the codes of a change of the e-mail address. */
async function askForCodes(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Change address' }).click();
  await page.getByLabel('New e-mail address').fill('mara@new.example');
  await page.getByRole('button', { name: 'Send codes' }).click();
}

/** The states of the pages for members, the account and invitations, and the other states of devices and claims. */
export const PEOPLE_STATES: readonly GalleryState[] = [
  {
    name: 'sign-in-offline',
    path: '/app/sign-in',
    answers: { session: { offline: true } },
    shows: ['The server cannot be reached.', 'Try again'],
  },
  {
    name: 'members',
    kept: true,
    path: '/app/members',
    answers: MEMBERS,
    shows: [EMAIL, 'jonas@harbour.example', 'grace@example.com', 'Anyone with the link', '2 of 5'],
  },
  {
    name: 'members-full',
    path: '/app/members',
    answers: { ...MEMBERS, 'account.get': FULL_ACCOUNT },
    shows: ['All 2 seats of your plan are taken.'],
  },
  {
    name: 'members-mailed',
    path: '/app/members',
    answers: {
      ...MEMBERS,
      'invites.create': { value: { ...MEMBERS['invites.create'].value, email: 'ada@example.com', mailed: true } },
    },
    async act(page) {
      await page.getByRole('button', { name: 'Invite' }).click();
      await page.getByLabel('E-mail address').fill('ada@example.com');
      await page.getByRole('button', { name: 'Make a link' }).click();
    },
    shows: ['The invitation was sent to ada@example.com.'],
  },
  {
    name: 'members-remove',
    path: '/app/members',
    answers: MEMBERS,
    act: async (page) => page.getByRole('button', { name: 'Remove jonas@harbour.example' }).click(),
    shows: ['Their keys and sessions for this account end at once.'],
  },
  {
    name: 'members-invite',
    path: '/app/members',
    answers: MEMBERS,
    async act(page) {
      await page.getByRole('button', { name: 'Invite' }).click();
      await page.getByRole('button', { name: 'Make a link' }).click();
    },
    shows: ['It works once, until'],
  },
  {
    name: 'account',
    kept: true,
    path: '/app/account',
    answers: SETTINGS,
    shows: ['This browser', 'Phone', 'Sign out of all others'],
  },
  {
    name: 'account-several',
    path: '/app/account',
    signedIn: { accounts: ACCOUNTS, identities: 1 },
    offer: WITH_ALL,
    answers: SETTINGS,
    shows: ['Acme: mara@acme.example', 'Add an account at Acme', 'Your accounts', 'In use', 'Change address'],
  },
  {
    name: 'account-identity-taken',
    path: '/app/account?problem=taken',
    signedIn: { identities: 1 },
    offer: WITH_ALL,
    answers: SETTINGS,
    shows: ['This Acme account already signs in another person here.'],
  },
  {
    name: 'account-change-address',
    path: '/app/account',
    offer: WITH_ALL,
    answers: SETTINGS,
    act: askForCodes,
    shows: ['Code sent to mara@new.example', `Code sent to ${EMAIL}`],
  },
  {
    name: 'account-change-address-without-mail',
    path: '/app/account',
    answers: SETTINGS,
    act: async (page) => page.getByRole('button', { name: 'Change address' }).click(),
    shows: ['This server sends no e-mail, so it cannot check the address.'],
  },
  {
    name: 'account-address-changed',
    path: '/app/account',
    answers: { ...SETTINGS, 'person.requestEmail': { value: { changed: true, confirmsPresent: false } } },
    async act(page) {
      await page.getByRole('button', { name: 'Change address' }).click();
      await page.getByLabel('New e-mail address').fill('mara@new.example');
      await page.getByRole('dialog').getByRole('button', { name: 'Change address' }).click();
    },
    shows: ['Your address is now mara@new.example. Your other browsers are signed out.'],
  },
  {
    name: 'account-wrong-code',
    path: '/app/account',
    offer: WITH_ALL,
    answers: SETTINGS,
    async act(page) {
      await askForCodes(page);
      await page.getByLabel('Code sent to mara@new.example').fill('123456');
      await page.getByLabel(`Code sent to ${EMAIL}`).fill('654321');
      await page.getByRole('dialog').getByRole('button', { name: 'Change address' }).click();
    },
    shows: ['A code is wrong. You can try 4 more times.'],
  },
  {
    name: 'account-delete',
    path: '/app/account',
    answers: SETTINGS,
    async act(page) {
      await page.getByRole('button', { name: 'Delete account' }).click();
      await page.getByRole('dialog').waitFor();
    },
    shows: ['Delete account'],
  },
  { name: 'device-signed-out', path: '/device', signedIn: null, shows: ['Sign in to let a program use your account.'] },
  {
    name: 'device-expired',
    path: '/device?code=BCDF-GHJK',
    answers: { 'devices.find': { value: { ...DEVICE.value, expires: NOW_SECONDS - 1 } } },
    act: async (page) => page.getByRole('button', { name: 'Continue' }).click(),
    shows: ['This request has expired.'],
  },
  {
    name: 'device-approved',
    path: '/device?code=BCDF-GHJK',
    answers: { 'devices.find': DEVICE, 'devices.approve': { value: {} } },
    async act(page) {
      await page.getByRole('button', { name: 'Continue' }).click();
      await page.getByRole('button', { name: 'Approve' }).click();
    },
    shows: ['is signed in.'],
  },
  {
    name: 'claim',
    path: CLAIM,
    answers: { 'account.claimed': CLAIMED },
    shows: ['Spring fair', 'Keep this site'],
  },
  {
    name: 'claim-several',
    path: CLAIM,
    signedIn: { accounts: ACCOUNTS },
    answers: { 'account.claimed': CLAIMED },
    shows: ['Keep it in one of your accounts', 'Harbour Festival', 'team@example.com'],
  },
  {
    name: 'claim-full',
    path: CLAIM,
    answers: {
      'account.claimed': CLAIMED,
      'account.claim': {
        error: {
          status: 403,
          error: 'forbidden',
          message: 'The plan allows 100 deployments, and the account has 100. Delete one or change the plan.',
          details: { cap: 'deployments', used: 100, limit: 100 },
        },
      },
    },
    act: async (page) => page.getByRole('button', { name: 'Keep this site' }).click(),
    shows: ['The plan allows 100 deployments', 'Delete some first.', 'You can still keep it later'],
  },
  {
    name: 'claim-kept',
    path: CLAIM,
    answers: { 'account.claimed': CLAIMED, 'account.claim': { value: {} } },
    act: async (page) => page.getByRole('button', { name: 'Keep this site' }).click(),
    shows: ['The site is yours.'],
  },
  {
    name: 'claim-gone',
    path: CLAIM,
    answers: { 'account.claimed': NOT_FOUND },
    shows: ['There is nothing to keep here'],
  },
  {
    name: 'invite',
    path: `/app/invite#${SECRET}`,
    signedIn: null,
    answers: {
      'invites.find': {
        value: { account: 'acc-2', name: 'Team', owner: 'team@example.com', email: null, expires: NOW_SECONDS + DAY },
      },
    },
    shows: ['team@example.com invites you to Team', 'Your e-mail address'],
  },
  {
    name: 'invite-gone',
    path: `/app/invite#${SECRET}`,
    signedIn: null,
    answers: { 'invites.find': NOT_FOUND },
    shows: ['This invitation was accepted'],
  },
  {
    name: 'updated',
    path: '/app/sites',
    answers: { 'sites.list': { value: { sites: [] } } },
    ownPage: true,
    act: async (page) => {
      const json = { body: '<div id="root"></div><script type="module" src="/assets/index-new.js"></script>' };
      await page.route('https://berth.example/', (route) => route.fulfill({ ...json, contentType: 'text/html' }));
      await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));
    },
    shows: ['This server was updated.', 'Reload'],
  },
  { name: 'not-found', path: '/app/nothing', shows: ['There is no page at this address'] },
  {
    name: 'menu-on-a-phone',
    path: '/app/nothing',
    async act(page) {
      await page.setViewportSize({ width: 390, height: 800 });
      await page.getByRole('button', { name: 'Menu' }).click();
    },
    shows: ['Sites', EMAIL],
  },
];
