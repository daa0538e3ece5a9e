import { FOREIGN_RESOURCE_ACCESS, type Operation } from '@berth/core';
import { setAccountState } from '@berth/core/operator';
import { OPERATION_ACCESS } from '@berth/core/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectErrorAnswer } from '../standing-asserts.ts';
import { HOME, PLATFORM_DOMAIN, startWorld, type World } from './world.ts';

/** An operation of the OpenAPI document, with values in its path. */
interface Place {
  operation: Operation;
  method: string;
  path: string;
}

let world: World;
let places: Place[];
beforeAll(async () => {
  world = await startWorld({ free: { caps: { deployments: 1 } } });
  const { paths } = (await send('GET', '/openapi.json', undefined, { key: null })).json<{
    paths: Record<string, Record<string, { operationId: Operation }>>;
  }>();
  places = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId }]) => ({
      operation: operationId,
      method: method.toUpperCase(),
      path: path.replace(/\{\w+\}/, 'none'),
    })),
  );
  expect(places.length).toBeGreaterThan(25);
});
afterAll(() => world.close());

const send: World['send'] = (...args) => world.send(...args);
/** The endpoints of rule 3. */
const closed = () =>
  places.filter(({ operation }) => !(OPERATION_ACCESS[operation] as readonly string[]).includes('anonymous'));
const hex = (digit: string) => digit.repeat(32);

/** A credential of a new account, as the service created it. */
async function secret(kind: 'api' | 'deploy', more: object = {}): Promise<{ token: string; secret: string }> {
  const made = (await send('POST', '/tokens', { kind, ...more })).json<{ token: string; secret: string }>();
  world.server.secrets.add(made.secret);
  return made;
}

describe('api §5: the Authorization header', () => {
  it('"The header is `Authorization: Bearer <credential>`."', async () => {
    const { secret: credential } = await secret('api');
    const ask = (headers: Record<string, string>, path = '/account') =>
      send('GET', path, undefined, { key: null, headers });
    expect((await ask({ Authorization: `Bearer ${credential}` })).status).toBe(200);
    const wrong: Record<string, string>[] = [
      { Authorization: credential },
      { Authorization: `Basic ${credential}` },
      { 'X-Api-Key': credential },
    ];
    for (const headers of wrong) expectErrorAnswer(await ask(headers), 'authentication_failed');
    expectErrorAnswer(await ask({}, `/account?access_token=${credential}`), 'authentication_failed');
  });

  it('"One slot takes either kind of credential; the prefix distinguishes them, so there is no precedence."', async () => {
    for (const kind of ['api', 'deploy'] as const) {
      const { secret: credential } = await secret(kind);
      expect((await send('GET', '/limits', undefined, { key: credential })).status).toBe(200);
      const other = credential.replace(/^\w+/, kind === 'api' ? 'deploy' : 'ship');
      expectErrorAnswer(await send('GET', '/limits', undefined, { key: other }), 'authentication_failed');
    }
  });

  it.each([
    ['API key', 'api', /^ship-[0-9a-f]{32}$/],
    ['Deploy token', 'deploy', /^deploy-[0-9a-f]{32}$/],
  ] as const)('%s: "%s": the prefix "followed by 32 hexadecimal characters"', async (_, kind, format) => {
    expect((await secret(kind)).secret).toMatch(format);
  });

  it('API key: "Persistent access, full account."', async () => {
    const { secret: key } = await secret('api');
    await world.later(10 * 365 * 86_400, async () => {
      for (const path of [
        '/account',
        '/deployments',
        '/domains',
        '/tokens',
        '/activities',
        '/labels',
        '/limits',
        '/ping',
      ])
        expect((await send('GET', path, undefined, { key })).status, path).toBe(200);
    });
  });

  it('Deploy token: "Scoped to deploys, optional TTL."', async () => {
    const { secret: lasting } = await secret('deploy');
    const { secret: short } = await secret('deploy', { ttl: 60 });
    for (const key of [lasting, short]) {
      expect((await world.deploy(HOME, { key })).status).toBe(201);
      for (const path of ['/account', '/deployments', '/tokens', '/domains'])
        expectErrorAnswer(await send('GET', path, undefined, { key }), 'forbidden');
    }
    await world.later(61, async () => {
      expect((await world.deploy(HOME, { key: lasting })).status).toBe(201);
      expectErrorAnswer(await world.deploy(HOME, { key: short }), 'authentication_failed');
    });
  });
});

describe('api §5: an anonymous deploy', () => {
  it('"`POST /deployments` with no `Authorization` header is allowed. It creates an anonymous public deployment"', async () => {
    const answer = await world.deploy(HOME, { key: null });
    expect([answer.status, answer.json()]).toEqual([
      201,
      expect.objectContaining({ password: false, claim: expect.any(String), expires: expect.any(Number) }),
    ]);
    const { deployment } = answer.json<{ deployment: string }>();
    expect((await world.visit(`https://${deployment}.${PLATFORM_DOMAIN}/`)).status).toBe(200);
  });

  it('an invalid header deploys nothing', async () => {
    expectErrorAnswer(await world.deploy(HOME, { key: `ship-${hex('f')}` }), 'authentication_failed');
    expectErrorAnswer(await world.deploy(HOME, { key: '' }), 'authentication_failed');
  });
});

describe('api §5: a request without a valid credential', () => {
  it('"Every other endpoint requires a credential, except `GET /plans`, which is public."', async () => {
    // `/config` answers as an alias, with any credential or none.
    expect(
      places
        .filter((place) => !closed().includes(place))
        .map(({ method, path }) => `${method} ${path}`)
        .toSorted(),
    ).toEqual([
      // api §9, as those below: the same deploy, in steps.
      'DELETE /uploads/none',
      'GET /config',
      'GET /plans',
      'POST /deployments',
      'POST /uploads',
      'POST /uploads/none/commit',
      'PUT /uploads/none/contents',
    ]);
    for (const { method, path } of closed())
      expectErrorAnswer(await send(method, path, undefined, { key: null }), 'authentication_failed');
    expect((await send('GET', '/plans', undefined, { key: null })).status).toBe(200);
  });

  it('"Missing or invalid credentials give 401."', async () => {
    const { token, secret: revoked } = await secret('api');
    await send('DELETE', `/tokens/${token}`);
    for (const { method, path } of places)
      for (const key of [`ship-${hex('e')}`, `deploy-${hex('e')}`, revoked, 'nonsense']) {
        const answer = await send(method, path, undefined, { key });
        expectErrorAnswer(answer, 'authentication_failed');
        expect(answer.headers['www-authenticate']).toBe('Bearer');
      }
  });
});

describe('api §5: "gives 403"', () => {
  it('"A terminated account"', async () => {
    const { account, key, deployToken } = await world.server.account();
    await setAccountState(world.server.berth.core, account, 'terminated');
    for (const { method, path } of places)
      for (const credential of [key, deployToken])
        expectErrorAnswer(await send(method, path, undefined, { key: credential }), 'forbidden');
  });

  it('"a reached plan limit"', async () => {
    const { key } = await world.server.account('free');
    await world.publish(HOME, { key });
    expect(expectErrorAnswer(await world.deploy(HOME, { key }), 'forbidden').details).toEqual({
      cap: 'deployments',
      used: 1,
      limit: 1,
    });
  });

  it('"or an operation not permitted"', async () => {
    for (const { operation, method, path } of closed())
      if (!(OPERATION_ACCESS[operation] as readonly string[]).includes('deploy'))
        expectErrorAnswer(await send(method, path, undefined, { key: world.mine.deployToken }), 'forbidden');
  });
});

it('api §5: "A resource that belongs to another account is reported as 404."', async () => {
  const { deployment } = await world.publish(HOME, { key: world.theirs.key });
  await send('PUT', '/domains/www.theirs.dev', { deployment }, { key: world.theirs.key });
  const { tokens } = (await send('GET', '/tokens', undefined, { key: world.theirs.key })).json<{
    tokens: { token: string }[];
  }>();
  const theirs = { deployments: deployment, domains: 'www.theirs.dev', tokens: tokens[0]!.token };
  const asked: string[] = [];
  for (const { operation, method, path } of places) {
    if (
      !path.includes('/none') ||
      path.startsWith('/uploads') ||
      FOREIGN_RESOURCE_ACCESS[operation as keyof typeof FOREIGN_RESOURCE_ACCESS] === 'own'
    )
      continue;
    const place = path.replace('none', theirs[path.split('/')[1] as keyof typeof theirs]);
    const body = method === 'PATCH' ? { labels: [] } : undefined;
    expectErrorAnswer(await send(method, place, body), 'not_found');
    asked.push(operation);
  }
  // The claim and the base of an upload are not in a path. The names of uploads are secret.
  expect(asked).toHaveLength(
    Object.values(FOREIGN_RESOURCE_ACCESS).filter((answer) => answer === 'not_found').length - 5,
  );
});

it('api §5: "`POST /account/claim` requires a credential of the account that is to receive the deployment."', async () => {
  const { deployment, hash } = await world.publishAnonymous();
  expectErrorAnswer(await send('POST', '/account/claim', { claim: hash }, { key: null }), 'authentication_failed');
  expectErrorAnswer(
    await send('POST', '/account/claim', { claim: hash }, { key: world.theirs.deployToken }),
    'forbidden',
  );
  await send('POST', '/account/claim', { claim: hash }, { key: world.theirs.key });
  expectErrorAnswer(await send('GET', `/deployments/${deployment}`), 'not_found');
  expect((await send('GET', `/deployments/${deployment}`, undefined, { key: world.theirs.key })).status).toBe(200);
});

it('api §5: "The full secret of a token is returned only by `POST /tokens`; listing shows short identifiers only."', async () => {
  const { token, secret: credential } = await secret('api');
  for (const path of ['/tokens', `/tokens/${token}`, '/account', '/activities']) {
    const { status, text } = await send('GET', path);
    expect([status, text.includes(credential), text.includes(credential.slice(-32))]).toEqual([200, false, false]);
  }
  expect((await send('GET', '/tokens')).text).toContain(`"token":"${token}"`);
});
