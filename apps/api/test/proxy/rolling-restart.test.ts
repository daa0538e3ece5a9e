import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTestDatabase, type TestDatabase } from '@berth/testing/database';
import { freePorts } from '@berth/testing/free-ports';
import { launchProcess, launchProgram, type LaunchedProcess, whenUp } from '@berth/testing/process';
import { createTestClient, type HttpResponse } from '@berth/testing/requests';
import { testEnvironment } from '@berth/testing/server';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasCaddy } from './caddy.ts';

const VISITORS = 4;
/** A deploy is repeated as often as the command line repeats it. */
const MAX_TRIES = 5;

let folder: string;
let database: TestDatabase;
let proxyPort: number;
let ports: number[];
const launched: LaunchedProcess[] = [];

/** Starts a node on a fixed port, which all nodes use after a restart. */
async function startNode(port: number) {
  const env = testEnvironment(database, join(folder, 'data'), {
    PORT: String(port),
    BASE_URL: `http://localhost:${proxyPort}`,
    PLATFORM_DOMAIN: `localhost:${proxyPort}`,
    SECRET_KEY: 'ab'.repeat(32),
    TRUST_PROXY: '127.0.0.1',
    DRAIN_SECONDS: '2',
  });
  const node = launchProcess(env);
  launched.push(node);
  await whenUp(node);
  return node;
}

/** Starts Caddy, which sends requests to the nodes that are ready. */
async function startBalancer(): Promise<void> {
  const file = join(folder, 'Caddyfile');
  const upstreams = ports.map((port) => `127.0.0.1:${port}`).join(' ');
  await writeFile(
    file,
    `{
  admin off
  auto_https off
}
http://:${proxyPort} {
  reverse_proxy ${upstreams} {
    health_uri /readyz
    health_interval 200ms
    health_timeout 1s
    lb_policy round_robin
    lb_try_duration 5s
    flush_interval -1
    transport http {
      keepalive 60s
    }
  }
}
`,
  );
  const caddy = launchProgram('caddy', ['run', '--config', file, '--adapter', 'caddyfile'], {
    HOME: folder,
    XDG_DATA_HOME: folder,
    XDG_CONFIG_HOME: folder,
  });
  launched.push(caddy);
  await caddy.printed('serving initial configuration');
}

describe.skipIf(!hasCaddy && process.env['CI'] === undefined)('api §14: a restart of one node after the other', () => {
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'berth-rolling-'));
    database = await createTestDatabase();
    [proxyPort = 0, ...ports] = await freePorts(3);
    await startBalancer();
  });
  afterAll(async () => {
    for (const { child } of launched) child.kill('SIGKILL');
    await Promise.all(launched.map(({ exited }) => exited));
    await database.drop();
    await rm(folder, { recursive: true });
  });

  it('fails no visit, and no deploy that the client repeats', async () => {
    const nodes = [await startNode(ports[0]!), await startNode(ports[1]!)];
    const client = createTestClient(proxyPort);
    await expect.poll(() => client.api('/account').then(({ status }) => status)).toBe(200);
    const { deployment } = await client.publish({ 'index.html': 'always here' });

    let isOver = false;
    const failed: string[] = [];
    let visits = 0;
    const visiting = Array.from({ length: VISITORS }, async () => {
      while (!isOver) {
        const outcome = await client.visit(deployment).then(
          ({ status, text }) => `${status} ${text}`,
          (error: Error) => error.message,
        );
        visits += 1;
        if (outcome !== '200 always here') failed.push(outcome);
      }
    });
    const published: HttpResponse[] = [];
    const publishing = (async () => {
      while (!isOver) published.push(await deployWithRetries(client, `deploy ${published.length}`));
    })();

    for (const index of [0, 1]) {
      nodes[index]!.child.kill('SIGTERM');
      expect(await nodes[index]!.exited).toBe(0);
      nodes[index] = await startNode(ports[index]!);
      const before = visits;
      await expect.poll(() => visits).toBeGreaterThan(before + 50);
    }
    isOver = true;
    await Promise.all([...visiting, publishing]);
    expect(failed).toEqual([]);
    expect(visits).toBeGreaterThan(200);
    expect(published.map(({ status }) => status)).toEqual(published.map(() => 201));
    expect(published.length).toBeGreaterThan(5);
  });
});

/** Publishes as the command line does: with an Idempotency-Key, again after an error of the server or the connection. */
async function deployWithRetries(client: ReturnType<typeof createTestClient>, text: string): Promise<HttpResponse> {
  const headers = { 'Idempotency-Key': randomUUID() };
  for (let attempt = 1; ; attempt += 1) {
    const response = await client.deploy({ 'index.html': text }, { headers }).catch((error: unknown) => {
      if (attempt === MAX_TRIES) throw error;
      return null;
    });
    if (response && (response.status < 500 || attempt === MAX_TRIES)) return response;
  }
}
