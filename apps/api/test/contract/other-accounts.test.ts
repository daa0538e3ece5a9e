import { hash } from 'node:crypto';
import { appRouter, FOREIGN_RESOURCE_ACCESS, mayCall } from '@berth/core';
import { sweep } from '@berth/core/jobs';
import { begin, bodyOf, commit, send as sendContents } from '@berth/testing/delta';
import { expectErrorAnswer, footprintOf } from '@berth/testing/expectations';
import { type Document, openApi } from '@berth/testing/open-api';
import type { Answer, Ask } from '@berth/testing/requests';
import type { TestServer } from '@berth/testing/server';
import { listOf } from '@berth/testing/uploads';
import { useServer } from '@berth/testing/use-server';
import { beforeAll, describe, expect, it } from 'vitest';
import { renderOpenApi } from '../../src/api-host/openapi-file.ts';

type Account = Awaited<ReturnType<TestServer['account']>>;

/**
 * References that never existed, by what belongs to an account and can be named by others. Cursors are not resources, but
 * a foreign one must get the answer of an invalid one.
 */
const MISSING = {
  deployment: 'calm-otter-zzzzzzz',
  domain: 'never-was.localhost',
  token: 'zzzzzzz',
  claim: '0123456789abcdef0123456789abcdef',
  upload: 'fedcba9876543210fedcba9876543210',
  cursor: 'bWFkZS11cA',
};
type Resource = keyof typeof MISSING;

/** What a parameter names; `undefined` if it names no resource. */
function resourceOf(parameter: string): Resource | undefined {
  if (parameter === 'base') return 'deployment';
  return parameter in MISSING ? (parameter as Resource) : undefined;
}

/**
 * The parameters that name no resource. A key of idempotency is separate for each credential. A new parameter must be
 * added here or above, else a test fails.
 */
const NAMES_NOTHING = new Set('limit labels kind ttl files put remove password via Idempotency-Key'.split(' '));

const { operations, follow } = openApi(JSON.parse(renderOpenApi()) as Document);
const PROCEDURES = appRouter._def.procedures as unknown as Record<string, { _def: { type: 'query' | 'mutation' } }>;
/**
 * Every parameter of every operation: in the path, the query, or the JSON body, whose fields are in `body`. The
 * multipart upload names no resources.
 */
const CALLS = operations.flatMap(({ operationId: operation, method, path, parameters = [], requestBody }) => {
  const [type = null] = Object.keys(requestBody?.content ?? {});
  const json = requestBody?.content['application/json'];
  const body = json ? Object.keys(follow(json.schema).properties ?? {}) : null;
  const names = new Set([...parameters.map(({ name }) => name), ...(body ?? [])]);
  const call = { operation, method, path, body, contentType: json ? null : type };
  return [...names].map((parameter) => ({ ...call, type: PROCEDURES[operation]?._def.type ?? 'mutation', parameter }));
});
type Call = (typeof CALLS)[number];

const server = useServer({ env: { APEX_ADDRESSES: '192.0.2.10' }, clean: { secrets: ['open-sesame'] } });
let ownAccount: Account;
let otherAccount: Account;
/** References to resources of another account, each of which must get the same answer as a missing one. */
let foreign: Record<Resource, Record<string, string>>;
/** The other parameters of a call: valid, so that only the one reference can be at fault. */
let good: Record<string, unknown>;

/** Operations in which anyone may name a domain; their answer is allowed to differ for this reason. */
const isOwn = ({ operation, parameter }: Call) =>
  parameter === 'domain' &&
  (operation === 'domains.validate' ||
    FOREIGN_RESOURCE_ACCESS[operation as keyof typeof FOREIGN_RESOURCE_ACCESS] === 'own');

beforeAll(async () => {
  [ownAccount, otherAccount] = [await server().account('team'), await server().account('team')];
  const publish = (key: string | null, fields: Record<string, string> = {}) =>
    server().publish({ 'index.html': 'theirs' }, { key, fields });
  const send = (method: string, path: string, key: string, json?: object) => server().api(path, { method, key, json });
  const token = async (key: string, body: object) => {
    const createdToken = (await send('POST', '/tokens', key, body)).json<{ token: string; secret: string }>();
    server().secrets.add(createdToken.secret);
    return createdToken.token;
  };
  const hashOf = (claim: string | undefined) => claim!.split('/').at(-1)!;

  const [site, locked, deleted, anonymous, gone] = [
    await publish(otherAccount.key),
    await publish(otherAccount.key, { password: 'open-sesame' }),
    await publish(otherAccount.key),
    await publish(null),
    await publish(ownAccount.key),
  ];
  await send('DELETE', `/deployments/${gone.deployment}`, ownAccount.key);
  await sweep(server().berth.core);
  await send('DELETE', `/deployments/${deleted.deployment}`, otherAccount.key);

  for (const name of ['linked.localhost', 'www.theirs.dev', 'theirs.org', 'www.xn--bcher-kva.dev'])
    await send('PUT', `/domains/${name}`, otherAccount.key, { deployment: site.deployment });
  await send('PUT', '/domains/empty.localhost', otherAccount.key, {});
  await send('PUT', '/domains/proved.dev', otherAccount.key, {});
  await server().database.query(`update domain set status = 'success', verified = now() where name = 'proved.dev'`);
  await send('PUT', '/domains/gone.localhost', ownAccount.key, {});
  await send('DELETE', '/domains/gone.localhost', ownAccount.key);

  const [revoked, claimed, expired] = [await token(ownAccount.key, {}), await publish(null), await publish(null)];
  await send('DELETE', `/tokens/${revoked}`, ownAccount.key);
  await send('POST', '/account/claim', otherAccount.key, { claim: claimed.claim });
  await server().database.query(`update deployment set expires = now() where id = $1`, [expired.deployment]);
  const ofTheirs = await token(otherAccount.key, {});

  const beginUpload = async (key: string | null) => {
    const answer = await begin(server(), { files: listOf({ 'index.html': '' }) }, { key });
    return answer.json<{ upload: string }>().upload;
  };
  const ofUploads = [
    await beginUpload(otherAccount.key),
    await beginUpload(otherAccount.key),
    await beginUpload(null),
    await beginUpload(ownAccount.key),
  ];
  await sendContents(server(), ofUploads[1]!, bodyOf(['']), { key: otherAccount.key });
  expect((await commit(server(), ofUploads[1]!, { key: otherAccount.key })).status).toBe(201);
  await server().database.query('update upload set expires = now() where hash = $1', [
    hash('sha256', ofUploads[3]!, 'buffer'),
  ]);

  foreign = {
    deployment: {
      'of another account': site.deployment,
      'of another account, by its host': new URL(site.url).host,
      'of another account, in capitals': site.deployment.toUpperCase(),
      'of another account, with a password': locked.deployment,
      'of another account, being deleted': deleted.deployment,
      anonymous: anonymous.deployment,
      'of mine, that is gone': gone.deployment,
    },
    domain: {
      'of another account, below the platform': 'linked.localhost',
      'of another account, that shows nothing': 'empty.localhost',
      'of another account, pending': 'www.theirs.dev',
      'of another account, an apex': 'theirs.org',
      'of another account, proved': 'proved.dev',
      'of another account, in capitals, with a dot': 'WWW.Theirs.DEV.',
      'of another account, in Unicode': 'www.bücher.dev',
      'of mine, that is gone': 'gone.localhost',
    },
    token: {
      'of another account': ofTheirs,
      'of another account, its API key': await token(otherAccount.key, { kind: 'api' }),
      'of another account, in capitals': ofTheirs.toUpperCase(),
      'of mine, that was revoked': revoked,
    },
    claim: {
      'that another account used': hashOf(claimed.claim),
      'that another account used, as a URL': claimed.claim!,
      'that has expired': hashOf(expired.claim),
    },
    upload: {
      'of another account': ofUploads[0]!,
      'of another account, committed': ofUploads[1]!,
      anonymous: ofUploads[2]!,
      'of mine, that is over': ofUploads[3]!,
      'of another account, in capitals': ofUploads[0]!.toUpperCase(),
    },
    cursor: {},
  };
  for (const list of ['deployments', 'domains', 'tokens', 'activities'])
    for (const [who, { key }] of Object.entries({ 'another account': otherAccount, mine: ownAccount })) {
      for (let n = 0; n < 2; n += 1) {
        await publish(key);
        await send('PUT', `/domains/${list}-${who[0]}${n}.localhost`, key, {});
        await token(key, {});
      }
      const { nextCursor } = (await send('GET', `/${list}?limit=1`, key)).json<{ nextCursor: string }>();
      foreign.cursor[`of ${who}, of ${list}`] = nextCursor;
    }

  const ownDeployment = await publish(ownAccount.key);
  await send('PUT', '/domains/www.mine.dev', ownAccount.key, {});
  good = {
    deployment: ownDeployment.deployment,
    domain: 'www.mine.dev',
    token: await token(ownAccount.key, {}),
    labels: ['mine'],
    base: ownDeployment.deployment,
    put: [],
    remove: [],
    upload: await beginUpload(ownAccount.key),
  };
});

function askRest(
  { method, path, body, contentType, parameter }: Call,
  reference: string,
  key: string,
): Promise<Answer> {
  const values = { ...good, [parameter]: reference };
  const address = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(values[name])));
  const search = parameter === 'cursor' ? `?${parameter}=${encodeURIComponent(reference)}` : '';
  const other: Ask = contentType ? { headers: { 'Content-Type': contentType } } : {};
  const ask: Ask = body ? { json: fieldsOf(body, values) } : other;
  return server().api(address + search, { method, key, ...ask });
}

function askTyped({ operation, type, path, body, parameter }: Call, reference: string, key: string): Promise<Answer> {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!);
  const input = fieldsOf([...names, ...(body ?? []), parameter], { ...good, [parameter]: reference });
  return type === 'query'
    ? server().api(`/trpc/${operation}?input=${encodeURIComponent(JSON.stringify(input))}`, { key })
    : server().api(`/trpc/${operation}`, { method: 'POST', key, json: input });
}

function fieldsOf(names: readonly string[], values: Record<string, unknown>): object {
  return Object.fromEntries(names.map((name) => [name, values[name]]));
}

/** All of an answer that a client sees, except its request id, the time, and the remaining rate limits. */
function seen({ status, headers, text }: Answer): object {
  const { 'x-request-id': id, date, ...others } = headers;
  expect([id, date]).not.toContain(undefined);
  const rest = Object.entries(others).filter(([name]) => !name.startsWith('ratelimit-'));
  return { status, headers: Object.fromEntries(rest), text };
}

/**
 * The references for which a parameter of this call must get the same answer. A cursor of one's own for this very list
 * is valid.
 */
function foreignTo({ parameter, path }: Call): [title: string, reference: string][] {
  return Object.entries(foreign[resourceOf(parameter)!]).filter(
    ([title]) => title !== `of mine, of ${path.split('/')[1]}`,
  );
}

describe('T22: a resource of another account gets, byte for byte, the answer of a missing one', () => {
  const naming = CALLS.filter((call) => resourceOf(call.parameter) && !isOwn(call));

  it('every parameter of every operation either names a resource or is listed as one that does not', () => {
    const unknown = CALLS.filter(({ parameter }) => !resourceOf(parameter) && !NAMES_NOTHING.has(parameter));
    expect(unknown.map(({ operation, parameter }) => `${operation}: ${parameter}`)).toEqual([]);
    const callsWithId = naming.filter(({ parameter }) => parameter !== 'cursor');
    const notFoundOperations = Object.entries(FOREIGN_RESOURCE_ACCESS).filter(([, answer]) => answer === 'not_found');
    expect(new Set(callsWithId.map(({ operation }) => operation))).toEqual(
      new Set([...notFoundOperations.map(([operation]) => operation), 'domains.put']),
    );
  });

  const cases = naming.flatMap((call): [string, Call, typeof askRest][] => {
    const title = `${call.operation}, ${call.parameter}`;
    const head: typeof askRest = ({ ...rest }, ...more) => askRest({ ...rest, method: 'HEAD' }, ...more);
    return [
      [`${title}, REST`, call, askRest],
      ...(call.contentType === null ? [[`${title}, tRPC`, call, askTyped] as [string, Call, typeof askRest]] : []),
      ...(call.method === 'GET' ? [[`${title}, HEAD`, call, head] as [string, Call, typeof askRest]] : []),
    ];
  });
  it.each(cases)('%s', async (title, call, ask) => {
    const resource = resourceOf(call.parameter)!;
    const before = await footprintOf(server());
    const missing = await ask(call, MISSING[resource], ownAccount.key);
    const [status, code] = resource === 'cursor' ? [400, 'validation_failed'] : [404, 'not_found'];
    expect(missing.status).toBe(status);
    if (!title.endsWith('HEAD')) expect(missing.text).toContain(`"error":"${code}"`);
    const references = foreignTo(call);
    expect(references.length).toBeGreaterThan(2);
    for (const [which, reference] of references)
      expect([which, seen(await ask(call, reference, ownAccount.key))]).toEqual([which, seen(missing)]);
    expect(await footprintOf(server())).toEqual(before);
  });

  it('also with a deploy token, which is refused for every name except those of uploads, which it may use', async () => {
    for (const call of naming)
      for (const ask of call.contentType === null ? [askRest, askTyped] : [askRest]) {
        const answers = [];
        for (const reference of [MISSING[resourceOf(call.parameter)!], ...foreignTo(call).map(([, one]) => one)])
          answers.push(JSON.stringify(seen(await ask(call, reference, ownAccount.deployToken))));
        expect([call.operation, new Set(answers).size]).toEqual([call.operation, 1]);
        expect(answers[0]).toContain(mayCall(call.operation, 'deploy') ? 'not_found' : 'forbidden');
      }
  });

  it.each(CALLS.filter(isOwn).map((call) => [call.operation, call] as const))(
    'api §4: %s says that a name is taken, but not by whom or for what',
    async (_, call) => {
      const before = await footprintOf(server());
      for (const ask of [askRest, askTyped]) {
        const answers = [];
        for (const name of ['linked.localhost', 'empty.localhost', 'proved.dev'])
          answers.push((await ask(call, name, ownAccount.key)).text.replaceAll(name, '<name>'));
        expect(new Set(answers).size).toBe(1);
        expect(answers[0]).toContain('belongs to another account');
        for (const secret of [otherAccount.account, ...Object.values(foreign.deployment)])
          expect(answers[0]).not.toContain(secret);
      }
      expect(await footprintOf(server())).toEqual(before);
    },
  );
});

describe('I12: no data of another account appears in', () => {
  it.each(['/deployments', '/domains', '/tokens', '/labels', '/activities', '/account'])('%s', async (path) => {
    const { text } = await server().api(path, { key: ownAccount.key });
    const { 'of mine, that is gone': _gone, ...others } = foreign.deployment;
    for (const secret of [
      otherAccount.account,
      ...Object.values(others),
      'theirs.dev',
      foreign.token['of another account']!,
    ])
      expect(text).not.toContain(secret);
    expect((await server().api(path, { key: otherAccount.key })).text).not.toContain(ownAccount.account);
  });

  it('a cursor is valid only for its list and its account', async () => {
    for (const list of ['deployments', 'domains', 'tokens', 'activities']) {
      const page = (cursor: string, key: string) => server().api(`/${list}?cursor=${cursor}`, { key });
      expect((await page(foreign.cursor[`of mine, of ${list}`]!, ownAccount.key)).status).toBe(200);
      expect((await page(foreign.cursor[`of another account, of ${list}`]!, otherAccount.key)).status).toBe(200);
      expectErrorAnswer(await page(foreign.cursor[`of mine, of ${list}`]!, otherAccount.key), 'validation_failed');
    }
  });
});

it('api §3: equal content of two accounts is stored once, and each account keeps it when the other deletes', async () => {
  const files = { 'index.html': 'shared by two', 'large.bin': 'x'.repeat(200_000) };
  const [one, other] = [
    await server().publish(files, { key: ownAccount.key }),
    await server().publish(files, { key: otherAccount.key }),
  ];
  await server().api(`/deployments/${one.deployment}`, { method: 'DELETE', key: ownAccount.key });
  expect((await server().visit(one.url)).status).toBe(404);
  for (const [path, text] of Object.entries(files))
    expect(await server().visit(other.url, `/${path}`)).toMatchObject({ status: 200, text });
});
