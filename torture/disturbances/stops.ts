import { setTimeout as sleep } from 'node:timers/promises';
import { createHttp } from '../clients/http.ts';
import { pick } from '../clients/oracle.ts';
import { signal } from '../world/processes.ts';
import type { World } from '../world/world.ts';
import { type Disturbance, needsDatabase, needsWorkers } from './disturbance.ts';
import { deleteWhileStopped } from './stopped-processes.ts';

const RECOVERY_SECONDS = 30;
const MAX_STOP_MS = 5_000;

/** Stops a worker, and deletes sites that it has in memory. */
const stopWorker: Disturbance = {
  kind: 'stop-worker',
  weight: 2,
  recoverySeconds: RECOVERY_SECONDS,
  impossible: needsWorkers,
  async run(world, { service }) {
    const http = createHttp(service.port);
    const pids = [pick(world.random, service.processes('worker'))!.pid];
    return deleteWhileStopped(world, { pids, visitor: http, editor: http });
  },
};

async function stopFor(pids: readonly number[], ms: number): Promise<void> {
  for (const pid of pids) signal(pid, 'SIGSTOP');
  await sleep(ms);
  for (const pid of pids) signal(pid, 'SIGCONT');
}

const stopMs = ({ random }: World) => 500 + Math.floor(random() * MAX_STOP_MS);

const stopServer: Disturbance = {
  kind: 'stop-server',
  weight: 1,
  recoverySeconds: RECOVERY_SECONDS,
  async run(world, { service }) {
    const ms = stopMs(world);
    await stopFor(
      service.processes('server').map(({ pid }) => pid),
      ms,
    );
    return { detail: `for ${ms} ms`, since: performance.now() };
  },
};

const stopDatabase: Disturbance = {
  kind: 'stop-database',
  weight: 1,
  recoverySeconds: RECOVERY_SECONDS,
  impossible: needsDatabase,
  async run(world) {
    const ms = stopMs(world);
    await stopFor(
      world.databaseProcesses!('database', 'database session').map(({ pid }) => pid),
      ms,
    );
    return { detail: `for ${ms} ms`, since: performance.now() };
  },
};

export const STOPS = [stopWorker, stopServer, stopDatabase];
