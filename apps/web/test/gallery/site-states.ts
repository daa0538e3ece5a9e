import {
  CHANGES,
  CHECKS,
  deployment,
  deploymentId,
  DNS_RECORDS,
  DOMAINS,
  domain,
  MIXED_SITES,
  NOW_SECONDS,
  ownSite,
  site,
  VERSIONS,
} from '@berth/ui/testing/samples';
import type { Script } from './fake-server.ts';
import { chooseFromMenu, type GalleryState } from './gallery.ts';

const MANY = Array.from({ length: 60 }, (_, number) => site(number));
const list = (sites: readonly unknown[]): Script => ({ value: { sites } });
const NOT_FOUND: Script = {
  error: { status: 404, error: 'not_found', message: 'There is no such site.' },
};
const SITE_ANSWERS = {
  'sites.get': { value: site(0) },
  'deployments.get': {
    value: deployment(0, { password: true, domains: ['www.harbour.example'], by: 'api-key', token: 'a1b2c3d' }),
  },
  'domains.versions': { value: { versions: VERSIONS } },
  'deployments.changes': { value: CHANGES },
} satisfies Record<string, Script>;
const OWN_ANSWERS = {
  'sites.get': {
    value: ownSite(5, {
      title: 'Draft of the programme of the spring festival, with every concert, reading and boat trip',
      expires: NOW_SECONDS + 3 * 86_400,
    }),
  },
  'deployments.get': { value: deployment(5, { expires: NOW_SECONDS + 3 * 86_400 }) },
} satisfies Record<string, Script>;
const NO_RECORDS: Script = {
  error: { status: 422, error: 'business_logic_error', message: 'A platform domain needs no DNS records.' },
};
const DOMAIN_ANSWERS = {
  ...SITE_ANSWERS,
  'domains.get': { value: DOMAINS[1] },
  'domains.records': { value: DNS_RECORDS },
  'domains.verify': { value: { ...DOMAINS[1], checks: CHECKS, nextCheck: NOW_SECONDS + 600 } },
  'domains.share': {
    value: { domain: 'harbour.example', hash: 'a'.repeat(32), url: `https://berth.example/setup/${'a'.repeat(32)}` },
  },
  'domains.dns': { value: { domain: 'harbour.example', dns: { provider: { name: 'Cloudflare' } } } },
} satisfies Record<string, Script>;

/** The states of the pages for sites and domains. */
export const SITE_STATES: readonly GalleryState[] = [
  {
    name: 'sites-list',
    kept: true,
    path: '/app/sites',
    answers: { 'sites.list': list(MIXED_SITES) },
    shows: ['Harbour Festival 2026', 'Waiting for DNS', '2 days 23 hours left', 'Taken down', 'Being deleted', 'Empty'],
  },
  {
    name: 'sites-many',
    path: '/app/sites',
    answers: { 'sites.list': { value: { sites: MANY, nextCursor: '1' } } },
    shows: ['Harbour Festival 2026'],
  },
  {
    name: 'sites-none',
    path: '/app/sites',
    answers: { 'sites.list': list([]) },
    shows: ['No sites yet', 'Publish something'],
  },
  {
    name: 'sites-nothing-found',
    path: '/app/sites',
    answers: { 'sites.list': list(MIXED_SITES) },
    act: async (page, { answer }) => {
      await page.getByRole('link', { name: 'Harbour Festival 2026' }).first().waitFor();
      answer('sites.list', list([]));
      await page.getByRole('searchbox').fill('nowhere');
    },
    shows: ['Nothing found', 'No site matches “nowhere”'],
  },
  { name: 'sites-loading', path: '/app/sites', shows: ['Loading…'] },
  {
    name: 'sites-offline',
    path: '/app/sites',
    answers: { 'sites.list': { offline: true } },
    shows: ['cannot be reached', 'Check your connection.', 'Try again'],
  },
  { name: 'sites-signed-out', path: '/app/sites', signedIn: null, shows: ['Sign in to see your sites'] },
  {
    name: 'sites-selected',
    path: '/app/sites',
    answers: { 'sites.list': list(MIXED_SITES) },
    act: async (page) => {
      await page.getByRole('checkbox', { name: 'Select Harbour Festival 2026' }).first().check();
      await page.getByRole('checkbox', { name: 'Select Handbook' }).check();
    },
    shows: ['2 sites selected', 'Delete…'],
  },
  {
    name: 'sites-delete-many',
    path: '/app/sites',
    answers: { 'sites.list': list(MIXED_SITES) },
    act: async (page) => {
      await page.getByRole('checkbox', { name: 'Select Harbour Festival 2026' }).first().check();
      await page.getByRole('checkbox', { name: 'Select Handbook' }).check();
      await page.getByRole('button', { name: 'Delete…' }).click();
    },
    shows: ['Delete 2 sites?', 'All earlier versions are deleted too'],
  },
  {
    name: 'sites-labels',
    path: '/app/sites',
    answers: { 'sites.list': list(MIXED_SITES) },
    act: (page) => chooseFromMenu(page, 'Handbook', 'Labels…'),
    shows: ['Labels of Handbook', 'Save'],
  },
  {
    name: 'site-domain',
    kept: true,
    path: '/app/sites/www.harbour.example',
    answers: SITE_ANSWERS,
    // The changes of each version arrive one by one.
    act: (page) => page.getByText('+3').nth(4).waitFor(),
    shows: [
      'Harbour Festival 2026',
      'via the CLI · API key a1b2c3d',
      'Versions',
      '+3',
      '~12',
      'Roll back…',
      'Download',
    ],
  },
  {
    name: 'site-changes',
    path: '/app/sites/www.harbour.example',
    answers: SITE_ANSWERS,
    act: async (page) => page.getByRole('button', { name: 'What changed' }).first().click(),
    shows: ['programme/friday.html', 'and 11 more'],
  },
  {
    name: 'site-roll-back',
    path: '/app/sites/www.harbour.example',
    answers: SITE_ANSWERS,
    act: async (page) => page.getByRole('button', { name: 'Roll back to the version' }).first().click(),
    shows: ['Visitors see it at once.', 'Cancel'],
  },
  {
    name: 'site-rolled-back',
    path: '/app/sites/www.harbour.example',
    answers: { ...SITE_ANSWERS, 'domains.put': { value: {} } },
    act: async (page) => {
      await page.getByRole('button', { name: 'Roll back to the version' }).first().click();
      await page.getByRole('button', { name: 'Roll back', exact: true }).click();
    },
    shows: ['www.harbour.example now shows the version of', 'Undo'],
  },
  {
    name: 'site-own-address',
    path: `/app/sites/${deploymentId(5)}`,
    answers: OWN_ANSWERS,
    shows: ['Draft of the programme', '3 days left', 'Expiry', 'Show at a domain…', 'Change its expiry first'],
  },
  {
    name: 'site-password',
    path: '/app/sites/www.harbour.example',
    answers: SITE_ANSWERS,
    act: async (page) => page.getByRole('button', { name: 'Change the password' }).click(),
    shows: ['Change the password', 'Remove the password'],
  },
  {
    name: 'site-expiry',
    path: `/app/sites/${deploymentId(5)}`,
    answers: OWN_ANSWERS,
    act: async (page) => page.getByRole('button', { name: 'Change the expiry' }).click(),
    shows: ['When does the site expire?', 'In 30 days'],
  },
  {
    name: 'site-delete',
    path: '/app/sites/www.harbour.example',
    answers: SITE_ANSWERS,
    act: async (page) => page.getByRole('button', { name: 'Delete site…' }).click(),
    shows: ['Delete Harbour Festival 2026?', 'This cannot be undone.'],
  },
  {
    name: 'site-taken-down',
    path: `/app/sites/${deploymentId(7)}`,
    answers: {
      'sites.get': { value: ownSite(7, { state: 'taken-down', title: 'Summer sale' }) },
      'deployments.get': {
        value: deployment(7, { takenDown: { reason: 'Reported as phishing.', since: NOW_SECONDS - 3_600 } }),
      },
    },
    shows: ['Taken down', 'The operator of this server has taken the site offline.', 'Reported as phishing.'],
  },
  {
    name: 'site-missing',
    path: '/app/sites/gone.example',
    answers: { 'sites.get': NOT_FOUND },
    shows: ['There is no such site.'],
  },
  {
    name: 'domains-list',
    path: '/app/domains',
    answers: { 'domains.list': { value: { domains: DOMAINS } } },
    shows: ['www.harbour.example', 'Live', 'Waiting for DNS', 'DNS incomplete', 'Paused', 'Shows no site yet'],
  },
  {
    name: 'domains-none',
    path: '/app/domains',
    answers: { 'domains.list': { value: { domains: [] } } },
    shows: ['No domains yet'],
  },
  { name: 'domains-signed-out', path: '/app/domains', signedIn: null, shows: ['Sign in to see your domains'] },
  {
    name: 'domains-add',
    path: '/app/domains',
    answers: {
      'domains.list': { value: { domains: DOMAINS } },
      'domains.validate': { value: { valid: true, normalized: 'shop.harbour.example', available: true, reason: null } },
    },
    act: async (page) => {
      await page.getByRole('button', { name: 'Add a domain…' }).click();
      await page.getByLabel('Domain', { exact: true }).fill('shop.harbour.example');
    },
    shows: ['shop.harbour.example is available.'],
  },
  {
    name: 'domains-add-taken',
    path: '/app/domains',
    answers: {
      'domains.list': { value: { domains: DOMAINS } },
      'platform.limits': { value: { platformDomain: 'sites.example' } },
      'domains.validate': {
        value: {
          valid: true,
          normalized: 'docs.sites.example',
          available: false,
          reason: 'docs.sites.example belongs to another account.',
        },
      },
    },
    act: async (page) => {
      await page.getByRole('button', { name: 'Add a domain…' }).click();
      await page.getByLabel('Domain', { exact: true }).fill('docs');
    },
    shows: ['docs.sites.example belongs to another account.'],
  },
  {
    name: 'domain-incomplete',
    kept: true,
    path: '/app/domains/harbour.example',
    answers: DOMAIN_ANSWERS,
    shows: [
      'DNS incomplete',
      'There is no TXT record at this name.',
      'Next check in 10 min.',
      'Steps for Cloudflare',
      'Copy share link',
    ],
  },
  {
    name: 'domain-pending',
    path: '/app/domains/tickets.harbour.example',
    answers: {
      ...DOMAIN_ANSWERS,
      'domains.get': { value: DOMAINS[2] },
      'domains.verify': { error: { status: 503, error: 'unavailable', message: 'DNS servers cannot be reached.' } },
      'domains.versions': { value: { versions: [] } },
      'sites.get': { value: site(2, { title: null, deployment: null }) },
    },
    act: async (page) => page.getByRole('button', { name: 'Check now' }).click(),
    shows: ['Waiting for DNS', 'DNS servers cannot be reached.', 'Shows no site yet.', 'Show a site…'],
  },
  {
    name: 'domain-paused',
    path: '/app/domains/old.harbour.example',
    answers: { ...DOMAIN_ANSWERS, 'domains.get': { value: DOMAINS[3] }, 'domains.verify': { value: DOMAINS[3] } },
    shows: ['Paused', 'Your plan does not cover this domain.'],
  },
  {
    name: 'domain-live',
    path: '/app/domains/harbour-notes.sites.example',
    answers: {
      ...DOMAIN_ANSWERS,
      'domains.get': { value: domain('harbour-notes.sites.example') },
      'domains.records': NO_RECORDS,
    },
    shows: ['Live', 'it needs no DNS records', 'Show another site…', 'Versions'],
  },
  {
    name: 'domain-show-another',
    path: '/app/domains/harbour.example',
    answers: { ...DOMAIN_ANSWERS, 'sites.list': list(MIXED_SITES) },
    act: async (page) => {
      await page.getByRole('button', { name: 'Show another site…' }).click();
      await page.getByRole('radio').nth(2).check();
    },
    shows: ['Show another site at harbour.example', 'Handbook'],
  },
  {
    name: 'domain-switched',
    path: '/app/domains/harbour.example',
    answers: { ...DOMAIN_ANSWERS, 'sites.list': list(MIXED_SITES), 'domains.put': { value: {} } },
    act: async (page) => {
      await page.getByRole('button', { name: 'Show another site…' }).click();
      await page.getByRole('radio').nth(2).check();
      await page.getByRole('button', { name: 'Show', exact: true }).click();
    },
    shows: ['harbour.example now shows', 'Undo'],
  },
  {
    name: 'domain-delete',
    path: '/app/domains/harbour.example',
    answers: DOMAIN_ANSWERS,
    act: async (page) => page.getByRole('button', { name: 'Delete domain…' }).click(),
    shows: ['Delete harbour.example?'],
  },
];
