import { CONTENTS_TYPE } from '@berth/contract';
import { type Actor, appRouter, FOREIGN_RESOURCE_ACCESS, type Operation } from '@berth/core';
import { expectErrorAnswer, expectRefusal, footprintOf } from '@berth/testing/expectations';
import { OPERATION_ACCESS } from '@berth/testing/internals';
import { ask as askRaw } from '@berth/testing/raw-socket';
import { type Answer, type Ask, formOf, OWNER_KEY } from '@berth/testing/requests';
import { useServer } from '@berth/testing/use-server';
import { beforeAll, describe, expect, it } from 'vitest';

type AnyActor = Actor | 'suspended' | 'terminated';
const ACTORS: readonly Actor[] = ['anonymous', 'deploy', 'api'];

const server = useServer({ clean: true });
/** A credential of each kind; `null` sends none. */
let credentials: Record<AnyActor, string | null>;
let site: string;
/** The routes of the operations, from the OpenAPI document. */
let places: Map<string, { method: string; path: string }>;
/** The account's own resources, and as many that do not exist, by the parameter that names them. */
let own: Record<string, string>;
const MISSING: Record<string, string> = {
  deployment: 'calm-otter-zzzzzzz',
  domain: 'not-there.localhost',
  token: 'zzzzzzz',
  claim: '0123456789abcdef0123456789abcdef',
  base: 'calm-otter-zzzzzzz',
  upload: 'fedcba9876543210fedcba9876543210',
};
beforeAll(async () => {
  const { key, deployToken } = await server().account('team');
  const [suspended, terminated] = [await server().account(), await server().account()];
  credentials = {
    anonymous: null,
    api: key,
    deploy: deployToken,
    suspended: suspended.key,
    terminated: terminated.deployToken,
  };
  site = (await server().publish({ 'index.html': 'home' }, { key })).deployment;
  const { claim } = await server().publish({ 'index.html': 'claimed' }, { key: null });
  const put = (path: string, method: string, body: object) =>
    server().api(path, { method, key, headers: JSON_TYPE, body: JSON.stringify(body) });
  await put('/account/claim', 'POST', { claim });
  await put('/domains/walked.localhost', 'PUT', { deployment: site });
  own = {
    deployment: site,
    claim: claim!,
    domain: 'walked.localhost',
    base: site,
    upload: (await put('/uploads', 'POST', { base: site, put: [], remove: [] })).json<{ upload: string }>().upload,
    token: (await put('/tokens', 'POST', {})).json<{ token: string; secret: string }>().token,
  };
  await server().database.query(`update account set state = 'suspended' where id = $1`, [suspended.account]);
  await server().database.query(`update account set state = 'terminated' where id = $1`, [terminated.account]);
  const { paths } = (await server().api('/openapi.json', { key: null })).json<{
    paths: Record<string, Record<string, { operationId: string }>>;
  }>();
  places = new Map(
    Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { operationId }]) => [operationId, { method: method.toUpperCase(), path }]),
    ),
  );
});

const JSON_TYPE = { 'Content-Type': 'application/json' };
const form = formOf({ 'index.html': 'home' });
const NAMES = Object.keys(OPERATION_ACCESS) as Operation[];
/** Every procedure, and whether it is a query, a mutation or a subscription. */
const TYPES: ReadonlyMap<string, string> = new Map(
  Object.entries(appRouter._def.procedures as unknown as Record<string, { _def: { type: string } }>).map(
    ([name, { _def }]) => [name, _def.type],
  ),
);
/** The operations of the REST API. Subscriptions are not part of it. */
const OPERATIONS = NAMES.filter((name) => TYPES.get(name) !== 'subscription');

/** The bodies that are not JSON. */
const BODIES: Partial<Record<Operation, Ask>> = {
  'deployments.create': { headers: { 'Content-Type': form.contentType }, body: form.body },
  'deployments.contents': { headers: { 'Content-Type': CONTENTS_TYPE }, body: '' },
};

/** One input for all operations; each operation takes the fields that it knows. */
const inputOf = ({ claim, base }: Record<string, string>) => ({ claim, labels: [], base, put: [], remove: [] });

/** Calls an operation over REST. @param names What fills its path and body. */
function call(
  operation: Operation,
  credential: string | null,
  { headers = {}, names = MISSING }: { headers?: Record<string, string>; names?: Record<string, string> } = {},
): Promise<Answer> {
  const { method, path } = places.get(operation)!;
  const hasBody = ['POST', 'PUT', 'PATCH'].includes(method);
  const ask = BODIES[operation] ?? (hasBody ? { headers: JSON_TYPE, body: JSON.stringify(inputOf(names)) } : {});
  return server().api(
    path.replace(/\{(\w+)\}/g, (_, name: string) => names[name]!),
    { method, key: credential, ...ask, headers: { ...ask.headers, ...headers } },
  );
}

/** Makes the same call over tRPC. */
function callTyped(operation: Operation, credential: string | null, names = MISSING): Promise<Answer> {
  const input = JSON.stringify({ ...names, ...inputOf(names) });
  return TYPES.get(operation) === 'mutation'
    ? server().api(`/trpc/${operation}`, { method: 'POST', key: credential, headers: JSON_TYPE, body: input })
    : server().api(`/trpc/${operation}?input=${encodeURIComponent(input)}`, { key: credential });
}

function expectUnauthenticated(answer: Answer): void {
  expectErrorAnswer(answer, 'authentication_failed');
  expect(answer.headers['www-authenticate']).toBe('Bearer');
}

describe('T21: the access table', () => {
  it('has a row for every operation of the OpenAPI document and every procedure, and no other rows', () => {
    expect([...places.keys()].toSorted()).toEqual(OPERATIONS.toSorted());
    expect([...TYPES.keys(), ...Object.keys(BODIES)].toSorted()).toEqual(NAMES.toSorted());
  });

  const cells = OPERATIONS.flatMap((name) => ACTORS.map((actor) => [name, actor] as const));
  it.each(cells)('%s, by %s', async (operation, actor) => {
    const isOpen = (OPERATION_ACCESS[operation] as readonly Actor[]).includes(actor);
    const before = await footprintOf(server());
    const faces = [call, ...(TYPES.has(operation) ? [callTyped] : [])];
    for (const face of faces) {
      const { status, text, headers } = await face(operation, credentials[actor]);
      if (isOpen) expect([200, 201, 202, 301, 400, 404, 422], text).toContain(status);
      else {
        expect([status, text]).toEqual(
          actor === 'anonymous'
            ? [401, expect.stringContaining('"error":"authentication_failed"')]
            : [403, expect.stringContaining('"error":"forbidden"')],
        );
        if (actor === 'anonymous') expect(headers['www-authenticate']).toBe('Bearer');
      }
    }
    if (!isOpen) expect(await footprintOf(server())).toEqual(before);
  });

  it.each(OPERATIONS)('api §5: %s, by a suspended or terminated account, is 403', async (operation) => {
    for (const state of ['suspended', 'terminated'] as const) {
      const { message } = await expectRefusal(server(), 'forbidden', () =>
        call(operation, credentials[state], { names: own }),
      );
      expect(message).toContain(state);
      if (!TYPES.has(operation)) continue;
      const typed = await callTyped(operation, credentials[state], own);
      expect([typed.status, typed.text]).toEqual([403, expect.stringContaining(state)]);
    }
  });

  it('api §2: every operation that takes a name has an expected answer for other accounts', () => {
    const naming = OPERATIONS.filter((name) => places.get(name)!.path.includes('{'));
    expect(Object.keys(FOREIGN_RESOURCE_ACCESS).toSorted()).toEqual(
      [...naming, 'account.claim', 'deployments.begin'].toSorted(),
    );
  });

  it('deployments.delete and tokens.delete, by a deploy token or without a credential, change nothing', async () => {
    for (const operation of ['deployments.delete', 'tokens.delete'] as const) {
      await expectRefusal(server(), 'forbidden', () => call(operation, credentials.deploy, { names: own }));
      await expectRefusal(server(), 'authentication_failed', () => call(operation, null, { names: own }));
    }
    expect((await server().visit(site)).status).toBe(200);
  });
});

describe('api §1: an Authorization header with an invalid credential is 401 everywhere', () => {
  const key = OWNER_KEY;
  const HEADERS: [string, string][] = [
    ['an empty one', ''],
    ['the scheme and a space', 'Bearer '],
    ['an unknown key', `Bearer ship-${'f'.repeat(32)}`],
    ['an unknown deploy token', `Bearer deploy-${'f'.repeat(32)}`],
    ['a key in capitals', `Bearer ${key.toUpperCase().replace('SHIP', 'ship')}F`.slice(0, -1).replace('1', 'G')],
    ['text after the key', `Bearer ${key} x`],
    ['a comma after the key', `Bearer ${key},`],
    ['a tab in place of the space', `Bearer\t${key}`],
    ['another scheme', `Basic ${Buffer.from(`x:${key}`).toString('base64')}`],
    ['another scheme with the key', `Token ${key}`],
    ['a hash', `Bearer ${'0'.repeat(64)}`],
    ['SQL', `Bearer ship-' or '1'='1`],
    ['8,000 characters', `Bearer ship-${'a'.repeat(8_000)}`],
    ['bytes that are not ASCII', 'Bearer ship-\u00e9'],
    ['null', 'null'],
  ];
  it.each(HEADERS)('%s', async (_, authorization) => {
    await expectRefusal(server(), 'authentication_failed', () =>
      call('deployments.create', null, { headers: { Authorization: authorization } }),
    );
    for (const operation of ['account.get', 'plans.list', 'platform.config', 'deployments.list'] as const)
      expectUnauthenticated(await call(operation, null, { headers: { Authorization: authorization } }));
  });

  it.each(['bearer', 'BEARER', 'BeArEr'])('RFC 9110: the scheme may be written %s', async (scheme) => {
    expect((await call('account.get', null, { headers: { Authorization: `${scheme} ${key}` } })).status).toBe(200);
    expect((await call('account.get', null, { headers: { Authorization: `${scheme}   ${key}  ` } })).status).toBe(200);
  });

  it('a second Authorization header does not replace the first', async () => {
    const line = (credential: string) => `Authorization: Bearer ${credential}`;
    const both = (one: string, other: string) =>
      askRaw(server().port, 'GET /account HTTP/1.1', [`Host: localhost:${server().port}`, line(one), line(other)]);
    expect((await both('nonsense', key)).status).toBe(401);
    expect([200, 401]).toContain((await both(key, 'nonsense')).status);
  });

  it('a credential in the query, the body or a cookie is ignored', async () => {
    for (const path of [`/account?access_token=${key}`, `/account?authorization=Bearer%20${key}`])
      expectUnauthenticated(await server().api(path, { key: null }));
    expectUnauthenticated(
      await server().api('/account', {
        key: null,
        headers: { 'X-Api-Key': key, Cookie: `token=${key}`, 'Proxy-Authorization': `Bearer ${key}` },
      }),
    );
  });
});
