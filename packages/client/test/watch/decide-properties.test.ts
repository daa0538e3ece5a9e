import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Entry, type SimulatedFolder, type Folder, folderAt, simulate } from './simulated-folder.ts';

/** The maximum time between two writes of a build, which is shorter than the time between two scans. */
const WRITE_GAP_MS = 240;
/** The time at which all changes and outages have ended. */
const FAULTS_END_MS = 40_000;
/** The end of a simulation. It leaves time for the longest pause after the last outage. */
const END_MS = FAULTS_END_MS + 2 * 5 * 60_000;

/** Generates a build that optionally deletes the folder, and then writes one file after the other. */
const build = fc.record({
  after: fc.integer({ min: 0, max: 3_000 }),
  deletes: fc.constantFrom<'no' | 'gone' | 'empty'>('no', 'gone', 'empty'),
  deletedMs: fc.integer({ min: 1, max: WRITE_GAP_MS }),
  writesMs: fc.integer({ min: 1, max: WRITE_GAP_MS }),
});

/** Generates a sequence of builds with different contents. */
const builds = fc.array(build, { minLength: 1, maxLength: 12 }).map((all) => {
  const folder: [number, Folder][] = [[0, ['0', '0']]];
  let at = 0;
  let lastBuild = '0';
  for (const [i, { after, deletes, deletedMs, writesMs }] of all.entries()) {
    const name = String(i + 1);
    at += after + 1;
    if (deletes !== 'no') {
      folder.push([at, deletes]);
      at += deletedMs;
    }
    folder.push([at, [name, lastBuild]]);
    at += writesMs;
    folder.push([at, [name, name]]);
    lastBuild = name;
  }
  return folder;
});

/** Generates the periods in which the server cannot be reached. */
const outages = fc.array(
  fc.record({ from: fc.integer({ min: 0, max: FAULTS_END_MS }), ms: fc.integer({ min: 1, max: 10_000 }) }),
  { maxLength: 3 },
);

const world = fc
  .record({
    folder: builds,
    scanMs: fc.integer({ min: 1, max: 400 }),
    publishMs: fc.integer({ min: 1, max: 5_000 }),
    outages,
    kind: fc.constantFrom('network' as const, 'unavailable' as const, 'server' as const),
    /** Generates the times at which changes are notified. Some changes are not notified. */
    notifications: fc.array(fc.record({ isSent: fc.boolean(), delayMs: fc.integer({ min: 0, max: 100 }) }), {
      minLength: 40,
      maxLength: 40,
    }),
  })
  .map(({ outages, kind, notifications, ...world }): SimulatedFolder => {
    const notifiedAt = world.folder
      .slice(1)
      .flatMap(([at], i) =>
        notifications[i % notifications.length]!.isSent ? [at + notifications[i % notifications.length]!.delayMs] : [],
      )
      .toSorted((a, b) => a - b);
    const isAway = (at: number) => outages.some(({ from, ms }) => at >= from && at < from + ms);
    return { ...world, notified: notifiedAt, fault: (at) => (at < FAULTS_END_MS && isAway(at) ? [kind] : null) };
  });

const published = (log: readonly Entry[]) =>
  log.filter(({ did }) => did.startsWith('publish ')).map(({ at, did }) => ({ at, id: did.slice('publish '.length) }));

describe('for any builds and notifications, a watch', () => {
  it('publishes nothing empty, missing or half written (D3, D5)', () => {
    fc.assert(
      fc.property(world, (world) => {
        const wholeBuilds = new Set(
          world.folder.flatMap(([, it]) => (typeof it !== 'string' && it[0] === it[1] ? it.join('+') : [])),
        );
        for (const { id } of published(simulate(world, END_MS))) expect(wholeBuilds).toContain(id);
      }),
    );
  });

  it('publishes only states that the folder had during the last two scans (D2)', () => {
    fc.assert(
      fc.property(world, (world) => {
        for (const { at, id } of published(simulate(world, END_MS))) {
          const longAgo = at - 2 * world.scanMs! - 250;
          const recentChanges = world.folder.filter(
            ([since], i) => since <= at && (world.folder[i + 1]?.[0] ?? at) >= longAgo,
          );
          expect(recentChanges.map(([, it]) => (typeof it === 'string' ? it : it.join('+')))).toContain(id);
        }
      }),
    );
  });

  it('eventually publishes the last state of the folder (D6, D7)', () => {
    fc.assert(
      fc.property(world, (world) => {
        const lastPublish = simulate(world, END_MS).findLast(({ did }) => did.startsWith('published '));
        const [first, second] = folderAt(world, END_MS);
        expect(lastPublish?.did).toBe(`published ${first}+${second}`);
      }),
    );
  });

  it('emits a result after the last change, also if the folder is missing in the end (D3, D7)', () => {
    const end = fc.record({
      missing: fc.constantFrom<'gone' | 'empty' | null>('gone', 'empty', null),
      notifiedAfterMs: fc.array(fc.integer({ min: 0, max: 30_000 }), { maxLength: 3 }),
    });
    fc.assert(
      fc.property(world, end, (world, { missing, notifiedAfterMs }) => {
        const lastChangeAt = world.folder.at(-1)![0] + 1;
        const folder = missing === null ? world.folder : [...world.folder, [lastChangeAt, missing] as const];
        const notified = [...world.notified!, ...notifiedAfterMs.map((ms) => lastChangeAt + ms)].toSorted(
          (a, b) => a - b,
        );
        const events = simulate({ ...world, folder, notified }, END_MS).filter(({ did }) => did !== 'scan');
        expect(events.at(-1)!.did).toMatch(missing === null ? /^(?:published |unchanged)/ : `missing ${missing}`);
      }),
    );
  });

  it('runs one scan or deploy at a time, and never deploys a state that is live (D4, D6)', () => {
    fc.assert(
      fc.property(world, (world) => {
        let liveBuild = '';
        let busyUntil = 0;
        for (const { at, did } of simulate(world, END_MS)) {
          if (did === 'scan' || did.startsWith('publish ')) {
            expect(at).toBeGreaterThanOrEqual(busyUntil);
            busyUntil = at + (did === 'scan' ? world.scanMs! : world.publishMs!);
          }
          if (did.startsWith('publish ')) expect(did.slice('publish '.length)).not.toBe(liveBuild);
          if (did.startsWith('published ')) liveBuild = did.slice('published '.length);
        }
      }),
    );
  });
});
