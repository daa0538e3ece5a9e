import { DEFAULT_PLANS, type Token } from '@berth/contract';
import { EVERY_ACTIVITY, NOW_SECONDS } from '@berth/ui/testing/samples';
import { account } from './account-answer.ts';
import type { Script } from './fake-server.ts';
import type { GalleryState } from './gallery.ts';
import { playStream } from './play-stream.ts';

const DAY = 86_400;

function token(id: string, other: Partial<Token> = {}): Token {
  return {
    token: id,
    kind: 'deploy',
    labels: [],
    created: NOW_SECONDS - 40 * DAY,
    expires: null,
    used: NOW_SECONDS - 3_600,
    ...other,
  };
}

const TOKENS: readonly Token[] = [
  token('a1b2c3d', { kind: 'api', labels: ['mara-laptop'], used: NOW_SECONDS - 60 }),
  token('e4f5g6h', { labels: ['ci'], domains: ['www.harbour.example', 'tickets.harbour.example'], keep: 10 }),
  token('j7k8m9n', { used: null, created: NOW_SECONDS - 3 * DAY, expires: NOW_SECONDS + 5 * DAY + 3_600 }),
  token('p2q3r4s', { kind: 'api', used: NOW_SECONDS - 90 * DAY, expires: NOW_SECONDS + 200 * DAY }),
  token('t5u6v7w', { expires: NOW_SECONDS - DAY, used: NOW_SECONDS - 2 * DAY }),
];
const TOKEN_LIST: Script = { value: { tokens: TOKENS } };

const USAGE_ANSWERS = {
  'account.get': account(),
  'plans.list': { value: { plans: DEFAULT_PLANS.map(({ limits: _limits, rank: _rank, ...plan }) => plan) } },
  'platform.limits': {
    value: {
      maxFileSize: 104_857_600,
      maxFilesCount: 10_000,
      maxTotalSize: 1_073_741_824,
      blockedExtensions: [],
      platformDomain: 'sites.example',
    },
  },
} satisfies Record<string, Script>;

/** Lists the activities of one kind as the server does. No deploy token is the cause of one. */
const ACTIVITIES: Script = {
  reply: ({ event, authMethod }) => ({
    activities: EVERY_ACTIVITY.filter(
      (each) => authMethod !== 'deploy-token' && (event === undefined || each.event.startsWith(`${event as string}.`)),
    ),
  }),
};

const isAboutOpenAccount = ({ event }: (typeof EVERY_ACTIVITY)[number]) =>
  !['account.create', 'account.update', 'account.delete'].includes(event);

/** The states of the pages for activity, tokens and usage. */
export const ACCOUNT_STATES: readonly GalleryState[] = [
  {
    name: 'activity-list',
    kept: true,
    path: '/app/activity',
    // The samples have one activity of each kind. An account is not closed between two deploys.
    answers: { 'activities.list': { value: { activities: EVERY_ACTIVITY.filter(isAboutOpenAccount) } } },
    shows: ['Today', 'Yesterday', 'Plan changed from free to pro'],
  },
  {
    name: 'activity-every-kind',
    path: '/app/activity',
    answers: { 'activities.list': { value: { activities: EVERY_ACTIVITY } } },
    shows: ['Account closed', 'Account created'],
  },
  {
    name: 'activity-filtered',
    path: '/app/activity',
    answers: { 'activities.list': ACTIVITIES },
    act: async (page) => void (await page.getByLabel('About').selectOption({ label: 'Domains' })),
    shows: ['www.harbour.example passed its DNS check'],
  },
  {
    name: 'activity-nothing-found',
    path: '/app/activity',
    answers: { 'activities.list': ACTIVITIES },
    act: async (page) => void (await page.getByLabel('By').selectOption({ label: 'Deploy tokens' })),
    shows: ['Nothing found', 'No activity matches these filters.'],
  },
  {
    name: 'activity-none',
    path: '/app/activity',
    answers: { 'activities.list': { value: { activities: [] } } },
    shows: ['No activity yet'],
  },
  {
    name: 'activity-offline',
    path: '/app/activity',
    ownPage: true,
    answers: { 'activities.list': { value: { activities: EVERY_ACTIVITY.slice(1) } } },
    act: (page) => playStream(page, [[]], false),
    shows: ['The connection is lost. New activity appears when it is back.'],
  },
  {
    name: 'activity-gap',
    path: '/app/activity',
    ownPage: true,
    answers: { 'activities.list': { value: { activities: EVERY_ACTIVITY.slice(1) } } },
    act: (page) => playStream(page, [[], EVERY_ACTIVITY.slice(0, 1)], true),
    shows: ['The connection was lost here'],
  },
  { name: 'activity-signed-out', path: '/app/activity', signedIn: null, shows: ['Sign in to see what happened'] },
  {
    name: 'tokens-list',
    kept: true,
    path: '/app/tokens',
    answers: { 'tokens.list': TOKEN_LIST },
    shows: ['API key a1b2c3d', 'Publishes to www.harbour.example', 'Never used', 'Expires in 5 days', 'Expired'],
  },
  {
    name: 'tokens-none',
    path: '/app/tokens',
    answers: { 'tokens.list': { value: { tokens: [] } } },
    shows: ['No tokens yet'],
  },
  {
    name: 'tokens-make',
    path: '/app/tokens',
    answers: { 'tokens.list': TOKEN_LIST },
    act: async (page) => page.getByRole('button', { name: 'New token…' }).click(),
    shows: ['New token', 'Domains (optional)', 'Create'],
  },
  {
    name: 'tokens-made',
    path: '/app/tokens',
    answers: {
      'tokens.list': TOKEN_LIST,
      'tokens.create': { value: { ...token('x9y8z7w'), secret: 'deploy-0f9a31c4d77e42b59c1de0a8b5f3c6e2' } },
    },
    act: async (page) => {
      await page.getByRole('button', { name: 'New token…' }).click();
      await page.getByRole('button', { name: 'Create' }).click();
    },
    shows: ['Your new deploy token', 'It is shown only once.', 'deploy-0f9a31c4d77e42b59c1de0a8b5f3c6e2'],
  },
  {
    name: 'tokens-revoke',
    path: '/app/tokens',
    answers: { 'tokens.list': TOKEN_LIST },
    act: async (page) => page.getByRole('button', { name: 'Revoke API key a1b2c3d' }).click(),
    shows: ['Programs that use it stop working at once.'],
  },
  {
    name: 'usage-normal',
    path: '/app/usage',
    answers: USAGE_ANSWERS,
    shows: ['Your plan: Pro', '212 of 1,000', 'At most 10,000 files', 'On request'],
  },
  {
    name: 'usage-scheduled',
    path: '/app/usage',
    answers: {
      ...USAGE_ANSWERS,
      'account.get': account({ scheduled: { plan: 'free', due: NOW_SECONDS + 12 * DAY } }),
    },
    shows: ['Your plan changes to Free on', 'Nothing is deleted.'],
  },
  {
    name: 'usage-nearly-full',
    kept: true,
    path: '/app/usage',
    answers: {
      ...USAGE_ANSWERS,
      'account.get': account({
        usage: { deployments: 830, platformDomains: 50, customDomains: 4, seats: 1, storage: 734_003_200 },
      }),
    },
    shows: ['More than 80% used: deployments.', 'Full: platform domains.'],
  },
  {
    name: 'usage-over',
    path: '/app/usage',
    answers: {
      ...USAGE_ANSWERS,
      'account.get': account({
        plan: 'free',
        usage: { deployments: 212, platformDomains: 6, customDomains: 0, seats: 1, storage: 734_003_200 },
        caps: { deployments: 100, platformDomains: 5, customDomains: 0, seats: 1, storage: 2_147_483_648 },
      }),
    },
    shows: ['More than your plan includes: deployments, platform domains.'],
  },
  {
    name: 'usage-unlimited',
    path: '/app/usage',
    answers: {
      ...USAGE_ANSWERS,
      'account.get': account({ plan: 'unlimited', caps: null }),
      'plans.list': { value: { plans: [] } },
    },
    shows: ['Your plan: unlimited', '212'],
  },
  {
    name: 'usage-offline',
    path: '/app/usage',
    answers: { 'account.get': { offline: true } },
    shows: ['cannot be reached', 'Try again'],
  },
];
