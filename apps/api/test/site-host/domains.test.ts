import { insertDomain, type LinkedDomain } from '@berth/testing/domains';
import { sweep } from '@berth/core/jobs';
import { rawRequest } from '@berth/testing/raw-socket';
import type { HttpResponse } from '@berth/testing/requests';
import { useServer } from '@berth/testing/use-server';
import { beforeAll, describe, expect, it } from 'vitest';

const FILES = { 'index.html': 'front', 'app.4f3a9b21.js': 'app();', 'docs/404.html': 'own 404' };

const server = useServer({ clean: true });
let site: string;
beforeAll(async () => {
  site = (await server().publish(FILES)).deployment;
  await insertDomain(server(), 'bakery.example', { deployment: site });
  await insertDomain(server(), 'shop.localhost', { kind: 'platform', deployment: site });
});

const visit = (host: string, path = '/', method = 'GET') => server().visit(`http://${host}`, path, { method });
const titleOf = ({ text }: HttpResponse) => /<h1>(.*)<\/h1>/.exec(text)?.[1];

describe('S3, S4: a site at a domain', () => {
  it.each(['bakery.example', 'BAKERY.example.:443', 'shop.localhost', 'SHOP.localhost.:1'])(
    'is shown for the host %s',
    async (host) => {
      const { status, body } = await rawRequest(server().port, 'GET / HTTP/1.1', [`Host: ${host}`]);
      expect([status, body]).toEqual([200, 'front']);
    },
  );

  it.each(['www.bakery.example', 'akery.example', 'shop', 'www.shop.localhost', 'other.localhost', '127.0.0.1'])(
    'is not shown for the host %s',
    async (host) => {
      const { status, headers, body } = await rawRequest(server().port, 'GET / HTTP/1.1', [`Host: ${host}`]);
      expect([status, headers['cache-control']]).toEqual([404, 'no-store']);
      expect(body).toContain('There is nothing at this address');
    },
  );
});

describe('S4, S5: a host without a site', () => {
  const insertDomainAt = async (name: string, domain: LinkedDomain) => {
    await insertDomain(server(), name, domain);
    return name;
  };
  it.each<[string, () => Promise<string>]>([
    ['a pending domain', () => insertDomainAt('a.example', { status: 'pending', verified: false, deployment: site })],
    ['a partial domain', () => insertDomainAt('b.example', { status: 'partial', verified: false, deployment: site })],
    ['a domain that is not linked', () => insertDomainAt('c.example', {})],
    ['a deployment that never existed', async () => 'calm-otter-0000000.localhost'],
    [
      'a deployment that was deleted',
      async () => {
        const { deployment } = await server().publish(FILES);
        expect((await server().visit(deployment)).status).toBe(200);
        expect((await server().api(`/deployments/${deployment}`, { method: 'DELETE' })).status).toBe(202);
        return `${deployment}.localhost`;
      },
    ],
  ])('such as %s is indistinguishable from a host that never existed', async (_, createHost) => {
    const stableParts = ({ status, headers, text }: HttpResponse) => {
      return { status, headers: { ...headers, date: '', 'x-request-id': '' }, text };
    };
    const host = await createHost();
    for (const path of ['/', '/index.html', '/nothing', '/.berth/unlock']) {
      for (const method of ['GET', 'HEAD', 'POST']) {
        const [response, neverResponse] = await Promise.all([
          visit(host, path, method),
          visit('never.example', path, method),
        ]);
        expect(stableParts(response), `${method} ${path}`).toEqual(stableParts(neverResponse));
        expect([response.status, response.headers['cache-control']]).toEqual([404, 'no-store']);
      }
    }
  });
});

describe('S4: a deployment that has expired', () => {
  it('responds with 410 to everything, for good, also after its files are removed', async () => {
    const { deployment } = await server().publish(FILES, { fields: { ttl: '600' } });
    expect((await server().visit(deployment)).status).toBe(200);
    const expireStatement = `update deployment set expires = now() - interval '1 second' where id = $1`;
    await server().database.query(expireStatement, [deployment]);
    const host = `${deployment}.localhost`;
    for (const step of ['expired', 'being removed', 'removed']) {
      for (const [path, method] of [['/'], ['/nothing'], ['/.berth/unlock'], ['/', 'HEAD'], ['/', 'POST']] as const) {
        const response = await visit(host, path, method);
        expect([step, path, response.status, response.headers['cache-control']]).toEqual([step, path, 410, 'no-store']);
        if (method !== 'HEAD') expect(titleOf(response)).toBe('This site has expired');
      }
      await sweep(server().berth.core, { batch: 1 });
    }
    const { deployment: deleted } = await server().publish(FILES, { fields: { ttl: '600' } });
    await server().api(`/deployments/${deleted}`, { method: 'DELETE' });
    expect((await visit(`${deleted}.localhost`)).status).toBe(404);
  });
});

describe('S4, api §6: a site that is not shown', () => {
  it('responds with 503 and no byte of the site if its domain is paused or its account suspended', async () => {
    const { account, key } = await server().account('pro');
    const { deployment } = await server().publish(FILES, { key, fields: { password: 'open-sesame' } });
    await insertDomain(server(), 'paused.example', { status: 'paused', deployment });
    await insertDomain(server(), 'own.example', { deployment });
    const hosts = ['own.example', 'paused.example', `${deployment}.localhost`];
    const setState = (state: string) =>
      server().database.query('update account set state = $2 where id = $1', [account, state]);
    const expectPaused = async (host: string, path?: string, method?: string) => {
      const response = await visit(host, path, method);
      expect([host, path, response.status, titleOf(response)]).toEqual([host, path, 503, 'This site is paused']);
      expect(response.headers).toMatchObject({ 'retry-after': '3600', 'cache-control': 'no-store' });
      expect(response.headers).not.toHaveProperty('www-authenticate');
      expect(response.headers).not.toHaveProperty('etag');
    };
    for (const path of ['/', '/app.4f3a9b21.js', '/nothing', '/.berth/unlock'])
      await expectPaused('paused.example', path);
    expect((await visit('own.example')).status).toBe(401);

    await setState('suspended');
    for (const host of hosts) await expectPaused(host);
    await expectPaused(`${deployment}.localhost`, '/.berth/unlock', 'POST');
    await setState('terminated');
    for (const host of hosts) expect((await visit(host)).status, host).toBe(404);
    await setState('active');
    expect((await visit('own.example')).status).toBe(401);
  });

  it('responds with 451 at every host and path while it is taken down', async () => {
    const { deployment } = await server().publish(FILES);
    await insertDomain(server(), 'down.example', { deployment });
    await server().database.query(`update deployment set taken_down = now() where id = $1`, [deployment]);
    for (const host of ['down.example', `${deployment}.localhost`]) {
      for (const path of ['/', '/app.4f3a9b21.js', '/nothing']) {
        const response = await visit(host, path);
        const visibleResponse = [response.status, titleOf(response), response.headers['cache-control']];
        expect(visibleResponse, `${host}${path}`).toEqual([451, 'This site has been taken down', 'no-store']);
      }
    }
    await server().database.query(`update deployment set taken_down = null where id = $1`, [deployment]);
    expect((await visit('down.example')).text).toBe('front');
  });
});

it('S56: an anonymous deployment can be indexed from the first request after its claim', async () => {
  const { deployment, claim } = await server().publish(FILES, { key: null });
  const expectRobots = async (robots: string | undefined) => {
    for (const path of ['/', '/docs/nothing', '/nothing', '//'])
      expect((await server().visit(deployment, path)).headers['x-robots-tag'], path).toBe(robots);
  };
  await expectRobots('noindex');
  const claimInput = { claim: claim!.split('/').at(-1) };
  expect((await server().api('/account/claim', { method: 'POST', json: claimInput })).status).toBe(200);
  await expectRobots(undefined);
});
