import { ACTIVITY_EVENTS, type Activity, type ActivityEvent, type Deployment, type Domain } from '@berth/contract';

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
