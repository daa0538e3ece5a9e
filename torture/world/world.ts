import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Core, type DatabaseAddress, openDatabase } from '@berth/core';
import { createAccount, insertApiKey } from '@berth/testing/internals';
import { formOf, OWNER_KEY } from '@berth/testing/requests';
import { createRandom } from '@berth/testing/random';
import { balance, createHttp } from '../clients/http.ts';
import { type Client, newClient, newTally } from '../clients/oracle.ts';
import type { Wire } from '../clients/exchange.ts';
import type { Town } from '../clients/steps.ts';
import type { Settings } from '../settings.ts';
import { type Violation, Violations } from '../violations.ts';
import { createRecords, type Records } from './database.ts';
import { type DatabaseServer, startDatabaseServer } from './database-server.ts';
import { createNode, type Node } from './node.ts';
import { type ObjectStore, startObjectStore } from './object-store.ts';
import type { ServiceProcess } from './processes.ts';

/** Everything of one run: the nodes, what they share, the clients, and what is known about them. */
export interface World {
  settings: Settings;
  nodes: readonly Node[];
  records: Records;
  /** Lists processes of the database; `null` for a database that the run does not start. */
  databaseProcesses: ((...kinds: ServiceProcess['kind'][]) => ServiceProcess[]) | null;
  /** `null` for packs on the disk. */
  store: ObjectStore | null;
  violations: Violations;
  /** The clients, whose requests pass the proxies. */
  town: Town;
  /** The same clients, with requests that go directly to the nodes. */
  direct: Town;
  /** An account on the plan with the smallest caps, for floods. */
  small: { key: string; account: string };
  random: () => number;
  end(): void;
  close(): Promise<void>;
}

const CLIENTS = 6;
/** The exit code of a program that ends at Ctrl-C. */
const INTERRUPTED = 130;
const PLAN = 'team';
const SMALL_PLAN = 'free';
/** How long a node of several accepts requests after it was asked to stop, so that the others can take over. */
const DRAIN_SECONDS = 3;

export async function createWorld(settings: Settings, onViolation: (violation: Violation) => void): Promise<World> {
  const folder = mkdtempSync(join(tmpdir(), 'berth-torture-'));
  const end = new AbortController();
  const resources = new AsyncDisposableStack();
  resources.defer(() => rmSync(folder, { recursive: true, force: true, maxRetries: 20 }));
  const close = async () => {
    end.abort();
    await resources.disposeAsync();
  };
  const interrupt = () => void close().finally(() => process.exit(INTERRUPTED));
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, interrupt);
  try {
    const store = settings.storage === 's3' ? await startObjectStore() : null;
    if (store) resources.defer(() => store.close());
    // The embedded database of a server serves that server alone.
    const isShared = settings.databaseUrl === null && (settings.nodes > 1 || store !== null);
    const database = isShared ? await startDatabaseServer(folder) : null;
    if (database) resources.defer(() => database.stop());
    const nodes = await startNodes(settings, folder, { database, store, resources });
    const [{ service }] = nodes as [Node];
    const address: DatabaseAddress =
      settings.databaseUrl === null
        ? (database?.address ?? { socketDir: join(service.dataDir, 'postgres'), user: 'berth', database: 'berth' })
        : { url: settings.databaseUrl };
    const [small, ...accounts] = await createAccounts(address, [SMALL_PLAN, ...Array<string>(CLIENTS).fill(PLAN)]);
    const clients = accounts.map(({ account, key }, i) =>
      newClient(`c${i + 1}`, account, key, createRandom(settings.seed * 31 + i)),
    );
    const violations = new Violations(onViolation);
    const tally = newTally();
    const townOf = (ports: readonly number[]): Town => {
      const each = ports.map((port) => createHttp(port));
      const wire: Wire = { http: balance(each), nodes: each, violations, tally, ended: end.signal };
      return { wire, clients, nowSeconds: () => Date.now() / 1_000 };
    };
    return {
      settings,
      nodes,
      records: createRecords(address),
      databaseProcesses: settings.databaseUrl === null ? (database ?? service).processes : null,
      store,
      violations,
      town: townOf(nodes.map(({ proxy }) => proxy.port)),
      direct: townOf(nodes.map((node) => node.service.port)),
      small: small!,
      random: createRandom(settings.seed),
      end: () => end.abort(),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

interface Shared {
  database: DatabaseServer | null;
  store: ObjectStore | null;
  resources: AsyncDisposableStack;
}

async function startNodes(
  { nodes: count, workers, databaseUrl }: Settings,
  folder: string,
  { database, store, resources }: Shared,
): Promise<Node[]> {
  // The responses of all nodes contain the same addresses, as behind a proxy.
  const shared = { PLATFORM_DOMAIN: 'localhost', BASE_URL: 'http://localhost' };
  const env = {
    ...(count > 1 && { ...shared, DRAIN_SECONDS: String(DRAIN_SECONDS) }),
    ...(databaseUrl !== null && { DATABASE_URL: databaseUrl }),
    ...(store && { ...store.env, SECRET_KEY: 'ab'.repeat(32) }),
  };
  const nodes: Node[] = [];
  for (let n = 1; n <= count; n += 1) {
    const node = await createNode({ folder: join(folder, `node-${n}`), workers, database, env });
    resources.defer(() => node.close());
    await node.service.start();
    nodes.push(node);
  }
  return nodes;
}

async function createAccounts(
  address: DatabaseAddress,
  plans: readonly string[],
): Promise<Pick<Client, 'account' | 'key'>[]> {
  const database = openDatabase(address);
  try {
    return await database.transaction(async (em) =>
      plans.map((plan) => {
        const core = { now: () => new Date() } as Core;
        const account = createAccount(em, core, { email: `${crypto.randomUUID()}@torture.test`, plan });
        return { account, key: insertApiKey(em, core, account) };
      }),
    );
  } finally {
    await database.close();
  }
}

const PROBE_PAUSE_MS = 25;
const PROBE_TIMEOUT_MS = 5_000;
let probes = 0;

/**
 * Waits until all workers of all nodes run, and each node acknowledges a deploy.
 *
 * @param since As of `performance.now()`.
 * @returns Seconds since then; `null` after the limit.
 */
export async function waitUntilRecovered(
  { nodes }: Pick<World, 'nodes'>,
  since: number,
  limitSeconds: number,
): Promise<number | null> {
  const recovered = await Promise.all(nodes.map((node) => waitForNode(node, since, limitSeconds)));
  return recovered.includes(null) ? null : Math.max(...recovered.map(Number));
}

async function waitForNode({ service }: Node, since: number, limitSeconds: number): Promise<number | null> {
  const http = createHttp(service.port);
  const limited = { host: 'localhost', key: OWNER_KEY, timeoutMs: PROBE_TIMEOUT_MS };
  for (;;) {
    const seconds = (performance.now() - since) / 1_000;
    if (seconds > limitSeconds) return null;
    probes += 1;
    const { contentType, body } = formOf({ 'index.html': `probe ${probes}` }, { labels: '["probe"]' });
    const headers = { 'Content-Type': contentType };
    const response = await http({ ...limited, method: 'POST', path: '/deployments', headers, body }).catch(() => null);
    if (response?.status === 201) {
      const { deployment } = response.json<{ deployment: string }>();
      const recovered = (performance.now() - since) / 1_000;
      await http({ ...limited, method: 'DELETE', path: `/deployments/${deployment}` }).catch(() => null);
      if (service.workers === 1 || service.processes('worker').length >= service.workers) return recovered;
    }
    await sleep(PROBE_PAUSE_MS);
  }
}
