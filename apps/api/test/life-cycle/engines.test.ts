import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sweep, takeLease } from '@berth/core/jobs';
import { publishDelta } from '@berth/testing/delta';
import { OLDER_POSTGRES } from '@berth/testing/older-postgres';
import { createTestClient, type TestClient } from '@berth/testing/requests';
import { testEnvironment } from '@berth/testing/server';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Berth, startBerth } from '../../src/server.ts';

const DOMAIN = 'engine.localhost';
const silent = { info() {}, warn() {}, error() {} };

// The other tests run on the embedded version.
describe.each(OLDER_POSTGRES)('api §14: two nodes on PostgreSQL $version', ({ start }) => {
  let folder: string;
  let stop: () => Promise<void>;
  let nodes: [Berth, Berth];
  let clients: [TestClient, TestClient];

  beforeAll(async () => {
    const postgres = await start();
    stop = postgres.stop;
    folder = await mkdtemp(join(tmpdir(), 'berth-engine-'));
    const env = testEnvironment({ url: postgres.url }, folder, { JOBS: 'off', SECRET_KEY: 'ab'.repeat(32) });
    nodes = [await startBerth(env, silent), await startBerth(env, silent)];
    clients = nodes.map((node) => createTestClient(node.config.port)) as [TestClient, TestClient];
  });
  afterAll(async () => {
    await Promise.all(nodes.map((node) => node.close()));
    await stop();
    await rm(folder, { recursive: true, force: true });
  });

  it('publish, by form and by delta, and show each switch of a domain that the other one answered', async () => {
    const [first, second] = clients;
    const visit = (client: TestClient, index: 0 | 1) =>
      client.visit(`http://${DOMAIN}:${nodes[index].config.port}`).then(({ text }) => text);
    for (let version = 0; version < 3; version += 1) {
      const { deployment } = await first.publish({ 'index.html': `version ${version}` });
      expect((await second.visit(deployment)).text).toBe(`version ${version}`);
      const { status } = await first.api(`/domains/${DOMAIN}`, { method: 'PUT', json: { deployment } });
      expect(status).toBeLessThan(300);
      expect(await visit(first, 0)).toBe(`version ${version}`);
      await expect.poll(() => visit(second, 1), { interval: 5 }).toBe(`version ${version}`);
    }
    const published = await publishDelta(second, { 'index.html': 'delta' }, { domain: DOMAIN });
    expect(published.status).toBe(201);
    await expect.poll(() => visit(first, 0), { interval: 5 }).toBe('delta');
  });

  it('refuse a revoked credential from the next request on', async () => {
    const created = await clients[0].api('/tokens', { method: 'POST', json: { kind: 'api' } });
    const { token, secret: key } = created.json<Record<'token' | 'secret', string>>();
    const statuses = async () =>
      (await Promise.all(clients.map((client) => client.api('/tokens', { key })))).map(({ status }) => status);
    expect(await statuses()).toEqual([200, 200]);
    await clients[1].api(`/tokens/${token}`, { method: 'DELETE' });
    expect(await statuses()).toEqual([401, 401]);
  });

  it('give a lease to one of them, and sweep what a deleted site has left', async () => {
    const leases = await Promise.all(nodes.map(({ core }) => takeLease(core, 'jobs')));
    expect(leases.filter((lease) => lease !== null)).toHaveLength(1);
    const { deployment } = await clients[0].publish({ 'index.html': 'alone', 'data.bin': Buffer.alloc(5_000, 7) });
    await clients[0].api(`/deployments/${deployment}`, { method: 'DELETE' });
    const options = { graceMs: 0, fenceWaitMs: 1_000 };
    expect(await sweep(nodes[1].core, options)).toMatchObject({ deployments: 1, packs: 1, fenced: true });
  });
});
