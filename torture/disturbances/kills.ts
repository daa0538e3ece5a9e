import { setTimeout as sleep } from 'node:timers/promises';
import { FAILPOINTS } from '@berth/testing/internals';
import { pick } from '../clients/oracle.ts';
import { signal } from '../world/processes.ts';
import type { Service } from '../world/service.ts';
import { type Disturbance, needsDatabase, needsWorkers } from './disturbance.ts';

const START_SECONDS = 60;
const DATABASE_SECONDS = 15;
const STEP_MS = 3_000;

/** Starts the server again. Its recovery begins with the start. */
async function startAgain(service: Service): ReturnType<Disturbance['run']> {
  const since = performance.now();
  const seconds = await service.start();
  return { detail: `started again in ${seconds.toFixed(1)} s`, since };
}

/** Kills the first process, and starts the server again as a process manager does. */
const killServer: Disturbance = {
  kind: 'kill-server',
  weight: 2,
  recoverySeconds: START_SECONDS,
  async run(_world, { service }) {
    const [server] = service.processes('server');
    signal(server!.pid, 'SIGKILL');
    await service.ended();
    return startAgain(service);
  },
};

/** Kills every process at the same moment, as a power cut does for everything but the disk. */
const killEverything: Disturbance = {
  kind: 'kill-everything',
  weight: 2,
  recoverySeconds: START_SECONDS,
  async run(_world, { service }) {
    await service.killAll();
    return startAgain(service);
  },
};

/** Stops the server as an operator does, and starts it again. */
const restart: Disturbance = {
  kind: 'restart',
  weight: 1,
  recoverySeconds: START_SECONDS,
  async run(_world, { service }) {
    await service.stop();
    return startAgain(service);
  },
};

const killWorker: Disturbance = {
  kind: 'kill-worker',
  weight: 2,
  recoverySeconds: START_SECONDS,
  impossible: needsWorkers,
  async run({ random }, { service }) {
    signal(pick(random, service.processes('worker'))!.pid, 'SIGKILL');
    return { detail: '', since: performance.now() };
  },
};

const killAllWorkers: Disturbance = {
  kind: 'kill-workers',
  weight: 1,
  recoverySeconds: START_SECONDS,
  impossible: needsWorkers,
  async run(_world, { service }) {
    for (const { pid } of service.processes('worker')) signal(pid, 'SIGKILL');
    return { detail: 'all', since: performance.now() };
  },
};

const killDatabase: Disturbance = {
  kind: 'kill-database',
  weight: 10,
  recoverySeconds: DATABASE_SECONDS,
  killsDatabase: true,
  impossible: needsDatabase,
  async run({ databaseProcesses }) {
    for (const { pid } of databaseProcesses!('database')) signal(pid, 'SIGKILL');
    return { detail: '', since: performance.now() };
  },
};

/** Kills the database while one of its sessions is stopped, which keeps the shared memory in use. */
const killDatabaseWithStoppedSession: Disturbance = {
  kind: 'kill-database-stopped-session',
  weight: 1,
  recoverySeconds: DATABASE_SECONDS,
  killsDatabase: true,
  impossible: needsDatabase,
  async run({ databaseProcesses, random }) {
    const session = pick(random, databaseProcesses!('database session'));
    if (session) signal(session.pid, 'SIGSTOP');
    await sleep(50);
    for (const { pid } of databaseProcesses!('database')) signal(pid, 'SIGKILL');
    return { detail: '', since: performance.now() };
  },
};

/** Kills the process of one session. PostgreSQL then ends all sessions and recovers. */
const killSession: Disturbance = {
  kind: 'kill-database-session',
  weight: 1,
  recoverySeconds: DATABASE_SECONDS,
  killsDatabase: true,
  impossible: needsDatabase,
  async run({ databaseProcesses, random }) {
    const session = pick(random, databaseProcesses!('database session'));
    if (session) signal(session.pid, 'SIGKILL');
    return { detail: '', since: performance.now() };
  },
};

/** Ends all sessions of the service, as a failing network does. */
const endSessions: Disturbance = {
  kind: 'end-database-sessions',
  weight: 1,
  recoverySeconds: DATABASE_SECONDS,
  async run({ records }) {
    const ended = await records.query(
      `select pg_terminate_backend(pid) from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid()`,
    );
    return { detail: `${ended.length} sessions`, since: performance.now() };
  },
};

/**
 * Lets every process kill itself at one step of its work, and then starts the server as usual. Of several steps, one is chosen,
 * and the processes die when they come to it for the first, second or third time.
 */
export const killAtStep = (steps: readonly string[]): Disturbance => ({
  kind: 'kill-at-step',
  weight: 3,
  recoverySeconds: START_SECONDS,
  async run({ random }, { service }) {
    const chosen = pick(random, steps)!;
    const step = steps.length === 1 ? chosen : `${chosen}:${1 + Math.floor(random() * 3)}`;
    await service.stop();
    // The first sweep can already kill the server.
    await service.start({ FAILPOINT: step }).catch(() => null);
    await sleep(STEP_MS);
    for (const { pid } of service.processes('server', 'worker')) signal(pid, 'SIGKILL');
    await service.ended();
    const since = performance.now();
    await service.start();
    return { detail: step, since };
  },
});

/** Kills the sweep of an operator at a random moment. */
const killSweep: Disturbance = {
  kind: 'kill-sweep',
  weight: 1,
  recoverySeconds: DATABASE_SECONDS,
  async run({ random }, { service }) {
    const delayMs = 300 + Math.floor(random() * 1_500);
    const sweeping = service.operate(['sweep'], {}, delayMs);
    const { code } = await sweeping;
    return { detail: code === 0 ? 'it had ended' : `after ${delayMs} ms`, since: performance.now() };
  },
};

export const KILLS = [
  killServer,
  killEverything,
  restart,
  killWorker,
  killAllWorkers,
  killDatabase,
  killDatabaseWithStoppedSession,
  killSession,
  endSessions,
  killAtStep(FAILPOINTS),
  killSweep,
];
