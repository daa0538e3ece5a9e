import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { doctor } from '@berth/core/operator';
import { sweep } from '@berth/core/jobs';
import { type S3Stub, startS3Stub } from '@berth/testing/s3-stub';
import { createTestDatabase, type TestDatabase } from '@berth/testing/database';
import { expectRefusal } from '@berth/testing/expectations';
import { createTestClient } from '@berth/testing/requests';
import { startServer, testEnvironment, type TestServer } from '@berth/testing/server';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Berth, startBerth } from '../../src/server.ts';

const MARKER = 'sites/berth-store.json';
const FILES = { 'index.html': 'home', 'large.bin': randomBytes(3_000_000), 'empty.txt': '' };
const SILENT = { info() {}, warn() {}, error() {} };

let stub: S3Stub;
let server: TestServer;
let env: Record<string, string>;
let folder: string;
beforeAll(async () => {
  stub = await startS3Stub();
  env = { STORAGE_URL: stub.url, SECRET_KEY: 'ab'.repeat(32), ...stub.env };
  server = await startServer({ env });
  folder = await mkdtemp(join(tmpdir(), 'berth-node-'));
});
afterAll(async () => {
  await server.close();
  await stub.close();
  await rm(folder, { recursive: true, force: true });
});

/** Starts another node, with a data folder of its own, for the duration of `work`. */
async function withNode<T>(
  database: Pick<TestDatabase, 'url'>,
  work: (berth: Berth) => Promise<T>,
  more: Record<string, string> = {},
): Promise<T> {
  const dataDir = await mkdtemp(join(folder, 'node-'));
  const settings = { JOBS: 'off', ...env, ...more };
  const berth = await startBerth(testEnvironment(database as TestDatabase, dataDir, settings), SILENT);
  return work(berth).finally(() => berth.close());
}

async function expectFiles(visit: TestServer['visit'], deployment: string): Promise<void> {
  for (const [path, bytes] of Object.entries(FILES)) {
    const response = await visit(deployment, `/${path === 'index.html' ? '' : path}`);
    expect([response.status, response.bytes.equals(Buffer.from(bytes))]).toEqual([200, true]);
  }
}

const packObjects = () => [...stub.objects.keys()].filter((key) => key !== MARKER);

describe('api §14: a server with an object store', () => {
  it('publishes a site with one request, and the site is served by another node', async () => {
    const sent = stub.requests.length;
    const { deployment } = await server.publish(FILES);
    expect(stub.requests.slice(sent).map(({ operation }) => operation)).toEqual(['PutObject']);
    await expectFiles(server.visit, deployment);
    await withNode(server.database, async ({ config }) => {
      await expectFiles(createTestClient(config.port).visit, deployment);
    });
  });

  it('has the object before the deployment is visible', async () => {
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    stub.fail('PutObject', held);
    const arrived = new Promise<void>((resolve) => (stub.onRequest = (name) => name === 'PutObject' && resolve()));
    const deploying = server.publish({ 'index.html': 'held' });
    await arrived;
    stub.onRequest = () => {};
    expect(await server.database.query(`select 1 from pack where state = 'open'`)).toHaveLength(1);
    const locks = `select 1 from pg_locks where locktype = 'advisory' and database = (select oid from pg_database where datname = current_database()) and objid = 7212010`;
    expect(await server.database.query(locks)).toEqual([]);
    release();
    await deploying;
  });

  it.each(['internal error', 'slow down'] as const)(
    'refuses deploys with 503 while the store responds with "%s", and leaves nothing',
    async (fault) => {
      const before = packObjects();
      stub.fail('PutObject', ...Array.from({ length: 4 }, () => fault));
      const { message } = await expectRefusal(server, 'unavailable', () => server.deploy({ 'index.html': fault }));
      expect(message).toBe('The service cannot store files right now; try again later.');
      expect(packObjects()).toEqual(before);
      expect(await server.database.query(`select 1 from pack where state <> 'sealed'`)).toEqual([]);
    },
  );

  it('publishes although the answer of the store is lost', async () => {
    stub.fail('PutObject', 'lost answer');
    const { deployment } = await server.publish({ 'index.html': 'lost' });
    expect((await server.visit(deployment)).text).toBe('lost');
  });

  it('responds with 503 to visits that need the store while it is unavailable', async () => {
    const { deployment } = await server.publish({ 'index.html': 'away' });
    await withNode(server.database, async ({ config }) => {
      const { visit } = createTestClient(config.port);
      // The first node reads objects too, so there are far more faults than one visit needs.
      stub.fail('GetObject', ...Array.from({ length: 10_000 }, () => 'internal error' as const));
      expect((await visit(deployment)).status).toBe(503);
      stub.clearFaults();
      expect((await visit(deployment)).text).toBe('away');
    });
  });

  it('never serves other bytes than were published', async () => {
    const large = randomBytes(3_000_000);
    const { deployment } = await server.publish({ 'index.html': 'bytes', 'large.bin': large });
    await withNode(server.database, async ({ config }) => {
      const { visit } = createTestClient(config.port);
      stub.fail('GetObject', ...Array.from({ length: 3 }, () => 'changed' as const));
      const refused = await visit(deployment, '/large.bin').catch(() => ({ status: 0, bytes: Buffer.alloc(0) }));
      expect(refused.bytes.equals(large.subarray(0, refused.bytes.length)) || refused.status >= 500).toBe(true);
      stub.clearFaults();
      expect((await visit(deployment, '/large.bin')).bytes.equals(large)).toBe(true);
    });
  });

  it('passes the doctor, who finds a missing object', async () => {
    const findingsOf = async () => {
      const events = await Array.fromAsync(doctor(server.berth.core, { fix: false, graceMs: 0, apiHost: 'localhost' }));
      return events.filter((event) => event.kind === 'finding' && event.severity !== 'advice');
    };
    const { deployment } = await server.publish({ 'index.html': 'doctor' });
    expect(await findingsOf()).toEqual([]);
    const query = 'select pack_id::text as id from deployment_pack where deployment_id = $1';
    const [pack] = await server.database.query<{ id: string }>(query, [deployment]);
    const key = `sites/packs/${pack!.id}`;
    const object = stub.objects.get(key)!;
    stub.objects.delete(key);
    expect(await findingsOf()).toEqual([
      expect.objectContaining({ message: `The file of pack ${pack!.id} is missing.`, deployments: [deployment] }),
    ]);
    stub.objects.set(key, object);
  });

  it('removes the objects of deleted deployments by the sweep, and leaves only those that rows refer to', async () => {
    const deployments = await server.database.query<{ id: string }>(
      `select id from deployment where status = 'success'`,
    );
    for (const { id } of deployments) await server.api(`/deployments/${id}`, { method: 'DELETE' });
    const { deployment } = await server.publish({ 'index.html': 'last' });
    await sweep(server.berth.core, { graceMs: 0 });
    const rows = await server.database.query<{ id: string }>('select id::text from pack');
    expect(packObjects().toSorted()).toEqual(rows.map(({ id }) => `sites/packs/${id}`).toSorted());
    expect(rows).toHaveLength(1);
    expect((await server.visit(deployment)).text).toBe('last');
  });
});

describe('api §14: a server does not start', () => {
  let other: TestDatabase;
  beforeAll(async () => {
    other = await createTestDatabase();
  });
  afterAll(() => other.drop());
  const start = (database: TestDatabase, more: Record<string, string> = {}) =>
    withNode(database, () => expect.unreachable('the server has started'), more);

  it('with the bucket of another database', async () => {
    await expect(start(other)).rejects.toThrow(/berth-store\.json belongs to another database; use another bucket/);
  });

  it('with another bucket than that of its packs', async () => {
    const STORAGE_URL = stub.url.replace('/sites', '/elsewhere');
    await expect(start(server.database, { STORAGE_URL })).rejects.toThrow(
      /the packs of this database are not in the bucket of STORAGE_URL/,
    );
    expect([...stub.objects.keys()].filter((key) => key.startsWith('elsewhere/'))).toEqual([]);
  });

  it('without STORAGE_URL, if its packs are in a bucket', async () => {
    await expect(start(server.database, { STORAGE_URL: '' })).rejects.toThrow(
      /are in an object store; set STORAGE_URL/,
    );
  });

  it('without SECRET_KEY, because each node would generate another one', async () => {
    await expect(start(server.database, { SECRET_KEY: '' })).rejects.toThrow(
      /^SECRET_KEY must be set with STORAGE_URL, because all nodes need the same key\. /,
    );
  });

  it.each([
    ['a missing bucket', { STORAGE_URL: 's3://missing/sites?endpoint=ENDPOINT&path-style=1' }, /NoSuchBucket/],
    ['a wrong key', { AWS_SECRET_ACCESS_KEY: 'wrong' }, /SignatureDoesNotMatch/],
  ])('with %s', async (_, more, message) => {
    const settings = Object.entries(more).map(([name, value]) => [name, value.replace('ENDPOINT', stub.endpoint)]);
    await expect(start(server.database, Object.fromEntries(settings))).rejects.toThrow(message);
  });
});
