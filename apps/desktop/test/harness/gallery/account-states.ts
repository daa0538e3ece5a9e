import { ACTIVITY_EVENTS, type Activity } from '@berth/contract';
import {
  activity,
  appState,
  deployment,
  deploymentId,
  domain,
  NOW_SECONDS,
  problem,
  session,
  SIGNED_IN,
  SIGNED_OUT,
} from './sample.ts';
import type { GalleryState } from './state.ts';

const SITES = Array.from({ length: 60 }, (_, number) => deployment(number));
const DOMAINS = [
  domain('www.harbour.example'),
  domain('harbour.example', { status: 'partial', deployment: deploymentId(1) }),
  domain('tickets.harbour.example', { status: 'pending', deployment: null, linked: null, links: 0 }),
  domain('old.harbour.example', { status: 'paused', deployment: deploymentId(9), linked: NOW_SECONDS - 50 * 86_400 }),
  domain('harbour-notes.sites.example', { deployment: deploymentId(3) }),
];
const RECORDS = {
  domain: 'harbour.example',
  apex: true,
  records: [
    { type: 'A', name: 'harbour.example', value: '203.0.113.7' },
    { type: 'TXT', name: '_berth.harbour.example', value: 'berth-verify=0f9a31c4d77e42b59c1de0a8b5f3c6e2' },
  ],
};
const CHECKS = [
  { type: 'A', name: 'harbour.example', expected: ['203.0.113.7'], found: ['203.0.113.7'], ok: true },
  {
    type: 'TXT',
    name: '_berth.harbour.example',
    expected: ['berth-verify=0f9a31c4d77e42b59c1de0a8b5f3c6e2'],
    found: [],
    ok: false,
    reason: 'This record does not exist yet.',
  },
];

/** One activity for each event, 90 minutes apart. */
export const EVERY_ACTIVITY: readonly Activity[] = ACTIVITY_EVENTS.map((event, index) =>
  activity(event, 40 + index * 5_400, {
    ...(event.startsWith('deployment.') ? { deployment: deploymentId(index) } : {}),
    ...(event.startsWith('domain.') ? { domain: 'www.harbour.example' } : {}),
    ...(event === 'domain.create' || event === 'domain.update' ? { deployment: deploymentId(3) } : {}),
    ...(event.startsWith('token.') ? { token: 'a1b2c3d' } : {}),
    ...(event === 'deployment.expire' || event === 'domain.pause' ? { authMethod: 'system' } : {}),
    ...(event.startsWith('account.') ? { authMethod: 'operator' } : {}),
    meta:
      {
        'deployment.create': { files: 128, size: 3_412_008, via: 'desktop' },
        'deployment.update': { labels: ['review', 'autumn'] },
        'account.plan.transition': { from: 'free', to: 'pro' },
        'token.create': { kind: 'deploy' },
        'token.delete': { kind: 'api' },
      }[event as string] ?? {},
  }),
);

export const ACCOUNT_STATES: readonly GalleryState[] = [
  {
    name: 'sites-list',
    about: 'The sites of the account',
    page: 'sites',
    state: appState(),
    answers: {
      listDeployments: { value: { deployments: SITES } },
      listDomains: { value: { domains: DOMAINS } },
    },
    shows: ['212 of 1,000', '9 of 10', 'www.harbour.example', deploymentId(0), '2 days 23 hours left', 'preview'],
    kept: true,
  },
  {
    name: 'sites-edit',
    about: 'Editing the labels of a site in its row',
    page: 'sites',
    state: appState(),
    answers: { listDeployments: { value: { deployments: SITES } }, listDomains: { value: { domains: [] } } },
    act: async (page) => {
      await page.getByRole('button', { name: `More about ${deploymentId(1)}` }).click();
      await page.getByRole('menuitem', { name: 'Labels…' }).click();
    },
    shows: ['preview', 'Save'],
  },
  {
    name: 'sites-delete',
    about: 'The inline question before a site is deleted',
    page: 'sites',
    state: appState(),
    answers: { listDeployments: { value: { deployments: SITES } }, listDomains: { value: { domains: DOMAINS } } },
    act: async (page) => {
      await page.getByRole('button', { name: `More about ${deploymentId(0)}` }).click();
      await page.getByRole('menuitem', { name: 'Delete…' }).click();
    },
    shows: [`Delete ${deploymentId(0)}?`],
    kept: true,
  },
  {
    name: 'sites-delete-linked',
    about: 'A site that a domain points at cannot be deleted',
    page: 'sites',
    state: appState(),
    answers: {
      listDeployments: { value: { deployments: SITES } },
      listDomains: { value: { domains: DOMAINS } },
      // The server's answer. Source: api §3.
      deleteDeployment: {
        problem: problem(
          'refused',
          'This deployment is what these domains show: www.harbour.example. Link them to another one, or delete them, first.',
        ),
      },
    },
    act: async (page) => {
      await page.getByRole('button', { name: `More about ${deploymentId(1)}` }).click();
      await page.getByRole('menuitem', { name: 'Delete…' }).click();
    },
    shows: [
      `${deploymentId(1)} is in use`,
      'www.harbour.example',
      'To delete it, first point each domain',
      'Open Domains',
    ],
    kept: true,
  },
  {
    name: 'sites-nothing-found',
    about: 'A search without results',
    page: 'sites',
    state: appState(),
    answers: { listDeployments: { value: { deployments: SITES } }, listDomains: { value: { domains: [] } } },
    act: async (page) => page.getByRole('searchbox').fill('nowhere'),
    shows: ['Nothing found', 'No site matches “nowhere”'],
  },
  {
    name: 'sites-empty',
    about: 'An account without sites',
    page: 'sites',
    state: appState({
      session: session({
        ...SIGNED_IN,
        account: {
          ...SIGNED_IN.account,
          usage: { deployments: 0, platformDomains: 0, customDomains: 0, seats: 1, storage: 0 },
        },
      }),
    }),
    answers: { listDeployments: { value: { deployments: [] } }, listDomains: { value: { domains: [] } } },
    shows: ['No sites yet', 'Publish something'],
    kept: true,
  },
  {
    name: 'sites-busy',
    about: 'The list is loading',
    page: 'sites',
    state: appState(),
    answers: { listDeployments: { never: true }, listDomains: { never: true } },
    shows: ['Loading…'],
  },
  {
    name: 'sites-error',
    about: 'The list could not be loaded',
    page: 'sites',
    state: appState({ session: session({ is: 'unreachable', email: 'mara@harbour.example', message: 'No answer.' }) }),
    answers: {
      listDeployments: { problem: problem('network', 'The server cannot be reached.', { next: 'Check the network.' }) },
      listDomains: { value: { domains: [] } },
    },
    shows: ['The server cannot be reached.', 'Check the network.', 'Try again', 'Server unreachable'],
  },
  {
    name: 'sites-signed-out',
    about: 'Sites need an account',
    page: 'sites',
    state: appState({ session: SIGNED_OUT }),
    shows: ['Sign in to see your sites'],
  },
  {
    name: 'domains-list',
    about: 'Domains, and the result of checking their records',
    page: 'domains',
    state: appState(),
    answers: {
      listDeployments: { value: { deployments: SITES } },
      listDomains: { value: { domains: DOMAINS } },
      readRecords: { value: RECORDS },
      verifyDomain: { value: { ...DOMAINS[1], checks: CHECKS, nextCheck: NOW_SECONDS + 600 } },
    },
    act: async (page) => {
      await page.getByRole('button', { name: /^harbour\.example/ }).click();
      await page.getByRole('button', { name: 'Check now' }).click();
      await page.getByText('This record does not exist yet.').waitFor();
    },
    shows: ['Live', 'Waiting for DNS', 'DNS incomplete', 'Paused', '203.0.113.7', 'OK', 'in 10 min'],
    kept: true,
  },
  {
    name: 'domains-add',
    about: 'Adding a domain',
    page: 'domains',
    state: appState(),
    answers: { listDeployments: { value: { deployments: SITES } }, listDomains: { value: { domains: DOMAINS } } },
    act: async (page) => page.getByRole('button', { name: 'Add a domain…' }).click(),
    shows: ['Add a domain', 'Points to (optional)'],
  },
  {
    name: 'domains-empty',
    about: 'An account without domains',
    page: 'domains',
    state: appState(),
    answers: { listDeployments: { value: { deployments: [] } }, listDomains: { value: { domains: [] } } },
    shows: ['No domains yet'],
  },
  {
    name: 'activity-list',
    about: 'What happened in the account, in sentences',
    page: 'activity',
    state: appState(),
    answers: { listActivities: { value: { activities: EVERY_ACTIVITY } } },
    shows: ['Today', 'Yesterday', 'Plan changed from free to pro', 'expired · system'],
    kept: true,
  },
  {
    name: 'activity-empty',
    about: 'No activity yet',
    page: 'activity',
    state: appState(),
    answers: { listActivities: { value: { activities: [] } } },
    shows: ['No activity yet'],
  },
  {
    name: 'sites-full',
    about: 'An account that has reached its caps',
    page: 'sites',
    state: appState({
      session: session({
        ...SIGNED_IN,
        account: {
          ...SIGNED_IN.account,
          plan: 'free',
          usage: { deployments: 100, platformDomains: 5, customDomains: 0, seats: 1, storage: 1_932_735_283 },
          caps: { deployments: 100, platformDomains: 5, customDomains: 0, seats: 1, storage: 2_147_483_648 },
        },
      }),
    }),
    answers: {
      listDeployments: { value: { deployments: SITES.slice(0, 4) } },
      listDomains: { value: { domains: [] } },
    },
    shows: ['100 of 100', 'full'],
  },
];
