import type { FakeWorld } from './fake-world.ts';

const A = ['a', 'a'] as const;
const B = ['b', 'b'] as const;
const C = ['c', 'c'] as const;
const PAGELESS = ['p-', 'p-'] as const;
const LIVE_A = { id: 'a+a', frontPage: true };

/** A time at which `a`, the initial folder, is already live. */
const T = 2_000;

/** The states of a folder, each from a time on. */
export const over = (...steps: FakeWorld['folder'][number][]): FakeWorld['folder'] => steps;

/** The times in a range, `step` apart. */
const range = (from: number, to: number, step: number) =>
  Array.from({ length: Math.ceil((to - from) / step) }, (_, i) => from + i * step);

/** A simulated world, and the expected behaviour of a watch in it. */
export interface Case {
  title: string;
  world: FakeWorld;
  /** Default: 10 seconds. */
  untilMs?: number;
  /** Default: 0. */
  fromMs?: number;
  /** The expected effects and events from `fromMs` on. Scans are omitted unless `withScans` is set. */
  did: string[];
  withScans?: true;
}

export const CASES: readonly Case[] = [
  {
    title: 'scans twice, half a quiet period apart, before it publishes (D2)',
    world: { folder: [[0, A]] },
    withScans: true,
    did: ['250 scan', '500 scan', '510 publish a+a', '610 published a+a'],
  },
  {
    title: 'does not publish after a restart what is already live (D4)',
    world: { folder: [[0, A]], live: LIVE_A, found: 'a+a' },
    did: ['510 publish a+a', '610 unchanged'],
  },
  {
    title: 'publishes one change once, a quiet period later (D2)',
    world: { folder: over([0, A], [T, B]) },
    fromMs: T,
    withScans: true,
    did: ['2000 settling', '2240 scan', '2490 scan', '2500 publish b+b', '2600 published b+b'],
  },
  {
    title: 'restarts the quiet period with each change, and emits settling once (D2)',
    world: { folder: over([0, A], [T, B]), notified: range(T, T + 3_000, 100) },
    fromMs: T,
    withScans: true,
    did: ['2000 settling', '5140 scan', '5390 scan', '5400 publish b+b', '5500 published b+b'],
  },
  {
    title: 'ignores a scan during which the folder changed (D5)',
    world: { folder: over([0, A], [T, ['b', 'a']], [2_495, B]) },
    fromMs: T,
    withScans: true,
    did: [
      '2000 settling',
      '2240 scan',
      '2490 scan',
      '2735 scan',
      '2985 scan',
      '2995 publish b+b',
      '3095 published b+b',
    ],
  },
  {
    title: 'finds a change without a notification with the second scan (D2)',
    world: { folder: over([0, A], [T, ['b', 'a']], [2_300, B]), notified: [T] },
    fromMs: T,
    withScans: true,
    did: ['2000 settling', '2240 scan', '2490 scan', '2740 scan', '2750 publish b+b', '2850 published b+b'],
  },
  {
    title: 'publishes a folder after 10 s that is written to constantly without changing its contents (D2)',
    world: { folder: over([0, A], [T, B]), notified: range(T, T + 15_000, 100) },
    fromMs: T,
    untilMs: T + 11_000,
    withScans: true,
    did: ['2000 settling', '12000 scan', '12500 scan', '12510 publish b+b', '12600 settling', '12610 published b+b'],
  },
  {
    title: 'never publishes a folder that is different in every scan (D5)',
    world: { folder: [[0, A], ...range(T, T + 20_000, 100).map((at) => [at, [`${at}`, `${at}`]] as const)] },
    fromMs: T,
    untilMs: T + 19_000,
    did: ['2000 settling'],
  },
  {
    title: 'does not publish an identical build (D4)',
    world: { folder: over([0, A], [T, 'gone'], [T + 100, A]) },
    fromMs: T,
    did: ['2000 settling', '2600 unchanged'],
  },
  {
    title: 'publishes changes during a deploy after it, and only the newest state (D6)',
    world: { folder: over([0, A], [5_000, B], [5_600, C], [6_000, ['d', 'd']], [6_500, ['e', 'e']]), publishMs: 3_000 },
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
    title: 'does not report a folder as missing that comes back within the grace time (D3)',
    world: { folder: over([0, A], [T, 'gone'], [T + 8_000, B]) },
    fromMs: T,
    untilMs: 20_000,
    did: ['2000 settling', '10000 settling', '10500 publish b+b', '10600 published b+b'],
  },
  {
    title: 'reports a folder as missing once, after the grace time (D3)',
    world: { folder: over([0, A], [T, 'gone'], [200_000, B]) },
    fromMs: T,
    untilMs: 210_000,
    did: ['2000 settling', '12010 missing gone', '200000 settling', '200500 publish b+b', '200600 published b+b'],
  },
  {
    title: 'never publishes an empty folder (D3)',
    world: { folder: over([0, A], [T, 'empty']) },
    fromMs: T,
    untilMs: 20_000,
    did: ['2000 settling', '12010 missing empty'],
  },
  {
    title: 'never publishes a folder that lost its front page (D3)',
    world: { folder: over([0, A], [T, PAGELESS], [30_000, B]) },
    fromMs: T,
    untilMs: 40_000,
    did: ['2000 settling', '12010 missing no-front-page', '30000 settling', '30500 publish b+b', '30600 published b+b'],
  },
  {
    title: 'publishes a folder without a front page if the live deployment has none (D3)',
    world: { folder: [[0, PAGELESS]] },
    did: ['510 publish p-+p-', '610 published p-+p-'],
  },
  {
    title: 'reports a folder that is missing at the start without a grace time (D3)',
    world: { folder: over([0, 'gone'], [T, A]) },
    did: ['510 missing gone', '2000 settling', '2500 publish a+a', '2600 published a+a'],
  },
  {
    title: 'retries with growing pauses while offline, and then publishes the newest state (D6)',
    world: { folder: over([0, A], [T, B], [3_000, C]), fault: (at) => (at > T && at < 9_000 ? ['network'] : null) },
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
    title: 'shortens a pause after a network failure when the folder changes (D6)',
    world: { folder: over([0, A], [T, B], [60_000, C]), fault: (at) => (at > T && at < 60_000 ? ['network'] : null) },
    fromMs: 59_000,
    untilMs: 70_000,
    did: ['61260 publish c+c', '61360 published c+c'],
  },
  {
    title: 'keeps a longer pause that the server asked for, whatever changes (D6)',
    world: {
      folder: over([0, A], [T, B], [5_000, C]),
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
    title: 'does not retry what was refused until the folder changes (D6)',
    world: {
      folder: over([0, A], [T, B]),
      notified: [T, 200_000],
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
    title: 'reports a rejected credential, and retries with the next build (D6)',
    world: { folder: over([0, A], [T, B], [30_000, C]), fault: (at) => (at > T ? ['signed-out'] : null) },
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
    title: 'restarts the quiet period silently if a file changes during a deploy (D5)',
    world: { folder: over([0, A], [T, B], [2_550, C]), fault: (at) => (at > T && at < 2_700 ? ['folder'] : null) },
    fromMs: T,
    did: ['2000 settling', '2500 publish b+b', '2550 settling', '3100 publish c+c', '3200 published c+c'],
  },
  {
    title: 'reports a file that cannot be read if nothing changes, and retries with growing pauses (D5)',
    world: { folder: over([0, A], [T, B]), scanFault: (at) => (at > T && at < 6_000 ? 'folder' : null) },
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
    title: 'finds a missed change within a minute, and restarts the watcher (D7)',
    world: { folder: over([0, A], [T, B]), notified: [] },
    fromMs: T,
    untilMs: 70_000,
    did: ['61010 restart-watcher', '61010 publish b+b', '61110 published b+b'],
  },
  {
    title: 'reports a missing folder again if it came back unchanged without a notification in between (D3, D7)',
    world: { folder: over([0, A], [T, 'gone'], [60_000, A], [200_000, 'gone']), notified: [T, 200_000] },
    fromMs: T,
    untilMs: 220_000,
    did: ['2000 settling', '12010 missing gone', '72020 unchanged', '200000 settling', '210010 missing gone'],
  },
  {
    title: 'scans every 2 s if the system reports no changes, and emits polling once (D8)',
    world: { folder: over([0, A], [4_000, B]), notified: [], watcherFailsAt: 1_000 },
    did: ['510 publish a+a', '610 published a+a', '1000 polling', '5520 publish b+b', '5620 published b+b'],
  },
];
