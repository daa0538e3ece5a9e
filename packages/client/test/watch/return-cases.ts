import type { Case } from './decide-cases.ts';

const A = ['a', 'a'] as const;
const B = ['b', 'b'] as const;
const LIVE_A = { id: 'a+a', frontPage: true };

/** When `a`, which is there from the start, is live. */
const T = 2_000;

/** What is told of a folder that is again as it was, and of a server that is to be asked again. */
export const RETURN_CASES: readonly Case[] = [
  {
    title: 'What was refused, and comes back unheard after it was gone, is not said to be live (D3, D6, D8)',
    world: {
      folder: [
        [0, A],
        [T, B],
        [10_000, 'gone'],
        [30_000, B],
      ],
      heard: [T],
      deafAt: 1_000,
      fault: (at) => (at > T ? ['refused'] : null),
    },
    fromMs: 2_600,
    untilMs: 60_000,
    did: ['2600 failed refused null', '20540 missing gone', '31080 publish b+b', '31180 failed refused null'],
  },
  {
    title: 'What is live, and comes back unheard after another state was refused, is said to be live (D6, D8)',
    world: {
      folder: [
        [0, A],
        [T, B],
        [10_000, A],
      ],
      heard: [T],
      deafAt: 1_000,
      fault: (at) => (at > T ? ['refused'] : null),
    },
    fromMs: 2_600,
    untilMs: 60_000,
    did: ['2600 failed refused null', '10540 unchanged'],
  },
  {
    title: 'What was live before a restart, and comes back unheard, is asked for before it is said to be live (D3, D4)',
    world: {
      folder: [
        [0, 'gone'],
        [T, A],
      ],
      heard: [],
      deafAt: 100,
      live: LIVE_A,
      found: 'a+a',
    },
    untilMs: 20_000,
    did: ['100 polling', '510 missing gone', '3010 publish a+a', '3110 unchanged'],
  },
  {
    title: 'A server that asks for a pause of weeks is asked again after a day (D6)',
    world: {
      folder: [[0, A]],
      fault: (at) => (at < T ? ['unavailable', { retryAfterSeconds: 3_000_000 }] : null),
    },
    untilMs: 90_000_000,
    did: ['510 publish a+a', '610 failed unavailable 86400000', '86400870 publish a+a', '86400970 published a+a'],
  },
];
