import { NOW_SECONDS } from '@berth/ui/testing/samples';
import type { Page } from 'playwright-core';
import type { Script } from './fake-server.ts';
import type { GalleryState } from './gallery.ts';

const SIGN_IN = '/app/sign-in';
const SECRET = '0f9a31c4d77e42b59c1de0a8b5f3c6e2';
const EVERY_METHOD = { passkey: true, password: true, code: true, oidc: 'Acme' };
const PROVE = {
  error: { status: 403, error: 'forbidden', message: 'Prove first that it is you.', details: { prove: true } },
} as const;
const TOO_MANY = {
  error: {
    status: 429,
    error: 'rate_limit_exceeded',
    message: 'Too many requests: try again in 4 minutes',
    details: { retryAfter: 240 },
  },
} as const;

const refused = (status: number, error: string, message: string): Script => ({ error: { status, error, message } });
const wrongCode = (message: string) => refused(401, 'authentication_failed', message);

const askForCode = async (page: Page) => {
  await page.getByLabel('E-mail address').fill('ada@harbour.example');
  await page.getByRole('button', { name: 'Send me a code' }).click();
};
const enterCode = async (page: Page) => {
  await askForCode(page);
  await page.getByLabel('Code').fill('123 456');
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
};
const enterPassword = async (page: Page) => {
  await page.getByLabel('E-mail address').fill('ada@harbour.example');
  await page.getByRole('textbox', { name: 'Password' }).fill('correct horse battery');
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
};

/** States of the sign-in page, for people who are not signed in. */
const SIGN_IN_PAGE: readonly Omit<GalleryState, 'path' | 'signedIn'>[] = [
  {
    name: 'sign-in-every-way',
    kept: true,
    offer: { methods: EVERY_METHOD, signUp: true },
    shows: [
      'Sign in with a passkey',
      'Continue with Acme',
      'Send me a code',
      'No account yet? Sign in with a code or Acme',
    ],
  },
  { name: 'sign-in-password', shows: ['Password', 'Ask the operator of this server', 'npm run berth -- sign-in'] },
  {
    name: 'sign-in-password-wrong',
    answers: { 'signIn.password': wrongCode('The e-mail address or the password is wrong.') },
    act: enterPassword,
    shows: ['The e-mail address or the password is wrong.'],
  },
  {
    name: 'sign-in-too-many',
    answers: { 'signIn.password': TOO_MANY },
    act: enterPassword,
    shows: ['Try again in 4 min'],
  },
  {
    name: 'sign-in-cookie-dropped',
    answers: { 'signIn.password': { value: { done: true } } },
    act: enterPassword,
    shows: ['the browser did not keep the cookie', 'Allow cookies for this site'],
  },
  {
    name: 'sign-in-cookies-off',
    ownPage: true,
    act: async (page) => {
      const devTools = await page.context().newCDPSession(page);
      await devTools.send('Emulation.setDocumentCookieDisabled', { disabled: true });
      // Chromium then refuses all storage, but not with this command.
      await page.addInitScript(() => {
        const refuse = () => {
          throw new DOMException('Access is denied for this document.', 'SecurityError');
        };
        for (const name of ['localStorage', 'sessionStorage']) Object.defineProperty(window, name, { get: refuse });
      });
      await page.reload();
    },
    shows: ['Signing in needs a cookie, and this browser blocks cookies.'],
  },
  {
    name: 'sign-in-plain-http',
    offer: {
      refusal:
        'Signing in needs https, because others in the network could read a cookie. The operator can allow it with ALLOW_INSECURE=on.',
    },
    shows: ['Signing in needs https', 'ALLOW_INSECURE=on'],
  },
  {
    name: 'sign-in-passkey-cancelled',
    ownPage: true,
    answers: { 'signIn.beginPasskey': { value: { options: { challenge: 'AAAA' } } } },
    act: async (page) => {
      await page.evaluate(() => {
        navigator.credentials.get = () => Promise.reject(new DOMException('', 'NotAllowedError'));
      });
      await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
    },
    shows: ['The dialog was closed, or it took too long.'],
  },
  {
    name: 'sign-in-passkey-unknown',
    ownPage: true,
    answers: {
      'signIn.beginPasskey': { value: { options: { challenge: 'AAAA' } } },
      'signIn.passkey': wrongCode('This passkey is not known here. It may have been removed. Sign in another way.'),
    },
    act: async (page) => {
      await page.evaluate(() => {
        const passkey = {
          toJSON: () => ({ id: 'a', rawId: 'a', type: 'public-key', response: { clientDataJSON: '' } }),
        };
        navigator.credentials.get = () => Promise.resolve(passkey as unknown as Credential);
      });
      await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
    },
    shows: ['This passkey is not known here.'],
  },
  {
    name: 'sign-in-code-asked',
    offer: { methods: EVERY_METHOD },
    answers: { 'signIn.requestCode': { value: { seconds: 600 } } },
    act: askForCode,
    shows: [
      'If ada@harbour.example can sign in here, a code was sent.',
      'It works for 10 minutes',
      'Send another code',
    ],
  },
  {
    name: 'sign-in-code-reloaded',
    ownPage: true,
    offer: { methods: EVERY_METHOD },
    answers: { 'signIn.requestCode': { value: { seconds: 600 } } },
    act: async (page) => {
      await askForCode(page);
      await page.getByLabel('Code').waitFor();
      await page.evaluate(() => window.showAgain());
    },
    shows: ['a code was sent.', 'Send another code'],
  },
  {
    name: 'sign-in-code-wrong',
    offer: { methods: EVERY_METHOD, signUp: true },
    answers: {
      'signIn.requestCode': { value: { seconds: 600 } },
      'signIn.code': wrongCode('The code is wrong. You can try 4 more times.'),
    },
    act: enterCode,
    shows: ['A code was sent to ada@harbour.example.', 'You can try 4 more times.'],
  },
  {
    name: 'sign-in-code-expired',
    offer: { methods: EVERY_METHOD },
    answers: {
      'signIn.requestCode': { value: { seconds: 600 } },
      'signIn.code': wrongCode('There is no code for this browser, or it has expired. Ask for another one.'),
    },
    act: enterCode,
    shows: ['or it has expired. Ask for another one.'],
  },
  {
    name: 'sign-in-code-too-many',
    offer: { methods: EVERY_METHOD },
    answers: { 'signIn.requestCode': TOO_MANY },
    act: askForCode,
    shows: ['Try again in 4 min'],
  },
];

const FAILURES = [
  ['refused', 'Acme did not sign you in. Try again.'],
  ['no-account', 'you have no active account here'],
  ['unavailable', 'Acme cannot be reached.'],
  ['too-many', 'There were too many attempts.'],
  ['failed', 'The sign-in failed. Try again.'],
] as const;

const LINK: Pick<GalleryState, 'path' | 'signedIn'> = { path: `/#first=${SECRET}`, signedIn: null };
const LINK_PAGES: readonly GalleryState[] = [
  {
    name: 'first-link',
    ...LINK,
    answers: { 'signIn.readLink': { value: { email: 'owner@localhost', expires: NOW_SECONDS + 900 } } },
    shows: ['Sign in as owner@localhost', 'It works once.'],
  },
  {
    name: 'first-link-spent',
    ...LINK,
    answers: { 'signIn.readLink': refused(404, 'not_found', 'This link was used or has expired.') },
    shows: ['This link was used or has expired.', 'npm run berth -- sign-in'],
  },
  {
    name: 'first-link-signed-in',
    path: LINK.path,
    answers: { 'signIn.readLink': refused(404, 'not_found', 'This link was used or has expired.') },
    shows: ['You are signed in as', 'Continue'],
  },
  {
    name: 'keep',
    kept: true,
    path: '/app/keep',
    signedIn: { passkeys: 0 },
    shows: ['Add a passkey', 'Set password', 'Not now'],
  },
  {
    name: 'keep-without-passkeys',
    path: '/app/keep',
    signedIn: { passkeys: 0 },
    offer: { methods: { passkey: false, password: true, code: false, oidc: null } },
    shows: ['Passkeys need https.', 'Set password'],
  },
  { name: 'keep-done', path: '/app/keep', shows: ['You can now sign in with your passkey', 'Continue'] },
];

const CLAIM = `/claim/${SECRET}`;
const ANONYMOUS_SITE: Script = {
  value: {
    deployment: 'calm-otter-4k9x2qd',
    url: 'https://calm-otter-4k9x2qd.sites.example',
    title: 'Harbour Festival 2026',
    files: 42,
    size: 3_100_000,
    password: false,
    created: NOW_SECONDS - 3_600,
    expires: NOW_SECONDS + 2 * 86_400 + 23 * 3_600,
  },
};
const CLAIM_PAGES: readonly GalleryState[] = [
  {
    name: 'claim-signed-out',
    kept: true,
    path: CLAIM,
    signedIn: null,
    answers: { 'account.claimed': ANONYMOUS_SITE },
    shows: ['Harbour Festival 2026', 'in 2 days 23 hours', 'Ask the operator of this server for one'],
  },
  {
    name: 'claim-sign-up',
    path: CLAIM,
    signedIn: null,
    offer: { methods: EVERY_METHOD, signUp: true },
    answers: { 'account.claimed': ANONYMOUS_SITE },
    shows: ['No account yet? You can open one on the next page.'],
  },
];

const revoke = async (page: Page) => {
  await page.getByRole('button', { name: 'Revoke API key a1b2c3d' }).click();
  await page.getByRole('button', { name: 'Revoke', exact: true }).click();
};
const TOKENS: Record<string, Script> = {
  'tokens.list': {
    value: {
      tokens: [{ token: 'a1b2c3d', kind: 'api', labels: [], created: NOW_SECONDS - 3_600, expires: null, used: null }],
    },
  },
  'tokens.delete': PROVE,
  'signIn.requestCode': { value: { seconds: 600 } },
};
const PROVE_DIALOG: readonly GalleryState[] = [
  {
    name: 'prove-every-way',
    path: '/app/tokens',
    offer: { methods: EVERY_METHOD },
    signedIn: { hasPassword: true, identities: 1 },
    answers: TOKENS,
    act: revoke,
    shows: ['Prove that it is you', 'Use a passkey', 'Send me a code by e-mail', 'Sign in at Acme'],
  },
  {
    name: 'prove-code-asked',
    path: '/app/tokens',
    offer: { methods: EVERY_METHOD },
    signedIn: { passkeys: 0 },
    answers: TOKENS,
    act: async (page) => {
      await revoke(page);
      await page.getByRole('button', { name: 'Send me a code by e-mail' }).click();
    },
    shows: ['A code was sent to mara@harbour.example.', 'Send another code'],
  },
  {
    name: 'prove-no-way',
    path: '/app/tokens',
    signedIn: { passkeys: 0 },
    answers: TOKENS,
    act: revoke,
    shows: ['sign in again with a new link'],
  },
];

const ADA_LAPTOP = {
  client: 'berth-cli on ada-laptop',
  address: '192.0.2.7',
  created: NOW_SECONDS - 20,
  expires: NOW_SECONDS + 580,
};
const findDevice = async (page: Page) => page.getByRole('button', { name: 'Continue' }).click();
const DEVICE_PAGES: readonly GalleryState[] = [
  { name: 'device-empty', path: '/device', shows: ['shows a code. Enter it here.'] },
  {
    name: 'device-unknown',
    path: '/device?code=BCDF-GHJK',
    answers: {
      'devices.find': refused(404, 'not_found', 'There is no such code: it is wrong, was used, or has expired.'),
    },
    act: findDevice,
    shows: ['There is no such code'],
  },
  {
    name: 'device-found',
    kept: true,
    path: '/device?code=BCDF-GHJK',
    answers: { 'devices.find': { value: ADA_LAPTOP } },
    act: findDevice,
    shows: ['berth-cli on ada-laptop', 'Approve', 'Deny'],
  },
  {
    name: 'device-denied',
    path: '/device?code=BCDF-GHJK',
    answers: { 'devices.find': { value: ADA_LAPTOP }, 'devices.deny': { value: {} } },
    act: async (page) => {
      await findDevice(page);
      await page.getByRole('button', { name: 'Deny' }).click();
    },
    shows: ['berth-cli on ada-laptop was denied. It cannot use your account.'],
  },
  {
    name: 'device-proof',
    path: '/device?code=BCDF-GHJK',
    signedIn: { hasPassword: true },
    answers: { 'devices.find': { value: ADA_LAPTOP }, 'devices.approve': PROVE },
    act: async (page) => {
      await findDevice(page);
      await page.getByRole('button', { name: 'Approve' }).click();
    },
    shows: ['Prove that it is you', 'Use a passkey'],
  },
];

const INACTIVE_PAGES: readonly GalleryState[] = [
  {
    name: 'inactive-suspended',
    path: '/app/sites',
    signedIn: {
      accountState: 'suspended',
      accounts: [{ account: 'acc-2', email: 'board@harbour.example', name: 'Harbour board', role: 'member' }],
    },
    shows: ['This account is suspended', 'Only the operator can say why', 'Use Harbour board', 'Sign out'],
  },
  {
    name: 'inactive-suspended-reason',
    path: '/app/sites',
    signedIn: {
      accountState: 'suspended',
      accounts: [],
      accountStateReason: 'Phishing at calm-otter-4k9x2qd, reported on 3 May',
    },
    shows: [
      'Reason',
      'Phishing at calm-otter-4k9x2qd, reported on 3 May',
      'Only the operator can make it active again.',
    ],
  },
  {
    name: 'inactive-terminated',
    path: '/',
    signedIn: { accountState: 'terminated' },
    shows: ['This account is closed', 'Its sites are no longer shown.', 'Sign out'],
  },
];

/** The states of the pages that sign people in, keep a site and approve a device. */
export const SIGN_IN_STATES: readonly GalleryState[] = [
  ...SIGN_IN_PAGE.map((state) => ({ path: SIGN_IN, signedIn: null, ...state })),
  ...FAILURES.map(([problem, text]): GalleryState => ({
    name: `sign-in-oidc-${problem}`,
    path: `${SIGN_IN}?problem=${problem}`,
    signedIn: null,
    offer: { methods: EVERY_METHOD },
    shows: [text],
  })),
  ...LINK_PAGES,
  ...CLAIM_PAGES,
  ...PROVE_DIALOG,
  ...DEVICE_PAGES,
  ...INACTIVE_PAGES,
];
