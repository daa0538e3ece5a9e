import type { FakeWorld } from './fake-world.ts';

const A = ['a', 'a'] as const;
const B = ['b', 'b'] as const;
const C = ['c', 'c'] as const;
const PAGELESS = ['p-', 'p-'] as const;
const LIVE_A = { id: 'a+a', frontPage: true };

/** When `a`, which is there from the start, is live. */
const T = 2_000;

/** Moments of a range, a step apart. */
const range = (from: number, to: number, step: number) =>
  Array.from({ length: Math.ceil((to - from) / step) }, (_, i) => from + i * step);

/** A world, and what a watch does in it. */
export interface Case {
  title: string;
  world: FakeWorld;
  /** Default: 10 seconds. */
  untilMs?: number;
  /** Default: 0. */
  fromMs?: number;
  /** What is done and told from `fromMs` on. Looks that find nothing new are left out unless `looks` is set. */
  did: string[];
  looks?: true;
}

export const CASES: readonly Case[] = [
  {
    title: 'A watch looks twice, half a quiet period apart, before it publishes (D2)',
    world: { folder: [[0, A]] },
    looks: true,
    did: ['250 look', '500 look', '510 publish a+a', '610 published a+a'],
  },
  {
    title: 'What is live already is not published by a restart (D4)',
    world: { folder: [[0, A]], live: LIVE_A, found: 'a+a' },
    did: ['510 publish a+a', '610 unchanged'],
  },
  {
    title: 'One change is one deploy, a quiet period later (D2)',
    world: {
      folder: [
        [0, A],
        [T, B],
      ],
    },
    fromMs: T,
    looks: true,
    did: ['2000 settling', '2240 look', '2490 look', '2500 publish b+b', '2600 published b+b'],
  },
  {
    title: 'The quiet period starts again with each change, and is told of once (D2)',
    world: {
      folder: [
        [0, A],
        [T, B],
      ],
      heard: range(T, T + 3_000, 100),
    },
    fromMs: T,
    looks: true,
    did: ['2000 settling', '5140 look', '5390 look', '5400 publish b+b', '5500 published b+b'],
  },
  {
    title: 'A change during a look makes it count no more (D5)',
    world: {
      folder: [
        [0, A],
        [T, ['b', 'a']],
        [2_495, B],
      ],
    },
    fromMs: T,
    looks: true,
    did: [
      '2000 settling',
      '2240 look',
      '2490 look',
      '2735 look',
      '2985 look',
      '2995 publish b+b',
      '3095 published b+b',
    ],
  },
  {
    title: 'A change that nobody heard of is seen by the second look (D2)',
    world: {
      folder: [
        [0, A],
        [T, ['b', 'a']],
        [2_300, B],
      ],
      heard: [T],
    },
    fromMs: T,
    looks: true,
    did: ['2000 settling', '2240 look', '2490 look', '2740 look', '2750 publish b+b', '2850 published b+b'],
  },
  {
    title: 'A folder that is written to for ever, but holds the same, is published after 10 s (D2)',
    world: {
      folder: [
        [0, A],
        [T, B],
      ],
      heard: range(T, T + 15_000, 100),
    },
    fromMs: T,
    untilMs: T + 11_000,
    looks: true,
    did: ['2000 settling', '12000 look', '12500 look', '12510 publish b+b', '12600 settling', '12610 published b+b'],
  },
  {
    title: 'A folder that never holds the same twice is never published (D5)',
    world: { folder: [[0, A], ...range(T, T + 20_000, 100).map((at) => [at, [`${at}`, `${at}`]] as const)] },
    fromMs: T,
    untilMs: T + 19_000,
    did: ['2000 settling'],
  },
  {
    title: 'An identical build is not deployed (D4)',
    world: {
      folder: [
        [0, A],
        [T, 'gone'],
        [T + 100, A],
      ],
    },
    fromMs: T,
    did: ['2000 settling', '2600 unchanged'],
  },
  {
    title: 'What changes during a deploy is published next, and only its newest state (D6)',
    world: {
      folder: [
        [0, A],
        [5_000, B],
        [5_600, C],
        [6_000, ['d', 'd']],
        [6_500, ['e', 'e']],
      ],
      publishMs: 3_000,
    },
    fromMs: 5_000,
    untilMs: 20_000,
    did: [
      '5000 settling',
      '5500 publish b+b',
      '5600 settling',
      '8500 published b+b',
      '8760 publish e+e',
      '11760 published e+e',
    ],
  },
  {
    title: 'A folder that vanishes and comes back within the grace is not missed (D3)',
    world: {
      folder: [
        [0, A],
        [T, 'gone'],
        [T + 8_000, B],
      ],
    },
    fromMs: T,
    untilMs: 20_000,
    did: ['2000 settling', '10000 settling', '10500 publish b+b', '10600 published b+b'],
  },
  {
    title: 'A folder that stays away is missed after the grace, once (D3)',
    world: {
      folder: [
        [0, A],
        [T, 'gone'],
        [200_000, B],
      ],
    },
    fromMs: T,
    untilMs: 210_000,
    did: ['2000 settling', '12010 missing gone', '200000 settling', '200500 publish b+b', '200600 published b+b'],
  },
  {
    title: 'An empty folder is never published (D3)',
    world: {
      folder: [
        [0, A],
        [T, 'empty'],
      ],
    },
    fromMs: T,
    untilMs: 20_000,
    did: ['2000 settling', '12010 missing empty'],
  },
  {
    title: 'A folder that lost its front page is never published (D3)',
    world: {
      folder: [
        [0, A],
        [T, PAGELESS],
        [30_000, B],
      ],
    },
    fromMs: T,
    untilMs: 40_000,
    did: ['2000 settling', '12010 missing no-front-page', '30000 settling', '30500 publish b+b', '30600 published b+b'],
  },
  {
    title: 'A folder without a front page is published when what is live has none (D3)',
    world: { folder: [[0, PAGELESS]] },
    did: ['510 publish p-+p-', '610 published p-+p-'],
  },
  {
    title: 'A folder that is not there at the start is told at once (D3)',
    world: {
      folder: [
        [0, 'gone'],
        [T, A],
      ],
    },
    did: ['510 missing gone', '2000 settling', '2500 publish a+a', '2600 published a+a'],
  },
  {
    title: 'Offline is waited out with growing pauses, and the newest state comes next (D6)',
    world: {
      folder: [
        [0, A],
        [T, B],
        [3_000, C],
      ],
      fault: (at) => (at > T && at < 9_000 ? ['network'] : null),
    },
    fromMs: T,
    untilMs: 20_000,
    did: [
      '2000 settling',
      '2500 publish b+b',
      '2600 failed network 1000',
      '3860 publish c+c',
      '3960 failed network 2000',
      '6220 publish c+c',
      '6320 failed network 4000',
      '10580 publish c+c',
      '10680 published c+c',
    ],
  },
  {
    title: 'A change cuts a pause short that a broken line caused (D6)',
    world: {
      folder: [
        [0, A],
        [T, B],
        [60_000, C],
      ],
      fault: (at) => (at > T && at < 60_000 ? ['network'] : null),
    },
    fromMs: 59_000,
    untilMs: 70_000,
    did: ['61260 publish c+c', '61360 published c+c'],
  },
  {
    title: 'A server that asks for a longer pause gets it, whatever changes (D6)',
    world: {
      folder: [
        [0, A],
        [T, B],
        [5_000, C],
      ],
      fault: (at) => (at > T && at < 3_000 ? ['unavailable', { retryAfterSeconds: 30 }] : null),
    },
    fromMs: T,
    untilMs: 40_000,
    did: [
      '2000 settling',
      '2500 publish b+b',
      '2600 failed unavailable 30000',
      '32860 publish c+c',
      '32960 published c+c',
    ],
  },
  {
    title: 'What is refused is not tried again until somebody touches the folder (D6)',
    world: {
      folder: [
        [0, A],
        [T, B],
      ],
      heard: [T, 200_000],
      fault: (at) => (at > T && at < 190_000 ? ['refused'] : null),
    },
    fromMs: T,
    untilMs: 300_000,
    did: [
      '2000 settling',
      '2500 publish b+b',
      '2600 failed refused null',
      '200000 settling',
      '200500 publish b+b',
      '200600 published b+b',
    ],
  },
  {
    title: 'A credential that is not taken is told, and the next build tries again (D6)',
    world: {
      folder: [
        [0, A],
        [T, B],
        [30_000, C],
      ],
      fault: (at) => (at > T ? ['signed-out'] : null),
    },
    fromMs: T,
    untilMs: 60_000,
    did: [
      '2000 settling',
      '2500 publish b+b',
      '2600 failed signed-out null',
      '30000 settling',
      '30500 publish c+c',
      '30600 failed signed-out null',
    ],
  },
  {
    title: 'A file that changes during a deploy starts the quiet period again, in silence (D5)',
    world: {
      folder: [
        [0, A],
        [T, B],
        [2_550, C],
      ],
      fault: (at) => (at > T && at < 2_700 ? ['folder'] : null),
    },
    fromMs: T,
    did: ['2000 settling', '2500 publish b+b', '2550 settling', '3100 publish c+c', '3200 published c+c'],
  },
  {
    title: 'A file that cannot be read is told when nothing moves, and tried after growing pauses (D5)',
    world: {
      folder: [
        [0, A],
        [T, B],
      ],
      lookFault: (at) => (at > T && at < 6_000 ? 'folder' : null),
    },
    fromMs: T,
    untilMs: 15_000,
    did: [
      '2000 settling',
      '2750 failed folder 1000',
      '3760 failed folder 2000',
      '5770 failed folder 4000',
      '10030 publish b+b',
      '10130 published b+b',
    ],
  },
  {
    title: 'A change that was missed is found by the minute, and the folder is listened to anew (D7)',
    world: {
      folder: [
        [0, A],
        [T, B],
      ],
      heard: [],
    },
    fromMs: T,
    untilMs: 70_000,
    did: ['61010 listen', '61010 publish b+b', '61110 published b+b'],
  },
  {
    title: 'A folder that was missed, and comes back unheard as it was, is missed again when it goes again (D3, D7)',
    world: {
      folder: [
        [0, A],
        [T, 'gone'],
        [60_000, A],
        [200_000, 'gone'],
      ],
      heard: [T, 200_000],
    },
    fromMs: T,
    untilMs: 220_000,
    did: ['2000 settling', '12010 missing gone', '72020 unchanged', '200000 settling', '210010 missing gone'],
  },
  {
    title: 'Where the system tells of nothing, the folder is looked at every 2 s, and that is told once (D8)',
    world: {
      folder: [
        [0, A],
        [4_000, B],
      ],
      heard: [],
      deafAt: 1_000,
    },
    did: ['510 publish a+a', '610 published a+a', '1000 polling', '5520 publish b+b', '5620 published b+b'],
  },
];
