import { sweep } from '@berth/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { closeClean, expectErrorAnswer, footprintOf } from '../standing-asserts.ts';
import { type Answer, type Ask, startTestServer, type TestServer } from '../test-server.ts';

type Account = Awaited<ReturnType<TestServer['account']>>;

let server: TestServer;
let mine: Account;
let theirs: Account;
/** References to what is not mine, each of which has to look like one that never was. */
let foreign: Record<string, string>;
const MISSING = 'calm-otter-zzzzzzz';

beforeAll(async () => {
  server = await startTestServer();
  [mine, theirs] = [await server.account(), await server.account()];
  const publish = (key: string | null, fields?: Record<string, string>) =>
    server.publish({ 'index.html': 'theirs' }, { key, ...(fields ? { fields } : {}) });
  const [site, locked, deleted, anonymous] = [
    await publish(theirs.key),
    await publish(theirs.key, { password: 'open-sesame' }),
    await publish(theirs.key),
    await publish(null),
  ];
  const gone = await publish(mine.key);
  await server.api(`/deployments/${gone.deployment}`, { method: 'DELETE', key: mine.key });
  await sweep(server.berth.core);
  await server.api(`/deployments/${deleted.deployment}`, { method: 'DELETE', key: theirs.key });
  foreign = {
    'of another account': site.deployment,
    'of another account, by its host': new URL(site.url).host,
    'of another account, in capitals': site.deployment.toUpperCase(),
    'of another account, with a password': locked.deployment,
    'of another account, being deleted': deleted.deployment,
    'of nobody': anonymous.deployment,
    'of mine, that is gone': gone.deployment,
  };
});
afterAll(() => closeClean(server, ['open-sesame']));

const JSON_TYPE = { 'Content-Type': 'application/json' };
const OPERATIONS: [string, (reference: string) => [path: string, ask: Ask]][] = [
  ['GET', (reference) => [`/deployments/${reference}`, {}]],
  ['HEAD', (reference) => [`/deployments/${reference}`, { method: 'HEAD' }]],
  [
    'PATCH',
    (reference) => [`/deployments/${reference}`, { method: 'PATCH', headers: JSON_TYPE, body: '{"labels":["mine"]}' }],
  ],
  ['DELETE', (reference) => [`/deployments/${reference}`, { method: 'DELETE' }]],
  [
    'tRPC get',
    (reference) => [`/trpc/deployments.get?input=${encodeURIComponent(JSON.stringify({ deployment: reference }))}`, {}],
  ],
  [
    'tRPC update',
    (reference) => [
      '/trpc/deployments.update',
      { method: 'POST', headers: JSON_TYPE, body: JSON.stringify({ deployment: reference, labels: ['mine'] }) },
    ],
  ],
  [
    'tRPC delete',
    (reference) => [
      '/trpc/deployments.delete',
      { method: 'POST', headers: JSON_TYPE, body: JSON.stringify({ deployment: reference }) },
    ],
  ],
];

/** All of an answer that a client sees, less its own id and the time. */
function seen({ status, headers, text }: Answer): object {
  const { 'x-request-id': id, date, ...rest } = headers;
  expect([id, date]).not.toContain(undefined);
  return { status, headers: rest, text };
}

describe('T22: a deployment that is not mine is, to the byte, one that never was', () => {
  it.each(OPERATIONS)('%s', async (_, operation) => {
    const ask = (reference: string) => {
      const [path, options] = operation(reference);
      return server.api(path, { ...options, key: mine.key });
    };
    const before = await footprintOf(server);
    const missing = await ask(MISSING);
    expect([missing.status, missing.text === '' || missing.text.includes('not_found')]).toEqual([404, true]);
    for (const [title, reference] of Object.entries(foreign))
      expect([title, seen(await ask(reference))]).toEqual([title, seen(missing)]);
    expect(await footprintOf(server)).toEqual(before);
  });

  it('the same holds for a deploy token, which is refused whatever it names', async () => {
    for (const [, operation] of OPERATIONS) {
      const answers = [];
      for (const reference of [MISSING, ...Object.values(foreign)]) {
        const [path, options] = operation(reference);
        answers.push(seen(await server.api(path, { ...options, key: mine.deployToken })));
      }
      expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
    }
  });
});

describe('I12: nothing of another account is in', () => {
  it.each(['/deployments', '/activities', '/account'])('%s', async (path) => {
    const { text } = await server.api(path, { key: mine.key });
    for (const secret of [theirs.account, ...Object.values(foreign).slice(0, -1)]) expect(text).not.toContain(secret);
    expect((await server.api(path, { key: theirs.key })).text).not.toContain(mine.account);
  });

  it('a cursor of another account, or of another list: it is 400', async () => {
    for (let i = 0; i < 3; i += 1) await server.publish({ a: `${i}` }, { key: theirs.key });
    const cursorOf = async (path: string) =>
      (await server.api(`${path}?limit=1`, { key: theirs.key })).json<{ nextCursor: string }>().nextCursor;
    const [deployments, activities] = [await cursorOf('/deployments'), await cursorOf('/activities')];
    expect((await server.api(`/deployments?cursor=${deployments}`, { key: theirs.key })).status).toBe(200);
    expect((await server.api(`/activities?cursor=${activities}`, { key: theirs.key })).status).toBe(200);
    expectErrorAnswer(await server.api(`/deployments?cursor=${deployments}`, { key: mine.key }), 'validation_failed');
    expectErrorAnswer(await server.api(`/activities?cursor=${activities}`, { key: mine.key }), 'validation_failed');
    expectErrorAnswer(await server.api(`/activities?cursor=${deployments}`, { key: theirs.key }), 'validation_failed');
    expectErrorAnswer(await server.api(`/deployments?cursor=${activities}`, { key: theirs.key }), 'validation_failed');
  });
});

it('contract §3: equal content of two accounts is stored once, and each keeps it when the other deletes', async () => {
  const files = { 'index.html': 'shared by two', 'large.bin': 'x'.repeat(200_000) };
  const [one, other] = [
    await server.publish(files, { key: mine.key }),
    await server.publish(files, { key: theirs.key }),
  ];
  await server.api(`/deployments/${one.deployment}`, { method: 'DELETE', key: mine.key });
  expect((await server.visit(one.url)).status).toBe(404);
  for (const [path, text] of Object.entries(files))
    expect(await server.visit(other.url, `/${path}`)).toMatchObject({ status: 200, text });
});
