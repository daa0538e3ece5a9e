import { setTimeout as sleep } from 'node:timers/promises';
import { formOf, OWNER_KEY } from '@berth/testing/requests';
import { createHttp, type Http, type HttpResponse } from '../clients/http.ts';
import { pick } from '../clients/oracle.ts';
import { FRESH_MS } from '../clients/visit.ts';
import { signal } from '../world/processes.ts';
import type { World } from '../world/world.ts';
import type { Disturbance } from './disturbance.ts';

const RECOVERY_SECONDS = 30;
const MAX_STOP_MS = 5_000;
/** Connections are distributed at random, so that about half of these wait for the stopped worker. */
const VISITS = 24;
const RECONNECT_MS = 2_500;
const ATTEMPT_MS = 1_500;

/**
 * Stops a worker, deletes sites that the worker has in memory, and continues the worker. Visits of one site wait for the worker
 * while it is stopped; the other site is visited only after the worker has its connections again. Neither may be served, because
 * both were deleted long before.
 */
const stopWorker: Disturbance = {
  kind: 'stop-worker',
  weight: 2,
  recoverySeconds: RECOVERY_SECONDS,
  impossible: ({ service }) => (service.workers > 1 ? null : 'there is one process only'),
  async run({ service, random, violations, records }) {
    const http = createHttp(service.port);
    const visits = (site: string) =>
      Array.from({ length: VISITS }, () => http({ host: `${site}.localhost`, path: '/' }));
    const requireGone = async (site: string, responses: Promise<HttpResponse>[], when: string) => {
      const outcomes = await Promise.allSettled(responses);
      const isShown = outcomes.some((outcome) => outcome.status === 'fulfilled' && outcome.value.status === 200);
      violations.require(
        !isShown,
        'gone',
        () => `${site} was deleted while a worker was stopped, and is served ${when}`,
      );
    };
    const [visited, quiet] = [await publishProbe(http), await publishProbe(http)];
    for (const site of [visited, quiet, visited, quiet]) await Promise.allSettled(visits(site));
    const worker = pick(random, service.processes('worker'))!;
    signal(worker.pid, 'SIGSTOP');
    try {
      // A network that fails while the worker is stopped also loses the notification of the change.
      const isCut = random() < 0.5;
      if (isCut) await records.query(END_SESSIONS).catch(() => null);
      await deleteProbe(http, visited);
      await deleteProbe(http, quiet);
      await sleep(FRESH_MS);
      const waiting = visits(visited);
      await sleep(300);
      signal(worker.pid, 'SIGCONT');
      await requireGone(visited, waiting, 'when it continues');
      await sleep(RECONNECT_MS);
      await requireGone(quiet, visits(quiet), 'after it has its connections again');
      return { detail: isCut ? 'and ended its sessions' : '', since: performance.now() };
    } finally {
      signal(worker.pid, 'SIGCONT');
    }
  },
};

const END_SESSIONS = `select pg_terminate_backend(pid) from pg_stat_activity
  where backend_type = 'client backend' and pid <> pg_backend_pid()`;

async function publishProbe(http: Http): Promise<string> {
  const { contentType, body } = formOf({ 'index.html': `probe ${Math.random()}` }, { labels: '["probe"]' });
  const headers = { 'Content-Type': contentType };
  for (;;) {
    const request = { host: 'localhost', key: OWNER_KEY, method: 'POST', path: '/deployments', headers, body };
    const response = await http(request).catch(() => null);
    if (response?.status === 201) return response.json<{ deployment: string }>().deployment;
    await sleep(50);
  }
}

/** Deletes a site. Attempts that wait for the stopped worker are given up. */
async function deleteProbe(http: Http, site: string): Promise<void> {
  for (;;) {
    const request = {
      host: 'localhost',
      key: OWNER_KEY,
      method: 'DELETE',
      path: `/deployments/${site}`,
      timeoutMs: ATTEMPT_MS,
    };
    const response = await http(request).catch(() => null);
    if (response?.status === 202 || response?.status === 404) return;
    await sleep(20);
  }
}

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
  async run(world) {
    const ms = stopMs(world);
    await stopFor(
      world.service.processes('server').map(({ pid }) => pid),
      ms,
    );
    return { detail: `for ${ms} ms`, since: performance.now() };
  },
};

const stopDatabase: Disturbance = {
  kind: 'stop-database',
  weight: 1,
  recoverySeconds: RECOVERY_SECONDS,
  impossible: ({ service }) => (service.embedded ? null : 'the database is external'),
  async run(world) {
    const ms = stopMs(world);
    await stopFor(
      world.service.processes('database', 'database session').map(({ pid }) => pid),
      ms,
    );
    return { detail: `for ${ms} ms`, since: performance.now() };
  },
};

export const STOPS = [stopWorker, stopServer, stopDatabase];
