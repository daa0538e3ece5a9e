import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { BegunUpload } from '@berth/contract';
import { begin, commit, sendMissing } from '@berth/testing/delta';
import { startProcess } from '@berth/testing/process';
import { createTestClient, OWNER_KEY, type TestClient } from '@berth/testing/requests';
import { testEnvironment } from '@berth/testing/server';
import { listOf } from '@berth/testing/uploads';
import { useServer } from '@berth/testing/use-server';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type Berth, startBerth } from '../../src/server.ts';

const SECRET_KEY = 'ab'.repeat(32);
const node = useServer({ env: { SECRET_KEY } });
let second: Berth;
let other: TestClient;
beforeAll(async () => {
  second = await startBerth(
    testEnvironment(node().database, node().dataDir, { JOBS: 'off', SECRET_KEY }),
    node().berth.core.log,
  );
  other = createTestClient(second.config.port);
});
afterAll(() => second.close());

/** Publishes a page and links it to a domain. */
async function link(domain: string, text: string): Promise<string> {
  const { deployment } = await node().publish({ 'index.html': text });
  const { status } = await node().api(`/domains/${domain}`, { method: 'PUT', json: { deployment } });
  expect([200, 201]).toContain(status);
  return deployment;
}
const urlAt = (domain: string, port: number) => `http://${domain}:${port}`;

describe('api §14: of two nodes on one database', () => {
  it('each shows a switch by the other one, which the node that answered shows at once', async () => {
    const domain = 'switched.localhost';
    for (let version = 0; version < 10; version += 1) {
      await link(domain, `version ${version}`);
      expect((await node().visit(urlAt(domain, node().port))).text).toBe(`version ${version}`);
      const visit = async () => (await other.visit(urlAt(domain, second.config.port))).text;
      await expect.poll(visit, { interval: 5 }).toBe(`version ${version}`);
      // Visits until the site is in the memory of both.
      for (let n = 0; n < 3; n += 1) await Promise.all([visit(), node().visit(urlAt(domain, node().port))]);
    }
  });

  it('each refuses a credential from the next request on after the other one has revoked it', async () => {
    for (let n = 0; n < 5; n += 1) {
      const created = (await node().api('/tokens', { method: 'POST', json: { kind: 'api' } })).json<
        Record<'token' | 'secret', string>
      >();
      const use = (client: TestClient) => client.api('/tokens', { key: created.secret });
      const before = await Promise.all([use(node()), use(other)]);
      expect(before.map(({ status }) => status)).not.toContain(401);
      expect((await other.api(`/tokens/${created.token}`, { method: 'DELETE' })).status).toBe(200);
      expect((await use(node())).status).toBe(401);
      expect((await use(other)).status).toBe(401);
    }
  });

  it('one commits an upload whose contents the other one received', async () => {
    const files = { 'index.html': 'begun on one node', 'a.txt': 'sent to another' };
    const begun = await begin(node(), { files: listOf(files) });
    expect(begun.status).toBe(201);
    const upload = begun.json<BegunUpload>();
    expect((await sendMissing(other, upload, files)).status).toBe(200);
    const committed = await commit(node(), upload.upload);
    expect(committed.status).toBe(201);
    const { deployment } = committed.json<{ deployment: string }>();
    for (const client of [node(), other])
      expect((await client.visit(deployment, '/a.txt')).text).toBe('sent to another');
  });

  it('each accepts the cookie with which a visitor has unlocked a site on the other one', async () => {
    const { deployment } = await node().publish({ 'index.html': 'secret' }, { fields: { password: 'correct horse' } });
    const response = await other.visit(deployment, '/.berth/unlock', {
      method: 'POST',
      headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
      body: 'password=correct+horse',
    });
    expect(response.status).toBe(303);
    const [cookie = ''] = [response.headers['set-cookie'] ?? []].flat();
    const headers = { Cookie: cookie.split(';')[0]! };
    expect((await node().visit(deployment, '/', { headers })).text).toBe('secret');
  });

  it('each streams the activities of the other one', async () => {
    const request = get({
      port: second.config.port,
      path: '/trpc/activities.watch',
      headers: {
        host: `localhost:${second.config.port}`,
        authorization: `Bearer ${OWNER_KEY}`,
        accept: 'text/event-stream',
      },
    });
    onTestFinished(() => void request.destroy());
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    expect(response.statusCode).toBe(200);
    let received = '';
    response.setEncoding('utf8').on('data', (text: string) => (received += text));
    await expect.poll(() => received).toContain('event: connected');
    await node().publish({ 'index.html': 'x' }, { fields: { via: 'from-the-first-node' } });
    await expect.poll(() => received).toContain('from-the-first-node');
  });

  it('one that was stopped for longer than its cache is fresh shows no site that was taken down meanwhile', async () => {
    const stopped = await startProcess(testEnvironment(node().database, node().dataDir, { JOBS: 'off', SECRET_KEY }));
    onTestFinished(async () => {
      stopped.child.kill('SIGKILL');
      await stopped.exited;
    });
    const { deployment } = await node().publish({ 'index.html': 'before' });
    for (let n = 0; n < 5; n += 1) expect((await stopped.visit(deployment)).text).toBe('before');
    stopped.child.kill('SIGSTOP');
    await node().database.query('update deployment set taken_down = now() where id = $1', [deployment]);
    // The kernel accepts connections for the process meanwhile.
    const waiting = Array.from({ length: 20 }, () => stopped.visit(deployment));
    await sleep(2_000);
    stopped.child.kill('SIGCONT');
    expect((await Promise.all(waiting)).map(({ status }) => status)).toEqual(waiting.map(() => 451));
  });
});
