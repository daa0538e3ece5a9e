import { loadavg } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { checkPacks, checkRecords } from './checks/records.ts';
import { checkServed } from './checks/served.ts';
import { JobsCheck } from './checks/jobs.ts';
import { checkDoctor, ResourceCheck, runSweep } from './checks/service.ts';
import { reassert } from './clients/change.ts';
import { RunEnded, UnexpectedResponse } from './clients/exchange.ts';
import { pick, type Tally } from './clients/oracle.ts';
import { keepGoing, takeRareSteps } from './clients/steps.ts';
import { takeDownOne } from './clients/take-down.ts';
import type { Disturbance } from './disturbances/disturbance.ts';
import { planDisturbances, selectKinds } from './plan.ts';
import type { Settings } from './settings.ts';
import type { Violations } from './violations.ts';
import { StartFailed } from './world/service.ts';
import { waitUntilRecovered, createWorld, type World } from './world/world.ts';

/** How often a kind of disturbance ran, and how long the slowest recovery took. */
interface KindResult {
  kind: string;
  count: number;
  slowestSeconds: number;
}

/** The result of a run. */
export interface Result {
  settings: Settings;
  rounds: number;
  seconds: number;
  kinds: KindResult[];
  /** The kinds that could not run, and why. */
  leftOut: { kind: string; reason: string }[];
  databaseKills: number;
  /** Seconds until the service worked again after a kill of the database. */
  slowestDatabaseSeconds: number;
  doctorRuns: number;
  checks: number;
  tally: Tally;
  resources: ResourceCheck;
  jobs: JobsCheck;
  /** The highest load of the machine in one minute. */
  load: number;
  violations: Violations;
}

/** Receives a line after each round. */
export type Report = (line: string) => void;

const QUIET_LIMIT_MS = 60_000;
const TRAFFIC_MS = { before: 1_200, more: 1_300, after: 900 };
/** A database in use does not recover faster than this on a loaded machine, so a longer wait shows what is wrong. */
const GIVE_UP_FACTOR = 4;

/** Runs disturbances under traffic until the time or the number of rounds is reached, and checks every invariant after each. */
export async function run(settings: Settings, report: Report): Promise<Result> {
  const world = await createWorld(settings, ({ invariant, message }) => report(`BROKEN ${invariant}: ${message}`));
  const startedAt = performance.now();
  const kinds = selectKinds(settings.only);
  const result: Result = {
    settings,
    rounds: 0,
    seconds: 0,
    kinds: [],
    leftOut: kinds.flatMap(({ kind, impossible }) => {
      const reason = impossible?.(world) ?? null;
      return reason === null ? [] : [{ kind, reason }];
    }),
    databaseKills: 0,
    slowestDatabaseSeconds: 0,
    doctorRuns: 0,
    checks: 0,
    tally: world.town.wire.tally,
    resources: new ResourceCheck(world.nodes, world.violations),
    jobs: new JobsCheck(world.records, world.violations),
    load: 0,
    violations: world.violations,
  };
  try {
    const possible = kinds.filter(({ kind }) => !result.leftOut.some((one) => one.kind === kind));
    if (possible.length === 0)
      throw new Error(
        `None of these disturbances is possible here: ${result.leftOut.map(({ reason }) => reason).join('; ')}.`,
      );
    for (const disturbance of planDisturbances(possible, world.random)) {
      if (performance.now() - startedAt > settings.seconds * 1_000 || result.rounds >= settings.rounds) break;
      if (world.violations.any && settings.stopEarly) break;
      report(await runRound(world, result, disturbance));
    }
    if (!(world.violations.any && settings.stopEarly)) await finish(world, result);
  } finally {
    result.seconds = (performance.now() - startedAt) / 1_000;
    await world.close();
  }
  return result;
}

async function runRound(world: World, result: Result, disturbance: Disturbance): Promise<string> {
  const { nodes, town, random } = world;
  const acknowledgedBefore = result.tally.acknowledged;
  const stop = new AbortController();
  const traffic = Promise.all(town.clients.map((client) => keepGoing(town, client, stop.signal)));
  await Promise.race([traffic, sleep(TRAFFIC_MS.before + random() * TRAFFIC_MS.more)]);
  const disturbedAt = performance.now();
  const node = pick(random, nodes)!;
  const outcome = await disturbance.run(world, node).catch((error: unknown) => {
    if (!(error instanceof StartFailed)) throw error;
    world.violations.add('recovery', error.message);
    return { detail: error.message, since: disturbedAt };
  });
  const recovery = await recover(world, result, disturbance, outcome.since);
  await Promise.race([traffic, sleep(TRAFFIC_MS.after)]);
  stop.abort();
  if (recovery === null) world.end();
  await traffic;
  const checkStart = performance.now();
  if (recovery !== null) await check(world, result);
  result.rounds += 1;
  const [load = 0] = loadavg();
  result.load = Math.max(result.load, load);
  const cells = [
    String(result.rounds).padStart(4),
    disturbance.kind.padEnd(29),
    `${recovery === null ? 'never' : recovery.toFixed(2)} s`.padStart(8),
    `+${result.tally.acknowledged - acknowledgedBefore} deploys`.padStart(12),
    `check ${((performance.now() - checkStart) / 1_000).toFixed(1)} s`,
    `load ${load.toFixed(1)}`,
    outcome.detail,
  ];
  return cells.join('  ').trimEnd();
}

/** Waits until the service works again. @returns Seconds; `null` if it does not. */
async function recover(world: World, result: Result, disturbance: Disturbance, since: number): Promise<number | null> {
  const { kind, recoverySeconds, killsDatabase = false } = disturbance;
  const seconds = await waitUntilRecovered(world, since, recoverySeconds * GIVE_UP_FACTOR);
  world.violations.require(
    seconds !== null && seconds <= recoverySeconds,
    'recovery',
    () =>
      `${kind}: ${seconds === null ? `not after ${recoverySeconds * GIVE_UP_FACTOR} s` : `${seconds.toFixed(1)} s instead of ${recoverySeconds} s`}; the logs end: ${world.nodes.map(({ service }) => service.log().slice(-600)).join('\n')}`,
  );
  const known = result.kinds.find((one) => one.kind === kind);
  const entry = known ?? { kind, count: 0, slowestSeconds: 0 };
  if (!known) result.kinds.push(entry);
  entry.count += 1;
  entry.slowestSeconds = Math.max(entry.slowestSeconds, seconds ?? Infinity);
  if (killsDatabase) {
    result.databaseKills += 1;
    result.slowestDatabaseSeconds = Math.max(result.slowestDatabaseSeconds, seconds ?? Infinity);
  }
  return seconds;
}

/** Checks everything while no client changes anything. */
async function check(world: World, result: Result): Promise<void> {
  const { direct, nodes, records, town, violations, random } = world;
  const { service } = pick(random, nodes)!;
  try {
    await waitUntilQuiet(world);
    for (const client of town.clients) await reassert(direct.wire, client);
    await takeRareSteps(direct, direct.clients[0]!);
    await takeDownOne(world);
    const sweep = () => runSweep(service, violations);
    await sweep();
    await Promise.all([checkServed(direct), checkDoctor(service, violations)]);
    await checkRecords({ records, clients: town.clients, violations });
    await checkPacks(world, { open: true, sealed: false }, sweep);
    await result.resources.run();
    await result.jobs.run();
    for (const node of nodes) violations.require(node.service.isRunning(), 'recovery', () => 'a server has ended');
  } catch (error) {
    if (!(error instanceof UnexpectedResponse || error instanceof RunEnded)) throw error;
  }
  result.checks += 1;
  result.doctorRuns += 1;
}

/** Waits until the server executes no request that a client has given up. */
async function waitUntilQuiet({ records, violations }: World): Promise<void> {
  const deadline = performance.now() + QUIET_LIMIT_MS;
  for (let quiet = 0; quiet < 3;) {
    await sleep(100);
    quiet = (await records.busy().catch(() => 1)) === 0 ? quiet + 1 : 0;
    if (performance.now() > deadline) {
      violations.add('recovery', 'the database is still busy a minute after the last request');
      return;
    }
  }
}

/** Ends all processes, and checks that nothing is left over that only a running process may leave. */
async function finish(world: World, result: Result): Promise<void> {
  const { nodes, violations } = world;
  const services = nodes.map(({ service }) => service);
  const startAll = () => Promise.all(services.map((service) => service.start()));
  await result.resources.runLast();
  const since = performance.now();
  await Promise.all(services.map((service) => service.killAll()));
  for (const service of services) service.shiftClock(0);
  await startAll();
  await recover(
    world,
    result,
    { kind: 'last-restart', weight: 0, recoverySeconds: 60, run: () => Promise.reject(new Error()) },
    since,
  );
  await check(world, result);
  if (violations.any) return;
  await Promise.all(services.map((service) => service.stop()));
  await runSweep(services[0]!, violations, { BOOT_STALE: '0s' });
  await startAll();
  await checkPacks(world, { open: false, sealed: false }, () => runSweep(services[0]!, violations));
}
