import { type Case, over } from './decide-cases.ts';

const A = ['a', 'a'] as const;
const B = ['b', 'b'] as const;
const LIVE_A = { id: 'a+a', frontPage: true };

/** A time at which `a`, the initial folder, is already live. */
const T = 2_000;

export const NUDGE_CASES: readonly Case[] = [
  {
    title: 'finds a change without a notification at once after a nudge (D7)',
    world: { folder: over([0, A], [2_000, B]), notified: [], nudged: [[3_000, false]] },
    fromMs: 2_000,
    did: ['3500 restart-watcher', '3500 publish b+b', '3600 published b+b'],
  },
  {
    title: 'emits nothing if a nudge finds nothing new (D7)',
    world: { folder: [[0, A]], nudged: [[3_000, false]] },
    fromMs: 2_000,
    withScans: true,
    did: ['3000 scan'],
  },
  {
    title: 'ends a pause after a network failure on a nudge (D7)',
    world: {
      folder: over([0, A], [2_000, B]),
      fault: (at) => (at > 2_000 && at < 30_000 ? ['network'] : null),
      nudged: [[30_500, false]],
    },
    fromMs: 30_000,
    untilMs: 32_000,
    did: ['30760 publish b+b', '30860 published b+b'],
  },
  {
    title: 'keeps a pause that the server asked for on a nudge (D6)',
    world: {
      folder: over([0, A], [2_000, B]),
      fault: (at) => (at > 2_000 && at < 3_000 ? ['unavailable', { retryAfterSeconds: 30 }] : null),
      nudged: [[5_000, false]],
    },
    fromMs: 3_000,
    untilMs: 40_000,
    did: ['32860 publish b+b', '32960 published b+b'],
  },
  {
    title: 'answers a publish request with unchanged if nothing is new (D4)',
    world: { folder: [[0, A]], nudged: [[3_000, true]] },
    fromMs: 2_000,
    did: ['3000 settling', '3500 unchanged'],
  },
  {
    title: 'retries on a publish request what was refused (D6)',
    world: {
      folder: over([0, A], [2_000, B]),
      fault: (at) => (at > 2_000 && at < 5_000 ? ['refused'] : null),
      nudged: [[6_000, true]],
    },
    fromMs: 2_000,
    did: [
      '2000 settling',
      '2500 publish b+b',
      '2600 failed refused null',
      '6000 settling',
      '6500 publish b+b',
      '6600 published b+b',
    ],
  },
  {
    title: 'reports again on a publish request that there is nothing to publish (D3)',
    world: { folder: over([0, A], [2_000, 'gone']), nudged: [[20_000, true]] },
    fromMs: 10_000,
    untilMs: 30_000,
    did: ['12010 missing gone', '20000 settling', '20500 missing gone'],
  },
  {
    title: 'answers a publish request during a deploy after the deploy (D6)',
    world: { folder: [[0, A]], publishMs: 3_000, nudged: [[1_000, true]] },
    did: ['510 publish a+a', '1000 settling', '3510 published a+a', '3770 unchanged'],
  },
];

/** Cases of a folder that returns to an earlier state, and of a server with very long pauses. */
export const RETURN_CASES: readonly Case[] = [
  {
    title: 'does not report as live what was refused and comes back without a notification (D3, D6, D8)',
    world: {
      folder: over([0, A], [T, B], [10_000, 'gone'], [30_000, B]),
      notified: [T],
      watcherFailsAt: 1_000,
      fault: (at) => (at > T ? ['refused'] : null),
    },
    fromMs: 2_600,
    untilMs: 60_000,
    did: ['2600 failed refused null', '20540 missing gone', '31080 publish b+b', '31180 failed refused null'],
  },
  {
    title:
      'reports unchanged when the live state comes back without a notification after another one was refused (D6, D8)',
    world: {
      folder: over([0, A], [T, B], [10_000, A]),
      notified: [T],
      watcherFailsAt: 1_000,
      fault: (at) => (at > T ? ['refused'] : null),
    },
    fromMs: 2_600,
    untilMs: 60_000,
    did: ['2600 failed refused null', '10540 unchanged'],
  },
  {
    title: 'asks the server before it reports as live what was live before a restart (D3, D4)',
    world: { folder: over([0, 'gone'], [T, A]), notified: [], watcherFailsAt: 100, live: LIVE_A, found: 'a+a' },
    untilMs: 20_000,
    did: ['100 polling', '510 missing gone', '3010 publish a+a', '3110 unchanged'],
  },
  {
    title: 'retries after a day if the server asks for a pause of weeks (D6)',
    world: { folder: [[0, A]], fault: (at) => (at < T ? ['unavailable', { retryAfterSeconds: 3_000_000 }] : null) },
    untilMs: 90_000_000,
    did: ['510 publish a+a', '610 failed unavailable 86400000', '86400870 publish a+a', '86400970 published a+a'],
  },
];
