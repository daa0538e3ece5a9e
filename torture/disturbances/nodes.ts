import { setTimeout as sleep } from 'node:timers/promises';
import { createHttp, type Http } from '../clients/http.ts';
import { pick } from '../clients/oracle.ts';
import { signal } from '../world/processes.ts';
import type { World } from '../world/world.ts';
import { type Disturbance, needsDatabase } from './disturbance.ts';
import { deleteWhileStopped, publishProbe } from './stopped-processes.ts';

const START_SECONDS = 60;
const START_ATTEMPTS = 10;
/** Another node asks for the lease every 5 s. */
const TAKEN_SECONDS = 45;
const CHECK_MS = 100;
const CHECK_TIMEOUT_MS = 1_000;
const MAX_WAIT_MS = 5_000;

const needsNodes = ({ settings }: World) => (settings.nodes > 1 ? null : 'there is one node only');

/** Restarts one node after the other, while a visitor behind a balancer visits a site without a pause. */
const rollingRestart: Disturbance = {
  kind: 'rolling-restart',
  weight: 2,
  recoverySeconds: START_SECONDS,
  impossible: needsNodes,
  async run(world) {
    const { nodes, violations, random } = world;
    const site = await publishProbe(createHttp(nodes[0]!.service.port));
    const balancer = startBalancer(world);
    let visits = 0;
    let isOver = false;
    const visiting = (async () => {
      while (!isOver) {
        const http = pick(random, await balancer.whenReady());
        visits += 1;
        const outcome = await http?.({ host: `${site}.localhost`, path: '/' }).then(
          ({ status }) => String(status),
          (error: Error) => error.message,
        );
        violations.require(
          outcome === '200',
          'available',
          () => `visit ${visits} of a rolling restart: ${outcome ?? 'no node was ready'}`,
        );
        await sleep(5);
      }
    })();
    try {
      for (const { service } of nodes) {
        await service.stop();
        await service.start();
        await balancer.waitFor(service.port);
      }
      return { detail: `${visits} visits`, since: performance.now() };
    } finally {
      isOver = true;
      await visiting;
      await balancer.stop();
    }
  },
};

/** Asks each node again and again whether it is ready, as a proxy does. */
function startBalancer({ nodes }: World) {
  const members = nodes.map(({ service: { port } }) => ({ port, http: createHttp(port), isReady: true }));
  let isOver = false;
  const checking = members.map(async (member) => {
    while (!isOver) {
      const request = { host: '127.0.0.1', path: '/readyz', timeoutMs: CHECK_TIMEOUT_MS };
      member.isReady = (await member.http(request).catch(() => null))?.status === 200;
      await sleep(CHECK_MS);
    }
  });
  return {
    /** Returns the nodes that are ready. Waits for one as long as a proxy does. */
    async whenReady(): Promise<Http[]> {
      for (const end = performance.now() + MAX_WAIT_MS; ; await sleep(CHECK_MS)) {
        const ready = members.filter(({ isReady }) => isReady).map(({ http }) => http);
        if (ready.length > 0 || performance.now() > end) return ready;
      }
    },
    async waitFor(port: number) {
      while (!members.some((member) => member.port === port && member.isReady)) await sleep(CHECK_MS);
    },
    async stop() {
      isOver = true;
      await Promise.all(checking);
    },
  };
}

/** Stops all processes of a node, deletes sites by another node, and continues the node. */
const stopNode: Disturbance = {
  kind: 'stop-node',
  weight: 2,
  recoverySeconds: START_SECONDS,
  impossible: needsNodes,
  async run(world, node) {
    const other = world.nodes.find((one) => one !== node)!;
    const pids = node.service.processes('server', 'worker').map(({ pid }) => pid);
    const [visitor, editor] = [createHttp(node.service.port), createHttp(other.service.port)];
    return deleteWhileStopped(world, { pids, visitor, editor });
  },
};

/** Kills one node after the other, and starts each again only when another node has the lease for the periodic jobs. */
const loseNode: Disturbance = {
  kind: 'lose-node',
  weight: 1,
  recoverySeconds: START_SECONDS,
  impossible: needsNodes,
  async run(world) {
    const seconds: number[] = [];
    // Any node may have the lease, so each is lost.
    for (const { service } of world.nodes) {
      await service.killAll();
      seconds.push(await waitForLease(world));
      await service.start();
    }
    return { detail: `for ${seconds.map((one) => one.toFixed(1)).join(' and ')} s`, since: performance.now() };
  },
};

/** Waits until a node that was not just killed has the lease for the periodic jobs. @returns Seconds. */
async function waitForLease({ records, violations }: World): Promise<number> {
  const killedAt = performance.now();
  const seconds = () => (performance.now() - killedAt) / 1_000;
  // A killed process has the lease for at most 15 s more.
  const [row] = await records.query<{ end: Date }>(`select now() + interval '16 seconds' as end`);
  const isTaken = async () =>
    (await records.query(`select from lease where name = 'jobs' and until > $1`, [row!.end])).length > 0;
  while (!(await isTaken()) && seconds() < TAKEN_SECONDS) await sleep(CHECK_MS);
  violations.require(
    seconds() < TAKEN_SECONDS,
    'jobs',
    () => `no other node has the lease ${TAKEN_SECONDS} s after a node was killed`,
  );
  return seconds();
}

/** Kills all nodes and the database at the same moment. */
const killCluster: Disturbance = {
  kind: 'kill-cluster',
  weight: 1,
  recoverySeconds: START_SECONDS,
  killsDatabase: true,
  impossible: (world) => needsNodes(world) ?? needsDatabase(world),
  async run({ databaseProcesses, nodes }) {
    for (const { pid } of databaseProcesses!('database')) signal(pid, 'SIGKILL');
    await Promise.all(nodes.map(({ service }) => service.killAll()));
    const since = performance.now();
    for (const { service } of nodes) await startWhenReachable(service);
    return { detail: '', since };
  },
};

/** Starts a server as a process manager does, which repeats the start while the database is not reachable yet. */
async function startWhenReachable(service: World['nodes'][number]['service']): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await service.start();
      return;
    } catch (error) {
      if (attempt === START_ATTEMPTS) throw error;
      await sleep(1_000);
    }
  }
}

export const NODES = [rollingRestart, stopNode, loseNode, killCluster];
