import type { Domain, Site } from '@berth/contract';
import {
  CHANGES,
  CHECKS,
  deployment,
  deploymentId,
  DNS_RECORDS,
  domain,
  DOMAINS,
  EVERY_ACTIVITY,
  MIXED_SITES,
  NOW_SECONDS,
  ownSite,
  site,
  VERSIONS,
} from '@berth/ui/testing/samples';
import type { Page } from 'playwright-core';
import { appState, folder, problem, SERVER, session, SIGNED_OUT, UNREACHABLE } from './sample.ts';
import { chooseFromMenu, type GalleryState } from './window.ts';

const listAnswers = (sites: readonly Site[], domains: readonly Domain[]) => {
  const deleting = sites.find(({ state }) => state === 'deleting');
  return {
    // The window checks a site that is being deleted until it is gone.
    ...(deleting && { readSite: { value: deleting } }),
    listSites: { value: { sites } },
    listDomains: { value: { domains } },
    listDomainVersions: { value: { versions: VERSIONS } },
  };
};
/** The state of an app that has published two of the sample sites from folders, and watches one. */
const WITH_FOLDERS = appState({
  folders: [folder(3, 'handbook', { is: 'live' }, { url: 'https://handbook.sites.example' })],
  siteFolders: [
    {
      server: SERVER,
      deployment: deploymentId(0),
      domain: 'www.harbour.example',
      name: 'festival-2026',
      path: '/home/mara/projects/festival-2026',
    },
    {
      server: SERVER,
      deployment: deploymentId(5),
      domain: null,
      name: 'programme-draft',
      path: '/home/mara/Documents/programme-draft',
    },
  ],
});
const SITE_ANSWERS = {
  readSite: { value: site(0) },
  readDeployment: { value: deployment(0, { password: true, domains: ['www.harbour.example'], by: 'api-key' }) },
  listDomainVersions: { value: { versions: VERSIONS } },
  readChanges: { value: CHANGES },
};
const openSite = (page: Page) => page.getByRole('link', { name: 'Harbour Festival 2026' }).first().click();

export const ACCOUNT_STATES: readonly GalleryState[] = [
  {
    name: 'sites-list',
    page: 'sites',
    state: WITH_FOLDERS,
    answers: listAnswers(MIXED_SITES, DOMAINS),
    shows: ['Harbour Festival 2026', 'festival-2026', 'Waiting for DNS', '2 days 23 hours left', 'Taken down'],
    kept: true,
  },
  {
    name: 'sites-delete',
    page: 'sites',
    state: WITH_FOLDERS,
    answers: listAnswers(MIXED_SITES, DOMAINS),
    act: (page) => chooseFromMenu(page, 'Handbook', 'Delete…'),
    shows: ['Delete Handbook?', 'All earlier versions are deleted too'],
  },
  {
    name: 'site-domain',
    page: 'sites',
    state: WITH_FOLDERS,
    answers: { ...listAnswers(MIXED_SITES, DOMAINS), ...SITE_ANSWERS },
    act: openSite,
    shows: ['Publish again', '/home/mara/projects/festival-2026', 'Versions', '+3', 'Roll back…', 'Change address…'],
    kept: true,
  },
  {
    name: 'site-address',
    page: 'sites',
    state: WITH_FOLDERS,
    answers: {
      ...listAnswers(MIXED_SITES, DOMAINS),
      ...SITE_ANSWERS,
      putDomain: { value: domain('festival.sites.example') },
      validateDomain: {
        value: { valid: true, normalized: 'festival.sites.example', available: true, reason: null },
      },
    },
    act: async (page) => {
      await openSite(page);
      await page.getByRole('button', { name: 'Change address…' }).click();
      await page.getByRole('dialog').getByLabel('Domain', { exact: true }).fill('festival');
      await page.getByText('festival.sites.example is available.').waitFor();
      await page.getByRole('button', { name: 'Show', exact: true }).click();
    },
    shows: ['Remove the old address?', 'festival.sites.example now shows the site.', 'Keep both'],
  },
  {
    name: 'site-own-address',
    page: 'sites',
    state: WITH_FOLDERS,
    answers: {
      ...listAnswers(MIXED_SITES, DOMAINS),
      readSite: { value: ownSite(5, { title: 'Draft of the programme', expires: NOW_SECONDS + 3 * 86_400 }) },
      readDeployment: { value: deployment(5, { expires: NOW_SECONDS + 3 * 86_400 }) },
    },
    act: (page) => page.getByRole('link', { name: 'Draft of the programme' }).click(),
    shows: ['Draft of the programme', '3 days left', 'Expiry', 'Publishing again gives a new link'],
  },
  {
    name: 'sites-nothing-found',
    page: 'sites',
    answers: listAnswers([], []),
    act: async (page) => {
      await page.getByText('No sites yet').waitFor();
      await page.evaluate((script) => window.fake.answer('listSites', script), listAnswers([site(0)], []).listSites);
      await page.evaluate(() => window.fake.emit('following', {}));
      await page.getByRole('searchbox').waitFor();
      await page.evaluate(() => window.fake.answer('listSites', { value: { sites: [] } }));
      await page.getByRole('searchbox').fill('nowhere');
    },
    shows: ['Nothing found', 'No site matches “nowhere”'],
  },
  {
    name: 'sites-empty',
    page: 'sites',
    answers: listAnswers([], []),
    shows: ['No sites yet', 'Publish something'],
  },
  {
    name: 'sites-busy',
    page: 'sites',
    answers: { listSites: { never: true } },
    shows: ['Loading…'],
  },
  {
    name: 'sites-error',
    page: 'sites',
    state: appState({
      session: session({ is: 'unreachable', email: 'mara@harbour.example', message: UNREACHABLE.message }),
    }),
    answers: { listSites: { problem: UNREACHABLE } },
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
    answers: listAnswers([], DOMAINS),
    shows: ['Live', 'Waiting for DNS', 'DNS incomplete', 'Paused'],
  },
  {
    name: 'domain-records',
    page: 'domains',
    answers: {
      ...listAnswers([], DOMAINS),
      ...SITE_ANSWERS,
      readDomain: { value: DOMAINS[1] },
      readRecords: { value: DNS_RECORDS },
      readProvider: { value: { domain: 'harbour.example', dns: { provider: { name: 'Cloudflare' } } } },
      verifyDomain: { value: { ...DOMAINS[1], checks: CHECKS, nextCheck: NOW_SECONDS + 600 } },
    },
    act: async (page) => {
      await page.getByRole('link', { name: 'harbour.example', exact: true }).click();
      await page.getByRole('button', { name: 'Check now' }).click();
      await page.getByText('There is no TXT record at this name.').waitFor();
    },
    shows: ['203.0.113.7', 'OK', 'in 10 min'],
  },
  {
    name: 'domain-platform',
    page: 'domains',
    answers: {
      ...listAnswers([], DOMAINS),
      ...SITE_ANSWERS,
      readDomain: { value: DOMAINS[4] },
      readRecords: { problem: problem('refused', 'A platform domain needs no DNS records: it serves at once.') },
    },
    act: (page) => page.getByRole('link', { name: DOMAINS[4]!.domain, exact: true }).click(),
    shows: ['This name belongs to the server, so it needs no DNS records.'],
  },
  {
    name: 'domains-add',
    page: 'domains',
    answers: listAnswers([], DOMAINS),
    act: async (page) => page.getByRole('button', { name: 'Add a domain…' }).click(),
    shows: ['Add a domain', 'A domain that you own'],
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
  },
  {
    name: 'activity-empty',
    page: 'activity',
    answers: { listActivities: { value: { activities: [] } } },
    shows: ['No activity yet'],
  },
];
