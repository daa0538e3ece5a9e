import {
  ACTIVITY_EVENTS,
  type Activity,
  type ActivityEvent,
  type Deployment,
  type DeploymentChanges,
  type Domain,
  type DomainVersion,
  type Site,
} from '@berth/contract';

/** The current time in every gallery state, in Unix milliseconds. It is a Friday afternoon. */
export const NOW = Date.UTC(2026, 10, 20, 14, 30);
export const NOW_SECONDS = NOW / 1_000;
export const MINUTE = 60_000;
export const HOUR = 3_600_000;

const WORDS = ['calm', 'brave', 'quiet', 'amber', 'swift', 'gentle', 'lucky', 'silver'] as const;
const ANIMALS = ['otter', 'heron', 'lynx', 'marten', 'plover', 'badger', 'tern', 'seal'] as const;

/** Returns an id of a deployment. Different numbers have different ids. */
export function deploymentId(number: number): string {
  const idSuffix = (number * 2_654_435 + 1_679_616).toString(36).padStart(7, '0').slice(-7);
  return `${WORDS[number % WORDS.length]}-${ANIMALS[Math.floor(number / 3) % ANIMALS.length]}-${idSuffix}`;
}

export const siteUrl = (deployment: string) => `https://${deployment}.sites.example`;

export function deployment(number: number, other: Partial<Deployment> = {}): Deployment {
  const name = deploymentId(number);
  return {
    deployment: name,
    url: siteUrl(name),
    files: 12 + ((number * 37) % 900),
    size: 48_000 + ((number * 7_919_113) % 90_000_000),
    status: 'success',
    password: number % 7 === 3,
    via: ['desktop', 'cli', 'api'][number % 3]!,
    labels: number % 4 === 1 ? ['preview', `pull-${400 + number}`] : [],
    domains: [],
    created: NOW_SECONDS - number * 5_400,
    ...(number % 9 === 5 ? { expires: NOW_SECONDS + 2 * 86_400 + 23 * 3_600 } : {}),
    ...other,
  };
}

export function domain(name: string, other: Partial<Domain> = {}): Domain {
  return {
    domain: name,
    url: `https://${name}`,
    deployment: deploymentId(1),
    status: 'success',
    labels: [],
    created: NOW_SECONDS - 40 * 86_400,
    linked: NOW_SECONDS - 7_200,
    links: 14,
    ...other,
  };
}

export function activity(event: ActivityEvent, secondsAgo: number, other: Partial<Activity> = {}): Activity {
  return { event, created: NOW_SECONDS - secondsAgo, authMethod: 'api-key', meta: {}, ...other };
}

/** 60 deployments, newest first. */
export const SITES = Array.from({ length: 60 }, (_, number) => deployment(number));
/** A domain in each state. */
export const DOMAINS = [
  domain('www.harbour.example'),
  domain('harbour.example', { status: 'partial', deployment: deploymentId(1) }),
  domain('tickets.harbour.example', { status: 'pending', deployment: null, linked: null, links: 0 }),
  domain('old.harbour.example', { status: 'paused', deployment: deploymentId(9), linked: NOW_SECONDS - 50 * 86_400 }),
  domain('harbour-notes.sites.example', { deployment: deploymentId(3) }),
];
/** The records that `harbour.example` needs. */
export const DNS_RECORDS = {
  domain: 'harbour.example',
  apex: true,
  records: [
    { type: 'A', name: 'harbour.example', value: '203.0.113.7' },
    { type: 'TXT', name: '_berth.harbour.example', value: 'berth-verify=0f9a31c4d77e42b59c1de0a8b5f3c6e2' },
  ],
};
/** A check that found one of the two records. */
export const CHECKS = [
  { type: 'A', name: 'harbour.example', expected: ['203.0.113.7'], found: ['203.0.113.7'], ok: true },
  {
    type: 'TXT',
    name: '_berth.harbour.example',
    expected: ['berth-verify=0f9a31c4d77e42b59c1de0a8b5f3c6e2'],
    found: [],
    ok: false,
    reason: 'There is no TXT record at this name.',
  },
];

/** An activity for each event. The activities are 90 minutes apart. */
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

/** Returns a site at a domain. Different numbers have different titles, icons and times. */
export function site(number: number, other: Partial<Site> = {}): Site {
  const [title, domain, colour] = SITE_NAMES[number % SITE_NAMES.length]!;
  const round = Math.floor(number / SITE_NAMES.length);
  const name = round === 0 ? domain : `${round}.${domain}`;
  return {
    site: name,
    url: `https://${name}`,
    domain: name,
    deployment: deploymentId(number),
    state: 'live',
    title: round === 0 ? title : `${title} ${round + 1}`,
    icon: colour === null ? null : iconOf(colour),
    reading: false,
    password: number % 7 === 3,
    labels: number % 4 === 1 ? ['preview'] : [],
    changed: NOW_SECONDS - 1_500 - number * 21_400,
    files: 12 + ((number * 37) % 900),
    size: 48_000 + ((number * 7_919_113) % 90_000_000),
    ...other,
  };
}

/** Returns a site at its own address. */
export function ownSite(number: number, other: Partial<Site> = {}): Site {
  const id = deploymentId(number);
  return site(number, { site: id, url: siteUrl(id), domain: null, title: null, icon: null, ...other });
}

const SITE_NAMES = [
  ['Harbour Festival 2026', 'www.harbour.example', '#0b6788'],
  ['Tickets', 'tickets.harbour.example', '#b3261e'],
  ['Mara Lind – Photographs', 'mara.example', null],
  ['Handbook', 'handbook.sites.example', '#17714a'],
  ['Notes on tides', 'harbour-notes.sites.example', '#85550a'],
] as const;

const iconOf = (colour: string) =>
  `data:image/svg+xml;base64,${btoa(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="${colour}"/><path d="M8 21q4-9 8-3t8-4" fill="none" stroke="#fff" stroke-width="3" stroke-linecap="round"/></svg>`)}`;

/** A site in each state. */
export const MIXED_SITES: readonly Site[] = [
  site(0),
  ownSite(5, { title: 'Draft of the programme', expires: NOW_SECONDS + 2 * 86_400 + 23 * 3_600 }),
  site(1, { state: 'pending' }),
  site(2),
  ownSite(3, { labels: ['preview', 'pull-412'] }),
  site(3),
  site(4, { state: 'paused' }),
  ownSite(6, { state: 'deleting' }),
  ownSite(7, { state: 'taken-down' }),
  site(5, { state: 'empty', title: null, icon: null, deployment: null, files: null, size: null }),
];

/** Returns a version of `www.harbour.example`. The first one is live. */
export function version(number: number, other: Partial<DomainVersion> = {}): DomainVersion {
  const linked = NOW_SECONDS - 1_500 - number * 50_000;
  return {
    deployment: deploymentId(number),
    linked,
    unlinked: number === 0 ? null : NOW_SECONDS - 1_500 - (number - 1) * 50_000,
    by: 'api-key',
    token: 'a1b2c3d',
    previous: deploymentId(number + 1),
    published: {
      created: linked,
      files: 128 + number,
      size: 3_412_008 - number * 12_345,
      via: ['cli', 'desktop', 'web'][number % 3]!,
      password: false,
      by: number % 3 === 2 ? 'session' : 'api-key',
      token: 'a1b2c3d',
    },
    available: true,
    ...other,
  };
}

/** Six versions. The oldest is deleted. */
export const VERSIONS: readonly DomainVersion[] = [
  ...Array.from({ length: 5 }, (_, number) => version(number)),
  version(5, { published: null, available: false, previous: null }),
];

/** What changed between two versions. */
export const CHANGES: DeploymentChanges = {
  deployment: deploymentId(0),
  from: deploymentId(1),
  added: 3,
  changed: 12,
  removed: 1,
  files: [
    { path: 'index.html', change: 'changed' },
    { path: 'programme/friday.html', change: 'added' },
    { path: 'programme/saturday.html', change: 'added' },
    { path: 'images/posters/autumn-2025-with-a-rather-long-name.avif', change: 'removed' },
    { path: 'styles.css', change: 'changed' },
  ],
};
