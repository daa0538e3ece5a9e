import type { Case } from './decide-cases.ts';

const A = ['a', 'a'] as const;
const B = ['b', 'b'] as const;
const LIVE_A = { id: 'a+a', frontPage: true };

/** A time at which `a`, the initial folder, is already live. */
const T = 2_000;

/** Cases of a folder that returns to an earlier state, and of a server with very long pauses. */
export const RETURN_CASES: readonly Case[] = [
  {
    title: 'does not report as live what was refused and comes back without a notification (D3, D6, D8)',
    world: {
      folder: [
        [0, A],
        [T, B],
        [10_000, 'gone'],
        [30_000, B],
      ],
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
      folder: [
        [0, A],
        [T, B],
        [10_000, A],
      ],
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
    world: {
      folder: [
        [0, 'gone'],
        [T, A],
      ],
      notified: [],
      watcherFailsAt: 100,
      live: LIVE_A,
      found: 'a+a',
    },
    untilMs: 20_000,
    did: ['100 polling', '510 missing gone', '3010 publish a+a', '3110 unchanged'],
  },
  {
    title: 'retries after a day if the server asks for a pause of weeks (D6)',
    world: {
      folder: [[0, A]],
      fault: (at) => (at < T ? ['unavailable', { retryAfterSeconds: 3_000_000 }] : null),
    },
    untilMs: 90_000_000,
    did: ['510 publish a+a', '610 failed unavailable 86400000', '86400870 publish a+a', '86400970 published a+a'],
  },
];
