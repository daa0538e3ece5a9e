import type { Deployment, Domain } from '@berth/contract';
import {
  CHECKS,
  deploymentId,
  DNS_RECORDS,
  DOMAINS,
  EVERY_ACTIVITY,
  NOW_SECONDS,
  SITES,
} from '@berth/ui/testing/samples';
import { appState, session, sessionOf, SIGNED_OUT, UNREACHABLE } from './sample.ts';
import { chooseFromMenu, type GalleryState } from './window.ts';

const listAnswers = (deployments: readonly Deployment[], domains: readonly Domain[]) => ({
  listDeployments: { value: { deployments } },
  listDomains: { value: { domains } },
});

export const ACCOUNT_STATES: readonly GalleryState[] = [
  {
    name: 'sites-list',
    page: 'sites',
    answers: listAnswers(SITES, DOMAINS),
    shows: ['212 of 1,000', '9 of 10', 'www.harbour.example', deploymentId(0), '2 days 23 hours left', 'preview'],
    kept: true,
  },
  {
    name: 'sites-edit',
    page: 'sites',
    answers: listAnswers(SITES, []),
    act: (page) => chooseFromMenu(page, deploymentId(1), 'Labels…'),
    shows: ['preview', 'Save'],
  },
  {
    name: 'sites-delete',
    page: 'sites',
    answers: listAnswers(SITES, DOMAINS),
    act: (page) => chooseFromMenu(page, deploymentId(0), 'Delete…'),
    shows: [`Delete ${deploymentId(0)}?`],
    kept: true,
  },
  {
    name: 'sites-delete-linked',
    page: 'sites',
    answers: listAnswers(SITES, DOMAINS),
    act: (page) => chooseFromMenu(page, deploymentId(1), 'Delete…'),
    shows: [
      `${deploymentId(1)} is in use`,
      'www.harbour.example',
      'To delete the site, first point each domain',
      'Open Domains',
    ],
    kept: true,
  },
  {
    name: 'sites-nothing-found',
    page: 'sites',
    answers: listAnswers(SITES, []),
    act: async (page) => page.getByRole('searchbox').fill('nowhere'),
    shows: ['Nothing found', 'No site matches “nowhere”'],
  },
  {
    name: 'sites-empty',
    page: 'sites',
    state: appState({
      session: sessionOf({
        usage: { deployments: 0, platformDomains: 0, customDomains: 0, seats: 1, storage: 0 },
      }),
    }),
    answers: listAnswers([], []),
    shows: ['No sites yet', 'Publish something'],
    kept: true,
  },
  {
    name: 'sites-busy',
    page: 'sites',
    answers: { listDeployments: { never: true }, listDomains: { never: true } },
    shows: ['Loading…'],
  },
  {
    name: 'sites-error',
    page: 'sites',
    state: appState({
      session: session({ is: 'unreachable', email: 'mara@harbour.example', message: UNREACHABLE.message }),
    }),
    answers: {
      listDeployments: { problem: UNREACHABLE },
      listDomains: { value: { domains: [] } },
    },
    shows: ['berth.example cannot be reached', 'Check your connection', 'Try again', 'Server unreachable'],
  },
  {
    name: 'sites-signed-out',
    page: 'sites',
    state: appState({ session: SIGNED_OUT }),
    shows: ['Sign in to see your sites'],
  },
  {
    name: 'domains-list',
    page: 'domains',
    answers: {
      ...listAnswers(SITES, DOMAINS),
      readRecords: { value: DNS_RECORDS },
      verifyDomain: { value: { ...DOMAINS[1], checks: CHECKS, nextCheck: NOW_SECONDS + 600 } },
    },
    act: async (page) => {
      await page.getByRole('button', { name: /^harbour\.example/ }).click();
      await page.getByRole('button', { name: 'Check now' }).click();
      await page.getByText('There is no TXT record at this name.').waitFor();
    },
    shows: ['Live', 'Waiting for DNS', 'DNS incomplete', 'Paused', '203.0.113.7', 'OK', 'in 10 min'],
    kept: true,
  },
  {
    name: 'domains-add',
    page: 'domains',
    answers: listAnswers(SITES, DOMAINS),
    act: async (page) => page.getByRole('button', { name: 'Add a domain…' }).click(),
    shows: ['Add a domain', 'Points to (optional)'],
  },
  {
    name: 'domains-empty',
    page: 'domains',
    answers: listAnswers([], []),
    shows: ['No domains yet'],
  },
  {
    name: 'activity-list',
    page: 'activity',
    answers: { listActivities: { value: { activities: EVERY_ACTIVITY } } },
    shows: ['Today', 'Yesterday', 'Plan changed from free to pro', 'expired · system'],
    kept: true,
  },
  {
    name: 'activity-empty',
    page: 'activity',
    answers: { listActivities: { value: { activities: [] } } },
    shows: ['No activity yet'],
  },
  {
    name: 'sites-full',
    page: 'sites',
    state: appState({
      session: sessionOf({
        plan: 'free',
        usage: { deployments: 100, platformDomains: 5, customDomains: 0, seats: 1, storage: 1_932_735_283 },
        caps: { deployments: 100, platformDomains: 5, customDomains: 0, seats: 1, storage: 2_147_483_648 },
      }),
    }),
    answers: listAnswers(SITES.slice(0, 4), []),
    shows: ['100 of 100', 'full'],
  },
];
