import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Core, openDatabase } from '@berth/core';
import { createAccount, insertApiKey } from '@berth/testing/internals';
import { formOf, OWNER_KEY } from '@berth/testing/requests';
import { createRandom } from '@berth/testing/random';
import { createHttp } from '../clients/http.ts';
import { type Client, newClient, newTally } from '../clients/oracle.ts';
import type { Wire } from '../clients/exchange.ts';
import type { Town } from '../clients/steps.ts';
import type { Settings } from '../settings.ts';
import { type Violation, Violations } from '../violations.ts';
import { type ConnectionProxy, startConnectionProxy } from './connection-proxy.ts';
import { createRecords, type Records } from './database.ts';
import { createService, type Service } from './service.ts';
import { mountSmallDisk, type SmallDisk } from './small-disk.ts';

/** Everything of one run: the service, its disk, its clients, and what is known about them. */
export interface World {
  settings: Settings;
  service: Service;
  records: Records;
  proxy: ConnectionProxy;
  /** `null` without the privilege to mount one. */
  disk: SmallDisk | null;
  violations: Violations;
  /** The clients, whose requests pass the proxy. */
  town: Town;
  /** The same clients, with requests that go directly to the server. */
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

export async function createWorld(settings: Settings, onViolation: (violation: Violation) => void): Promise<World> {
  const folder = mkdtempSync(join(tmpdir(), 'berth-torture-'));
  const disk = mountSmallDisk(folder);
  const clockFile = join(mkdtempSync(join(tmpdir(), 'berth-clock-')), 'offset');
  const random = createRandom(settings.seed);
  const service = await createService(settings, { dataDir: folder, clockFile });
  const proxy = await startConnectionProxy(() => service.port);
  const end = new AbortController();
  const close = async () => {
    end.abort();
    await proxy.close();
    await service.killAll();
    disk?.unmount();
    rmSync(folder, { recursive: true, force: true, maxRetries: 20 });
    rmSync(join(clockFile, '..'), { recursive: true, force: true });
  };
  const interrupt = () => void close().finally(() => process.exit(INTERRUPTED));
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, interrupt);
  try {
    await service.start();
    const [small, ...accounts] = await createAccounts(service, settings, [
      SMALL_PLAN,
      ...Array<string>(CLIENTS).fill(PLAN),
    ]);
    const clients = accounts.map(({ account, key }, i) =>
      newClient(`c${i + 1}`, account, key, createRandom(settings.seed * 31 + i)),
    );
    const violations = new Violations(onViolation);
    const tally = newTally();
    const townOf = (port: number): Town => {
      const wire: Wire = { http: createHttp(port), violations, tally, ended: end.signal };
      return { wire, clients, nowSeconds: () => Date.now() / 1_000 };
    };
    return {
      settings,
      service,
      records: createRecords(folder, settings.databaseUrl),
      proxy,
      disk,
      violations,
      town: townOf(proxy.port),
      direct: townOf(service.port),
      small: small!,
      random,
      end: () => end.abort(),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

async function createAccounts(
  { dataDir }: Service,
  { databaseUrl }: Settings,
  plans: readonly string[],
): Promise<Pick<Client, 'account' | 'key'>[]> {
  const socketDir = join(dataDir, 'postgres');
  const database = openDatabase(
    databaseUrl === null ? { socketDir, user: 'berth', database: 'berth' } : { url: databaseUrl },
  );
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
 * Waits until all workers run and a deploy is acknowledged and served.
 *
 * @param since As of `performance.now()`.
 * @returns Seconds since then; `null` after the limit.
 */
export async function waitUntilRecovered(
  { service }: Pick<World, 'service'>,
  since: number,
  limitSeconds: number,
): Promise<number | null> {
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
