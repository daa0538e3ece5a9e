import { hash } from 'node:crypto';
import { appRouter, FOREIGN_RESOURCE_ACCESS, mayCall } from '@berth/core';
import { sweep } from '@berth/core/jobs';
import { actForAccount, addMember } from '@berth/core/operator';
import { begin, bodyOf, commit, send as sendContents } from '@berth/testing/delta';
import { expectError, footprintOf } from '@berth/testing/expectations';
import { type Document, openApi } from '@berth/testing/open-api';
import type { HttpResponse, RequestOptions } from '@berth/testing/requests';
import type { TestServer } from '@berth/testing/server';
import { listOf } from '@berth/testing/uploads';
import { useServer } from '@berth/testing/use-server';
import { beforeAll, describe, expect, it } from 'vitest';
import { renderOpenApi } from '../../src/api-host/openapi-file.ts';

type Account = Awaited<ReturnType<TestServer['account']>>;

/** References that do not exist. A cursor names no resource, but one of another account is refused as invalid. */
const MISSING_NAMES = {
  account: 'acc-zzzzzzzzzzzzzz',
  deployment: 'calm-otter-zzzzzzz',
  domain: 'never-was.localhost',
  site: 'never-was.localhost',
  token: 'zzzzzzz',
  claim: '0123456789abcdef0123456789abcdef',
  invite: 'inv-zzzzzzz',
  member: 'mem-999999999',
  upload: 'fedcba9876543210fedcba9876543210',
  cursor: 'bWFkZS11cA',
};
type Resource = keyof typeof MISSING_NAMES;

function resourceOf(parameter: string): Resource | undefined {
  if (parameter === 'base' || parameter === 'from') return 'deployment';
  return parameter in MISSING_NAMES ? (parameter as Resource) : undefined;
}

/** Parameters that name no resource. A new parameter must be listed here or in `MISSING`. */
const OTHER_PARAMETERS = new Set(
  'limit search event authMethod label labels email role name kind ttl files put remove password protected strip via keep open domains Berth-Password Idempotency-Key Last-Event-ID'.split(
    ' ',
  ),
);

const { operations, follow } = openApi(JSON.parse(renderOpenApi()) as Document);
const PROCEDURES = appRouter._def.procedures as unknown as Record<string, { _def: { type: 'query' | 'mutation' } }>;
/** Each parameter of each operation, except the options of forms and archives, which the tests of deploys cover. */
const PARAMETER_CALLS = operations.flatMap(({ name: operation, method, path, parameters = [], requestBody }) => {
  const [type = null] = Object.keys(requestBody?.content ?? {});
  const json = requestBody?.content['application/json'];
  const body = json ? Object.keys(follow(json.schema).properties ?? {}) : null;
  const ownParameters = parameters.filter(({ description = '' }) => !description.startsWith('For archives:'));
  const names = new Set([...ownParameters.map(({ name }) => name), ...(body ?? [])]);
  const query = ownParameters
    .filter((parameter) => parameter.in === 'query' && parameter.required)
    .map(({ name }) => name);
  const isProcedure = operation in PROCEDURES;
  const call = { operation, method, path, query, body, contentType: json ? null : type, isProcedure };
  return [...names].map((parameter) => ({ ...call, type: PROCEDURES[operation]?._def.type ?? 'mutation', parameter }));
});
type Call = (typeof PARAMETER_CALLS)[number];

const server = useServer({ env: { APEX_ADDRESSES: '192.0.2.10' }, clean: { secrets: ['open-sesame'] } });
let ownAccount: Account;
let otherAccount: Account;
/** References to resources of another account, by kind and title. */
let foreignIds: Record<Resource, Record<string, string>>;
/** Valid values of all parameters, so that only the tested reference is invalid. */
let validValues: Record<string, unknown>;

/** Whether the operation may say that a domain belongs to another account, because anyone may name a domain. */
const mayRevealDomain = ({ operation, parameter }: Call) =>
  parameter === 'domain' &&
  (operation === 'domains.validate' ||
    operation === 'deployments.begin' ||
    FOREIGN_RESOURCE_ACCESS[operation as keyof typeof FOREIGN_RESOURCE_ACCESS] === 'own');

beforeAll(async () => {
  [ownAccount, otherAccount] = [await server().account('team'), await server().account('team')];
  const publish = (key: string | null, fields: Record<string, string> = {}) =>
    server().publish({ 'index.html': 'theirs' }, { key, fields });
  const send = (method: string, path: string, key: string, json?: object) => server().api(path, { method, key, json });
  const newToken = async (key: string, body: object) => {
    const createdToken = (await send('POST', '/tokens', key, body)).json<{ token: string; secret: string }>();
    server().secrets.add(createdToken.secret);
    return createdToken.token;
  };
  const hashOf = (claim: string | undefined) => claim!.split('/').at(-1)!;

  const [site, protectedSite, deletedSite, anonymousSite, sweptSite] = [
    await publish(otherAccount.key),
    await publish(otherAccount.key, { password: 'open-sesame' }),
    await publish(otherAccount.key),
    await publish(null),
    await publish(ownAccount.key),
  ];
  await send('DELETE', `/deployments/${sweptSite.deployment}`, ownAccount.key);
  await sweep(server().berth.core);
  await send('DELETE', `/deployments/${deletedSite.deployment}`, otherAccount.key);

  for (const name of ['linked.localhost', 'www.theirs.dev', 'theirs.org', 'www.xn--bcher-kva.dev'])
    await send('PUT', `/domains/${name}`, otherAccount.key, { deployment: site.deployment });
  await send('PUT', '/domains/empty.localhost', otherAccount.key, {});
  await send('PUT', '/domains/proved.dev', otherAccount.key, {});
  await server().database.query(`update domain set status = 'success', verified = now() where name = 'proved.dev'`);
  await send('PUT', '/domains/gone.localhost', ownAccount.key, {});
  await send('DELETE', '/domains/gone.localhost', ownAccount.key);

  const [revoked, claimed, expired] = [await newToken(ownAccount.key, {}), await publish(null), await publish(null)];
  await send('DELETE', `/tokens/${revoked}`, ownAccount.key);
  await send('POST', '/account/claim', otherAccount.key, { claim: claimed.claim });
  await server().database.query(`update deployment set expires = now() where id = $1`, [expired.deployment]);
  const theirToken = await newToken(otherAccount.key, {});

  const newInvite = async (key: string) =>
    (await send('POST', '/account/invites', key, {})).json<{ invite: string }>().invite;
  const [theirInvite, deletedInvite] = [await newInvite(otherAccount.key), await newInvite(ownAccount.key)];
  await send('DELETE', `/account/invites/${deletedInvite}`, ownAccount.key);
  const { member: theirMember } = await addMember(
    await actForAccount(server().berth.core, otherAccount.account),
    'jo@example.com',
  );

  const beginUpload = async (key: string | null) => {
    const response = await begin(server(), { files: listOf({ 'index.html': '' }) }, { key });
    return response.json<{ upload: string }>().upload;
  };
  const uploads = [
    await beginUpload(otherAccount.key),
    await beginUpload(otherAccount.key),
    await beginUpload(null),
    await beginUpload(ownAccount.key),
  ];
  await sendContents(server(), uploads[1]!, bodyOf(['']), { key: otherAccount.key });
  expect((await commit(server(), uploads[1]!, { key: otherAccount.key })).status).toBe(201);
  await server().database.query('update upload set expires = now() where hash = $1', [
    hash('sha256', uploads[3]!, 'buffer'),
  ]);

  foreignIds = {
    account: {
      'of another account': otherAccount.account,
      'of another account, in capitals': otherAccount.account.toUpperCase(),
      'of mine, in capitals': ownAccount.account.toUpperCase(),
    },
    deployment: {
      'of another account': site.deployment,
      'of another account, by its host': new URL(site.url).host,
      'of another account, in capitals': site.deployment.toUpperCase(),
      'of another account, with a password': protectedSite.deployment,
      'of another account, being deleted': deletedSite.deployment,
      anonymous: anonymousSite.deployment,
      'of mine, deleted': sweptSite.deployment,
    },
    domain: {
      'of another account, below the platform': 'linked.localhost',
      'of another account, that shows nothing': 'empty.localhost',
      'of another account, pending': 'www.theirs.dev',
      'of another account, an apex': 'theirs.org',
      'of another account, proved': 'proved.dev',
      'of another account, in capitals, with a dot': 'WWW.Theirs.DEV.',
      'of another account, in Unicode': 'www.bücher.dev',
      'of mine, deleted': 'gone.localhost',
    },
    token: {
      'of another account': theirToken,
      'of another account, its API key': await newToken(otherAccount.key, { kind: 'api' }),
      'of another account, in capitals': theirToken.toUpperCase(),
      'of mine, that was revoked': revoked,
    },
    claim: {
      'that another account used': hashOf(claimed.claim),
      'that another account used, as a URL': claimed.claim!,
      'that has expired': hashOf(expired.claim),
    },
    invite: {
      'of another account': theirInvite,
      'of another account, in capitals': theirInvite.toUpperCase(),
      'of mine, deleted': deletedInvite,
    },
    member: {
      'of another account': theirMember,
      'of another account, by its e-mail address': 'jo@example.com',
      'of another account, in capitals': theirMember.toUpperCase(),
    },
    upload: {
      'of another account': uploads[0]!,
      'of another account, committed': uploads[1]!,
      anonymous: uploads[2]!,
      'of mine, expired': uploads[3]!,
      'of another account, in capitals': uploads[0]!.toUpperCase(),
    },
    site: {
      'of another account, a deployment': site.deployment,
      'of another account, a deployment by its host': new URL(site.url).host,
      'of another account, a domain': 'linked.localhost',
      'of another account, a pending domain': 'www.theirs.dev',
      'of another account, in Unicode': 'www.bücher.dev',
      'of mine, deleted': sweptSite.deployment,
      'of mine, a deleted domain': 'gone.localhost',
    },
    cursor: {},
  };
  for (const list of ['deployments', 'domains', 'sites', 'tokens', 'activities'])
    for (const [owner, { key }] of Object.entries({ 'another account': otherAccount, mine: ownAccount })) {
      for (let n = 0; n < 2; n += 1) {
        await publish(key);
        await send('PUT', `/domains/${list}-${owner[0]}${n}.localhost`, key, {});
        await newToken(key, {});
      }
      const { nextCursor } = (await send('GET', `/${list}?limit=1`, key)).json<{ nextCursor: string }>();
      foreignIds.cursor[`of ${owner}, of ${list}`] = nextCursor;
    }

  const ownDeployment = await publish(ownAccount.key);
  await send('PUT', '/domains/www.mine.dev', ownAccount.key, {});
  validValues = {
    deployment: ownDeployment.deployment,
    domain: 'www.mine.dev',
    token: await newToken(ownAccount.key, {}),
    labels: ['mine'],
    base: ownDeployment.deployment,
    from: ownDeployment.deployment,
    site: ownDeployment.deployment,
    put: [],
    remove: [],
    upload: await beginUpload(ownAccount.key),
  };
});

function sendRest({ method, path, query, body, contentType, parameter }: Call, reference: string, key: string) {
  const values = { ...validValues, [parameter]: reference };
  const requestPath = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(values[name])));
  const isInQuery = body === null && !path.includes(`{${parameter}}`);
  const sent = new Set([...query, ...(isInQuery ? [parameter] : [])]);
  const search = [...sent]
    .map((name, i) => `${i ? '&' : '?'}${name}=${encodeURIComponent(String(values[name]))}`)
    .join('');
  const contentTypeOnly: RequestOptions = contentType ? { headers: { 'Content-Type': contentType } } : {};
  const options: RequestOptions = body ? { json: fieldsOf(body, values) } : contentTypeOnly;
  return server().api(requestPath + search, { method, key, ...options });
}

function sendTrpc({ operation, type, path, query, body, parameter }: Call, reference: string, key: string) {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!);
  const input = fieldsOf([...names, ...query, ...(body ?? []), parameter], { ...validValues, [parameter]: reference });
  return type === 'query'
    ? server().api(`/trpc/${operation}?input=${encodeURIComponent(JSON.stringify(input))}`, { key })
    : server().api(`/trpc/${operation}`, { method: 'POST', key, json: input });
}

function fieldsOf(names: readonly string[], values: Record<string, unknown>): object {
  return Object.fromEntries(names.map((name) => [name, values[name]]));
}

/** Returns what a client sees of a response, without request id, time and remaining rate limits. */
function visibleParts({ status, headers, text }: HttpResponse): object {
  const { 'x-request-id': id, date, ...others } = headers;
  expect([id, date]).not.toContain(undefined);
  const stableHeaders = Object.entries(others).filter(([name]) => !name.startsWith('ratelimit-'));
  return { status, headers: Object.fromEntries(stableHeaders), text };
}

/** Returns the references that must look missing in this call. The own cursor of the same list is valid. */
function foreignTo({ parameter, path }: Call): [title: string, reference: string][] {
  return Object.entries(foreignIds[resourceOf(parameter)!]).filter(
    ([title]) => title !== `of mine, of ${path.split('/')[1]}`,
  );
}

describe('T22: a resource of another account', () => {
  const resourceCalls = PARAMETER_CALLS.filter((call) => resourceOf(call.parameter) && !mayRevealDomain(call));

  it('is tested for every parameter, unless the parameter is listed as one that names no resource', () => {
    const unknownParameters = PARAMETER_CALLS.filter(
      ({ parameter }) => !resourceOf(parameter) && !OTHER_PARAMETERS.has(parameter),
    );
    expect(unknownParameters.map(({ operation, parameter }) => `${operation}: ${parameter}`)).toEqual([]);
    const callsWithId = resourceCalls.filter(({ parameter }) => parameter !== 'cursor');
    // Only the console calls these operations. Their own tests call them with what belongs to others.
    const notFoundOperations = Object.entries(FOREIGN_RESOURCE_ACCESS).filter(
      ([operation, access]) =>
        access !== 'own' && !/^(?:account\.claimed$|passkeys\.|identities\.|sessions?\.)/.test(operation),
    );
    expect(new Set(callsWithId.map(({ operation }) => operation))).toEqual(
      new Set([...notFoundOperations.map(([operation]) => operation), 'domains.put']),
    );
  });

  const cases = resourceCalls.flatMap((call): [string, Call, typeof sendRest][] => {
    const title = `${call.operation}, ${call.parameter}`;
    const sendHead: typeof sendRest = (getCall, ...more) => sendRest({ ...getCall, method: 'HEAD' }, ...more);
    return [
      [`${title}, REST`, call, sendRest],
      ...(call.isProcedure ? [[`${title}, tRPC`, call, sendTrpc] as [string, Call, typeof sendRest]] : []),
      ...(call.method === 'GET' ? [[`${title}, HEAD`, call, sendHead] as [string, Call, typeof sendRest]] : []),
    ];
  });
  /** Returns the status of a call with a reference that names no resource, and a text in its body. */
  function responseTo({ operation, parameter }: Call): [status: number, text: string] {
    if (parameter === 'cursor') return [400, '"error":"validation_failed"'];
    const isFilter = FOREIGN_RESOURCE_ACCESS[operation as keyof typeof FOREIGN_RESOURCE_ACCESS] === 'empty';
    return isFilter ? [200, '"deployments":[]'] : [404, '"error":"not_found"'];
  }

  it.each(cases)('gets the same response as a missing resource: %s', async (title, call, send) => {
    const resource = resourceOf(call.parameter)!;
    const footprintBefore = await footprintOf(server());
    const missing = await send(call, MISSING_NAMES[resource], ownAccount.key);
    const [status, text] = responseTo(call);
    expect(missing.status).toBe(status);
    if (!title.endsWith('HEAD')) expect(missing.text).toContain(text);
    const references = foreignTo(call);
    expect(references.length).toBeGreaterThan(2);
    for (const [title, reference] of references)
      expect([title, visibleParts(await send(call, reference, ownAccount.key))]).toEqual([
        title,
        visibleParts(missing),
      ]);
    expect(await footprintOf(server())).toEqual(footprintBefore);
  });

  it('is indistinguishable from a missing resource with a deploy token, which may only use uploads and its domains', async () => {
    const request = { domains: [validValues['domain']] };
    const key = (await server().api('/tokens', { method: 'POST', key: ownAccount.key, json: request })).json<{
      secret: string;
    }>().secret;
    server().secrets.add(key);
    for (const call of resourceCalls)
      for (const send of call.isProcedure ? [sendRest, sendTrpc] : [sendRest]) {
        const responses = [];
        for (const reference of [
          MISSING_NAMES[resourceOf(call.parameter)!],
          ...foreignTo(call).map(([, reference]) => reference),
        ])
          responses.push(JSON.stringify(visibleParts(await send(call, reference, key))));
        expect([call.operation, new Set(responses).size]).toEqual([call.operation, 1]);
        const isRead = mayCall(call.operation, 'deploy') && call.parameter !== 'domain';
        const readCode = call.parameter === 'cursor' ? 'validation_failed' : 'not_found';
        expect(responses[0]).toContain(isRead ? readCode : 'forbidden');
      }
  });

  it.each(PARAMETER_CALLS.filter(mayRevealDomain).map((call) => [call.operation, call] as const))(
    'api §4: is only reported as taken by %s, without its owner and its deployment',
    async (_, call) => {
      const footprintBefore = await footprintOf(server());
      for (const send of [sendRest, sendTrpc]) {
        const responses = [];
        for (const name of ['linked.localhost', 'empty.localhost', 'proved.dev'])
          responses.push((await send(call, name, ownAccount.key)).text.replaceAll(name, '<name>'));
        expect(new Set(responses).size).toBe(1);
        expect(responses[0]).toContain('belongs to another account');
        for (const secret of [otherAccount.account, ...Object.values(foreignIds.deployment)])
          expect(responses[0]).not.toContain(secret);
      }
      expect(await footprintOf(server())).toEqual(footprintBefore);
    },
  );
});

describe('I12: another account', () => {
  it.each(['/deployments', '/domains', '/tokens', '/labels', '/activities', '/account'])(
    'does not appear in GET %s',
    async (path) => {
      const { text } = await server().api(path, { key: ownAccount.key });
      const { 'of mine, deleted': _deleted, ...others } = foreignIds.deployment;
      for (const secret of [
        otherAccount.account,
        ...Object.values(others),
        'theirs.dev',
        foreignIds.token['of another account']!,
      ])
        expect(text).not.toContain(secret);
      expect((await server().api(path, { key: otherAccount.key })).text).not.toContain(ownAccount.account);
    },
  );

  it('cannot use a cursor that was issued to the first account', async () => {
    for (const list of ['deployments', 'domains', 'sites', 'tokens', 'activities']) {
      const readPage = (cursor: string, key: string) => server().api(`/${list}?cursor=${cursor}`, { key });
      expect((await readPage(foreignIds.cursor[`of mine, of ${list}`]!, ownAccount.key)).status).toBe(200);
      expect((await readPage(foreignIds.cursor[`of another account, of ${list}`]!, otherAccount.key)).status).toBe(200);
      expectError(await readPage(foreignIds.cursor[`of mine, of ${list}`]!, otherAccount.key), 'validation_failed');
    }
  });
});

it('api §3: two accounts share the stored bytes of equal files, and each keeps them when the other deletes its site', async () => {
  const files = { 'index.html': 'shared by two', 'large.bin': 'x'.repeat(200_000) };
  const [ownSite, otherSite] = [
    await server().publish(files, { key: ownAccount.key }),
    await server().publish(files, { key: otherAccount.key }),
  ];
  await server().api(`/deployments/${ownSite.deployment}`, { method: 'DELETE', key: ownAccount.key });
  expect((await server().visit(ownSite.url)).status).toBe(404);
  for (const [path, text] of Object.entries(files))
    expect(await server().visit(otherSite.url, `/${path}`)).toMatchObject({ status: 200, text });
});
