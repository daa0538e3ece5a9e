import { setAccountState, setTakenDown } from '@berth/core/operator';
import { insertDomain } from '@berth/testing/domains';
import { rawRequest } from '@berth/testing/raw-socket';
import { startServer, type TestServer, testEnvironment } from '@berth/testing/server';
import { useServer } from '@berth/testing/use-server';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type Berth, startBerth } from '../../src/server.ts';
import { createDatabaseProxy, type DatabaseProxy } from '../outages/database-proxy.ts';

const log = { info() {}, warn() {}, error() {} };

async function ask({ adminPort }: Pick<Berth, 'adminPort'>, name: string): Promise<number> {
  return (await rawRequest(adminPort!, `GET /tls-allowed?domain=${name} HTTP/1.1`)).status;
}

describe('api §12: /tls-allowed', () => {
  const server = useServer({ env: { ADMIN_LISTEN: '127.0.0.1:0' } });
  const isAllowed = (name: string) => ask(server().berth, name);

  it('allows the name of the API, and no unknown name', async () => {
    expect(await isAllowed('localhost')).toBe(200);
    expect(await isAllowed('unknown.example')).toBe(404);
  });

  it.each([
    ['pending', false, 404],
    ['partial', false, 404],
    ['success', true, 200],
    ['paused', true, 200],
  ] as const)('answers for a custom domain that is %s, verified: %s, with %i', async (status, verified, expected) => {
    await insertDomain(server(), `${status}.example`, { status, verified });
    expect(await isAllowed(`${status}.example`)).toBe(expected);
  });

  it('follows a domain from its verification to its deletion at once', async () => {
    await insertDomain(server(), 'shop.example', { status: 'pending', verified: false });
    expect(await isAllowed('shop.example')).toBe(404);
    await server().database.query(`update domain set status = 'success', verified = now() where name = 'shop.example'`);
    expect(await isAllowed('shop.example')).toBe(200);
    expect((await server().api('/domains/shop.example', { method: 'DELETE' })).status).toBe(200);
    expect(await isAllowed('shop.example')).toBe(404);
  });

  it('is exact: neither a subdomain nor a parent of a verified name is allowed', async () => {
    await insertDomain(server(), 'a.b.example', {});
    expect(await Promise.all(['a.b.example', 'b.example', 'x.a.b.example'].map(isAllowed))).toEqual([200, 404, 404]);
  });

  it('allows the domains of a suspended account, whose visitors get a page, but not of a terminated one', async () => {
    const { core } = server().berth;
    const { account, key } = await server().account();
    const { deployment } = await server().publish({ 'index.html': 'x' }, { key });
    await insertDomain(server(), 'customer.example', { deployment });
    expect(await isAllowed('customer.example')).toBe(200);
    await setAccountState(core, account, 'suspended');
    expect(await isAllowed('customer.example')).toBe(200);
    await setAccountState(core, account, 'terminated');
    expect(await isAllowed('customer.example')).toBe(404);
    expect(await isAllowed('paused.example')).toBe(200);
  });

  it('refuses names of the platform, which have a wildcard certificate', async () => {
    const { deployment } = await server().publish({ 'index.html': 'x' });
    await insertDomain(server(), 'shop.localhost', { kind: 'platform', deployment });
    expect(await isAllowed(`${deployment}.localhost`)).toBe(404);
    expect(await isAllowed('shop.localhost')).toBe(404);
  });
});

describe('api §10: /tls-allowed with TLS_ON_DEMAND=all', () => {
  const server = useServer({ env: { ADMIN_LISTEN: '127.0.0.1:0', TLS_ON_DEMAND: 'all' } });
  let site: string;
  beforeAll(async () => {
    site = (await server().publish({ 'index.html': 'x' })).deployment;
    await insertDomain(server(), 'shop.localhost', { kind: 'platform', deployment: site });
    await insertDomain(server(), 'shop.example', { deployment: site });
  });

  it.each([
    ['a deployment', () => `${site}.localhost`, 200],
    ['a platform domain', () => 'shop.localhost', 200],
    ['a custom domain', () => 'shop.example', 200],
    ['a deployment that does not exist', () => 'calm-otter-0000000.localhost', 404],
    ['a platform domain that does not exist', () => 'none.localhost', 404],
    ['a name two labels below the platform domain', () => `www.${site}.localhost`, 404],
  ])('answers for %s', async (_, name, expected) => {
    expect(await ask(server().berth, name())).toBe(expected);
  });

  it('allows a deployment that was taken down, whose visitors get a page, until it is deleted', async () => {
    const { deployment } = await server().publish({ 'index.html': 'x' });
    await setTakenDown(server().berth.core, deployment, true);
    expect(await ask(server().berth, `${deployment}.localhost`)).toBe(200);
    await setTakenDown(server().berth.core, deployment, false);
    expect((await server().api(`/deployments/${deployment}`, { method: 'DELETE' })).status).toBe(202);
    expect(await ask(server().berth, `${deployment}.localhost`)).toBe(404);
  });
});

describe('T42: /tls-allowed without the database', () => {
  async function startBehindProxy(): Promise<{ server: TestServer; proxy: DatabaseProxy }> {
    let proxy: DatabaseProxy | undefined;
    const server = await startServer({
      env: async (database) => {
        proxy = await createDatabaseProxy(database);
        return { ADMIN_LISTEN: '127.0.0.1:0', DATABASE_URL: proxy.url };
      },
    });
    onTestFinished(async () => {
      await proxy!.restore();
      await server.close();
      await proxy!.close();
    });
    await insertDomain(server, 'shop.example', {});
    expect(await ask(server.berth, 'shop.example')).toBe(200);
    return { server, proxy: proxy! };
  }

  it('answers from memory, and reads what it missed when the database is back', async () => {
    const { server, proxy } = await startBehindProxy();
    await proxy.refuse();
    await expect.poll(() => server.berth.core.database.isReady()).toBe(false);
    expect(await ask(server.berth, 'shop.example')).toBe(200);
    expect(await ask(server.berth, 'new.example')).toBe(404);
    expect((await rawRequest(server.berth.adminPort!, 'GET /readyz HTTP/1.1')).status).toBe(503);
    const insert = `insert into domain (account_id, name, kind, status, labels, created, verified, checks)
      select id, 'new.example', 'custom', 'success', '{}', now(), now(), '[]' from account limit 1`;
    await server.database.query(insert).catch(() => {});
    await proxy.restore();
    await expect.poll(() => ask(server.berth, 'new.example')).toBe(200);
    expect(await ask(server.berth, 'shop.example')).toBe(200);
  });

  it('knows the names of an earlier process while a start waits for the database, and after it', async () => {
    const { server, proxy } = await startBehindProxy();
    await server.berth.close();
    await proxy.refuse();
    const ports: number[] = [];
    const info = (fields: object, message: string) => {
      if (message === 'Listening for operators and proxies') ports.push((fields as { port: number }).port);
    };
    const env = { ADMIN_LISTEN: '127.0.0.1:0', DATABASE_URL: proxy.url, JOBS: 'off' };
    const starting = startBerth(testEnvironment(server.database, server.dataDir, env), { ...log, info });
    await expect.poll(() => ports.length).toBe(1);
    const whileStarting = { adminPort: ports[0]! };
    expect(await ask(whileStarting, 'shop.example')).toBe(200);
    expect(await ask(whileStarting, 'unknown.example')).toBe(404);
    expect((await rawRequest(ports[0]!, 'GET /livez HTTP/1.1')).status).toBe(200);
    expect((await rawRequest(ports[0]!, 'GET /readyz HTTP/1.1')).status).toBe(503);
    await proxy.restore();
    const berth = await starting;
    onTestFinished(() => berth.close());
    expect(await ask(berth, 'shop.example')).toBe(200);
    expect((await rawRequest(berth.adminPort!, 'GET /readyz HTTP/1.1')).status).toBe(200);
  });
});
