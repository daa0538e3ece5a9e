import { describe, expect, it } from 'vitest';
import type { ClientErrorKind, ClientErrorOptions } from '../../src/errors.ts';
import { type SimulatedFolder, simulate } from './simulated-folder.ts';

const SCAN_A = ['a', 'a'] as const;
const SCAN_B = ['b', 'b'] as const;
const SCAN_C = ['c', 'c'] as const;
const PAGELESS = ['p-', 'p-'] as const;
const LIVE_A = { id: 'a+a', frontPage: true };

/** The time of the first change, in milliseconds. The initial folder was live before this change. */
const T = 2_000;

/** Creates the states of a folder, each with the time at which it begins. */
const folderStates = (...states: SimulatedFolder['folder'][number][]) => states;

/** Creates the fault of a server that fails between two times. */
const failingWith =
  (from: number, until: number, ...failure: [ClientErrorKind, ClientErrorOptions?]): SimulatedFolder['fault'] =>
  (at) =>
    at > from && at < until ? failure : null;

/** Returns the times in a range, `step` milliseconds apart. */
const range = (from: number, to: number, step: number) =>
  Array.from({ length: Math.ceil((to - from) / step) }, (_, i) => from + i * step);

/** A simulated world, and the expected behaviour of a watch in it. */
interface Case {
  title: string;
  world: SimulatedFolder;
  /** When the simulation ends, in milliseconds. Default: after 10 seconds. */
  during?: [fromMs: number, toMs: number];
  /** The expected effects and events. Scans are compared only if the list contains a scan. */
  did: string;
}

const CASES: readonly Case[] = [
  {
    title: 'scans twice, half a quiet period apart, before it publishes (D2)',
    world: { folder: [[0, SCAN_A]] },
    did: '250 scan, 500 scan, 510 publish a+a, 610 published a+a',
  },
  {
    title: 'does not publish a folder that is already live after a restart (D4)',
    world: { folder: [[0, SCAN_A]], live: LIVE_A, found: 'a+a' },
    did: '510 publish a+a, 610 unchanged',
  },
  {
    title: 'publishes one change once, a quiet period later (D2)',
    world: { folder: folderStates([0, SCAN_A], [T, SCAN_B]) },
    during: [T, 10_000],
    did: '2000 settling, 2240 scan, 2490 scan, 2500 publish b+b, 2600 published b+b',
  },
  {
    title: 'restarts the quiet period with each change, and emits settling once (D2)',
    world: { folder: folderStates([0, SCAN_A], [T, SCAN_B]), notified: range(T, T + 3_000, 100) },
    during: [T, 10_000],
    did: '2000 settling, 5140 scan, 5390 scan, 5400 publish b+b, 5500 published b+b',
  },
  {
    title: 'ignores a scan during which the folder changed (D5)',
    world: { folder: folderStates([0, SCAN_A], [T, ['b', 'a']], [2_495, SCAN_B]) },
    during: [T, 10_000],
    did: '2000 settling, 2240 scan, 2490 scan, 2735 scan, 2985 scan, 2995 publish b+b, 3095 published b+b',
  },
  {
    title: 'finds a change that was not notified with the second scan (D2)',
    world: { folder: folderStates([0, SCAN_A], [T, ['b', 'a']], [2_300, SCAN_B]), notified: [T] },
    during: [T, 10_000],
    did: '2000 settling, 2240 scan, 2490 scan, 2740 scan, 2750 publish b+b, 2850 published b+b',
  },
  {
    title: 'publishes a folder after 10 s even if it is written constantly without a change of its contents (D2)',
    world: { folder: folderStates([0, SCAN_A], [T, SCAN_B]), notified: range(T, T + 15_000, 100) },
    during: [T, T + 11_000],
    did: '2000 settling, 12000 scan, 12500 scan, 12510 publish b+b, 12600 settling, 12610 published b+b',
  },
  {
    title: 'never publishes a folder that is different in every scan (D5)',
    world: { folder: [[0, SCAN_A], ...range(T, T + 20_000, 100).map((at) => [at, [`${at}`, `${at}`]] as const)] },
    during: [T, T + 19_000],
    did: '2000 settling',
  },
  {
    title: 'does not publish an identical build (D4)',
    world: { folder: folderStates([0, SCAN_A], [T, 'gone'], [T + 100, SCAN_A]) },
    during: [T, 10_000],
    did: '2000 settling, 2600 unchanged',
  },
  {
    title: 'publishes changes during a deploy after the deploy, and only in their newest state (D6)',
    world: {
      folder: folderStates([0, SCAN_A], [5_000, SCAN_B], [5_600, SCAN_C], [6_000, ['d', 'd']], [6_500, ['e', 'e']]),
      publishMs: 3_000,
    },
    during: [5_000, 20_000],
    did: '5000 settling, 5500 publish b+b, 5600 settling, 8500 published b+b, 8760 publish e+e, 11760 published e+e',
  },
  {
    title: 'does not report a missing folder that comes back within the grace time (D3)',
    world: { folder: folderStates([0, SCAN_A], [T, 'gone'], [T + 8_000, SCAN_B]) },
    during: [T, 20_000],
    did: '2000 settling, 10000 settling, 10500 publish b+b, 10600 published b+b',
  },
  {
    title: 'reports a missing folder once, after the grace time (D3)',
    world: { folder: folderStates([0, SCAN_A], [T, 'gone'], [200_000, SCAN_B]) },
    during: [T, 210_000],
    did: '2000 settling, 12010 missing gone, 200000 settling, 200500 publish b+b, 200600 published b+b',
  },
  {
    title: 'reports a missing folder again after a notification that arrives when the folder was reported (D3, D7)',
    world: { folder: folderStates([0, SCAN_A], [T, 'gone']), notified: [T, 20_000] },
    during: [T, 30_000],
    did: '2000 settling, 12010 missing gone, 20000 settling, 20500 missing gone',
  },
  {
    title: 'never publishes an empty folder (D3)',
    world: { folder: folderStates([0, SCAN_A], [T, 'empty']) },
    during: [T, 20_000],
    did: '2000 settling, 12010 missing empty',
  },
  {
    title: 'never publishes a folder that lost its front page (D3)',
    world: { folder: folderStates([0, SCAN_A], [T, PAGELESS], [30_000, SCAN_B]) },
    during: [T, 40_000],
    did: '2000 settling, 12010 missing no-front-page, 30000 settling, 30500 publish b+b, 30600 published b+b',
  },
  {
    title: 'publishes a folder without a front page if the live deployment has none (D3)',
    world: { folder: [[0, PAGELESS]] },
    did: '510 publish p-+p-, 610 published p-+p-',
  },
  {
    title: 'reports a folder that is missing at the start at once, without the grace time (D3)',
    world: { folder: folderStates([0, 'gone'], [T, SCAN_A]) },
    did: '510 missing gone, 2000 settling, 2500 publish a+a, 2600 published a+a',
  },
  {
    title: 'retries with growing pauses while offline, and then publishes the newest state (D6)',
    world: { folder: folderStates([0, SCAN_A], [T, SCAN_B], [3_000, SCAN_C]), fault: failingWith(T, 9_000, 'network') },
    during: [T, 20_000],
    did:
      '2000 settling, 2500 publish b+b, 2600 failed network 1000, 3860 publish c+c, 3960 failed network 2000, ' +
      '6220 publish c+c, 6320 failed network 4000, 10580 publish c+c, 10680 published c+c',
  },
  {
    title: 'shortens a pause after a network failure when the folder changes (D6)',
    world: {
      folder: folderStates([0, SCAN_A], [T, SCAN_B], [60_000, SCAN_C]),
      fault: failingWith(T, 60_000, 'network'),
    },
    during: [59_000, 70_000],
    did: '61260 publish c+c, 61360 published c+c',
  },
  {
    title: 'keeps a pause that the server asked for even if the folder changes (D6)',
    world: {
      folder: folderStates([0, SCAN_A], [T, SCAN_B], [5_000, SCAN_C]),
      fault: failingWith(T, 3_000, 'unavailable', { retryAfterSeconds: 30 }),
    },
    during: [T, 40_000],
    did: '2000 settling, 2500 publish b+b, 2600 failed unavailable 30000, 32860 publish c+c, 32960 published c+c',
  },
  {
    title: 'does not publish a refused folder again until the folder changes (D6)',
    world: {
      folder: folderStates([0, SCAN_A], [T, SCAN_B]),
      notified: [T, 200_000],
      fault: failingWith(T, 190_000, 'refused'),
    },
    during: [T, 300_000],
    did:
      '2000 settling, 2500 publish b+b, 2600 failed refused null, 200000 settling, 200500 publish b+b, ' +
      '200600 published b+b',
  },
  {
    title: 'reports a rejected credential, and retries with the next build (D6)',
    world: {
      folder: folderStates([0, SCAN_A], [T, SCAN_B], [30_000, SCAN_C]),
      fault: failingWith(T, Infinity, 'signed-out'),
    },
    during: [T, 60_000],
    did:
      '2000 settling, 2500 publish b+b, 2600 failed signed-out null, 30000 settling, 30500 publish c+c, ' +
      '30600 failed signed-out null',
  },
  {
    title: 'restarts the quiet period without an event if a file changes during a deploy (D5)',
    world: { folder: folderStates([0, SCAN_A], [T, SCAN_B], [2_550, SCAN_C]), fault: failingWith(T, 2_700, 'folder') },
    during: [T, 10_000],
    did: '2000 settling, 2500 publish b+b, 2550 settling, 3100 publish c+c, 3200 published c+c',
  },
  {
    title: 'reports a file that cannot be read if nothing changes, and retries with growing pauses (D5)',
    world: {
      folder: folderStates([0, SCAN_A], [T, SCAN_B]),
      scanFault: (at) => (at > T && at < 6_000 ? 'folder' : null),
    },
    during: [T, 15_000],
    did:
      '2000 settling, 2750 failed folder 1000, 3760 failed folder 2000, 5770 failed folder 4000, ' +
      '10030 publish b+b, 10130 published b+b',
  },
  {
    title: 'finds a missed change within a minute, and restarts the watcher (D7)',
    world: { folder: folderStates([0, SCAN_A], [T, SCAN_B]), notified: [] },
    during: [T, 70_000],
    did: '61010 restart-watcher, 61010 publish b+b, 61110 published b+b',
  },
  {
    title: 'reports a missing folder again if it came back in between without a notification (D3, D7)',
    world: {
      folder: folderStates([0, SCAN_A], [T, 'gone'], [60_000, SCAN_A], [200_000, 'gone']),
      notified: [T, 200_000],
    },
    during: [T, 220_000],
    did: '2000 settling, 12010 missing gone, 72020 unchanged, 200000 settling, 210010 missing gone',
  },
  {
    title: 'scans every 2 s if the system reports no changes, and emits polling once (D8)',
    world: { folder: folderStates([0, SCAN_A], [4_000, SCAN_B]), notified: [], watcherFailsAt: 1_000 },
    did: '510 publish a+a, 610 published a+a, 1000 polling, 5520 publish b+b, 5620 published b+b',
  },
  {
    title: 'finds a change that was not notified at once after a nudge (D7)',
    world: { folder: folderStates([0, SCAN_A], [T, SCAN_B]), notified: [], nudged: [[3_000, false]] },
    during: [T, 10_000],
    did: '3500 restart-watcher, 3500 publish b+b, 3600 published b+b',
  },
  {
    title: 'emits nothing if a nudge finds nothing new (D7)',
    world: { folder: [[0, SCAN_A]], nudged: [[3_000, false]] },
    during: [T, 10_000],
    did: '3000 scan',
  },
  {
    title: 'ends a pause after a network failure on a nudge (D7)',
    world: {
      folder: folderStates([0, SCAN_A], [T, SCAN_B]),
      fault: failingWith(T, 30_000, 'network'),
      nudged: [[30_500, false]],
    },
    during: [30_000, 32_000],
    did: '30760 publish b+b, 30860 published b+b',
  },
  {
    title: 'keeps a pause that the server asked for on a nudge (D6)',
    world: {
      folder: folderStates([0, SCAN_A], [T, SCAN_B]),
      fault: failingWith(T, 3_000, 'unavailable', { retryAfterSeconds: 30 }),
      nudged: [[5_000, false]],
    },
    during: [3_000, 40_000],
    did: '32860 publish b+b, 32960 published b+b',
  },
  {
    title: 'emits unchanged after a publish request if nothing is new (D4)',
    world: { folder: [[0, SCAN_A]], nudged: [[3_000, true]] },
    during: [T, 10_000],
    did: '3000 settling, 3500 unchanged',
  },
  {
    title: 'publishes a refused folder again after a publish request (D6)',
    world: {
      folder: folderStates([0, SCAN_A], [T, SCAN_B]),
      fault: failingWith(T, 5_000, 'refused'),
      nudged: [[6_000, true]],
    },
    during: [T, 10_000],
    did:
      '2000 settling, 2500 publish b+b, 2600 failed refused null, 6000 settling, 6500 publish b+b, ' +
      '6600 published b+b',
  },
  {
    title: 'reports again after a publish request that there is nothing to publish (D3)',
    world: { folder: folderStates([0, SCAN_A], [T, 'gone']), nudged: [[20_000, true]] },
    during: [10_000, 30_000],
    did: '12010 missing gone, 20000 settling, 20500 missing gone',
  },
  {
    title: 'emits the result of a publish request during a deploy after the deploy (D6)',
    world: { folder: [[0, SCAN_A]], publishMs: 3_000, nudged: [[1_000, true]] },
    did: '510 publish a+a, 1000 settling, 3510 published a+a, 3770 unchanged',
  },
  {
    title: 'does not report a refused state as live if it comes back without a notification (D3, D6, D8)',
    world: {
      folder: folderStates([0, SCAN_A], [T, SCAN_B], [10_000, 'gone'], [30_000, SCAN_B]),
      notified: [T],
      watcherFailsAt: 1_000,
      fault: failingWith(T, Infinity, 'refused'),
    },
    during: [2_600, 60_000],
    did: '2600 failed refused null, 20540 missing gone, 31080 publish b+b, 31180 failed refused null',
  },
  {
    title: 'emits unchanged if the live state comes back unnotified after another state was refused (D6, D8)',
    world: {
      folder: folderStates([0, SCAN_A], [T, SCAN_B], [10_000, SCAN_A]),
      notified: [T],
      watcherFailsAt: 1_000,
      fault: failingWith(T, Infinity, 'refused'),
    },
    during: [2_600, 60_000],
    did: '2600 failed refused null, 10540 unchanged',
  },
  {
    title: 'asks the server after a restart before it reports the folder as live (D3, D4)',
    world: {
      folder: folderStates([0, 'gone'], [T, SCAN_A]),
      notified: [],
      watcherFailsAt: 100,
      live: LIVE_A,
      found: 'a+a',
    },
    during: [0, 20_000],
    did: '100 polling, 510 missing gone, 3010 publish a+a, 3110 unchanged',
  },
  {
    title: 'retries after a day if the server asks for a pause of weeks (D6)',
    world: {
      folder: [[0, SCAN_A]],
      fault: (at) => (at < T ? ['unavailable', { retryAfterSeconds: 3_000_000 }] : null),
    },
    during: [0, 90_000_000],
    did: '510 publish a+a, 610 failed unavailable 86400000, 86400870 publish a+a, 86400970 published a+a',
  },
];

describe('a watch', () => {
  it.each(CASES)('has only the expected effects: it $title', ({ world, during: [from, to] = [0, 10_000], did }) => {
    const withScans = did.includes('scan');
    const log = simulate(world, to).filter((entry) => entry.at >= from && (withScans || entry.did !== 'scan'));
    expect(log.map((entry) => `${entry.at} ${entry.did}`)).toEqual(did.split(', '));
  });
});
