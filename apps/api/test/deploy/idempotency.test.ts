import { randomUUID } from 'node:crypto';
import type { CreatedDeployment } from '@berth/contract';
import { expectErrorAnswer, expectRefusal, footprintOf } from '@berth/testing/expectations';
import {
  field,
  file,
  type Form,
  type FormShape,
  multipart,
  type Part,
  post,
  withChecksums,
} from '@berth/testing/multipart';
import { type Answer, OWNER_KEY } from '@berth/testing/requests';
import { useServer } from '@berth/testing/use-server';
import { describe, expect, it } from 'vitest';

const server = useServer({ plans: { team: { caps: { deployments: 1 } } }, clean: { secrets: ['open-sesame'] } });

const HOME = [file('index.html', 'home'), file('a.txt', 'a')];
const formOf = (parts: readonly Part[] = HOME, shape?: FormShape) => multipart(withChecksums(parts), shape);
const send = (key: string, form: Form = formOf(), credential: string | null = OWNER_KEY) =>
  post(server(), form, { key: credential, headers: { 'Idempotency-Key': key } });
const idOf = (answer: Answer) => answer.json<CreatedDeployment>().deployment;

/** Checks that the answer equals the first one, byte for byte. */
function expectReplay(answer: Answer, first: Answer): void {
  expect([answer.status, answer.headers['idempotency-replay'], answer.text]).toEqual([201, 'true', first.text]);
  const rest = ({ 'x-request-id': _id, date: _date, 'idempotency-replay': _replay, ...headers }: Answer['headers']) =>
    headers;
  expect(rest(answer.headers)).toEqual(rest(first.headers));
  expect(answer.headers['x-request-id']).not.toBe(first.headers['x-request-id']);
}

function expectNew(answer: Answer): void {
  expect([answer.status, answer.headers['idempotency-replay']]).toEqual([201, undefined]);
}

describe('T25: a retry with the same key and the same request', () => {
  it('gets the first 201 verbatim, and changes nothing', async () => {
    const key = randomUUID();
    const parts = [
      ...HOME,
      file('.hidden', 'x'),
      field('labels', '["one"]'),
      field('password', 'open-sesame'),
      field('ttl', '60'),
      field('via', 'cli'),
    ];
    const first = await send(key, formOf(parts));
    expectNew(first);
    const before = await footprintOf(server());
    for (let i = 0; i < 3; i += 1) expectReplay(await send(key, formOf(parts)), first);
    expect(await footprintOf(server())).toEqual(before);
  });

  it.each<[string, Form]>([
    ['with another boundary', formOf(HOME, { boundary: 'another' })],
    ['in another order', formOf(HOME.toReversed())],
    ['with the checksums first', multipart([withChecksums(HOME).at(-1)!, ...HOME])],
    [
      'with other types',
      formOf(HOME.map(({ headers, body }) => ({ headers: [headers[0]!, 'Content-Type: application/x-other'], body }))),
    ],
    ['with a leading slash', formOf([file('/index.html', 'home'), file('./a.txt', 'a')])],
    ['with junk', formOf([...HOME, file('.DS_Store', 'x')])],
    ['with explicit default values', formOf([...HOME, field('labels', '[]'), field('via', 'api')])],
    ['with an invalid via', formOf([...HOME, field('via', 'not valid')])],
  ])('%s', async (_, form) => {
    const key = randomUUID();
    const first = await send(key);
    expectReplay(await send(key, form), first);
  });

  it('also replays the claim of an anonymous deploy to its client', async () => {
    const key = randomUUID();
    const first = await send(key, formOf(), null);
    expect(first.json()).toHaveProperty('claim');
    expectReplay(await send(key, formOf(), null), first);
  });

  it('is also replayed if the deployment was changed or deleted, or the account has reached its cap', async () => {
    const { key: owner } = await server().account('team');
    const key = randomUUID();
    const first = await send(key, formOf(), owner);
    await server().api(`/deployments/${idOf(first)}`, {
      method: 'PATCH',
      key: owner,
      headers: { 'Content-Type': 'application/json' },
      body: '{"labels":["new"]}',
    });
    expectReplay(await send(key, formOf(), owner), first);
    await expectRefusal(server(), 'forbidden', () => send(randomUUID(), formOf(), owner));
    await server().api(`/deployments/${idOf(first)}`, { method: 'DELETE', key: owner });
    expectReplay(await send(key, formOf(), owner), first);
    expect((await server().visit(idOf(first))).status).toBe(404);
  });
});

describe('T25: the same key for', () => {
  it.each<[string, Part[]]>([
    ['another content', [file('index.html', 'hame'), HOME[1]!]],
    ['one more dot file', [...HOME, file('.hidden', 'x')]],
    ['a password', [...HOME, field('password', 'open-sesame')]],
  ])('%s is 422', async (_, parts) => {
    const key = randomUUID();
    const first = await send(key);
    await expectRefusal(server(), 'business_logic_error', () => send(key, formOf(parts)));
    expectReplay(await send(key), first);
  });

  it('another request at the same time is one 201, and 422 for the rest', async () => {
    const key = randomUUID();
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, i) => send(key, formOf([file('index.html', `version ${i}`)]))),
    );
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, ...Array(11).fill(422)]);
    for (const answer of answers) if (answer.status === 422) expectErrorAnswer(answer, 'business_logic_error');
  });

  it('another credential, or none, is a separate deployment', async () => {
    const key = randomUUID();
    const { key: apiKey, deployToken } = await server().account();
    const answers = [];
    for (const credential of [OWNER_KEY, apiKey, deployToken, null])
      answers.push(await send(key, formOf(), credential));
    for (const answer of answers) expectNew(answer);
    expect(new Set(answers.map(idOf)).size).toBe(4);
  });

  it('api §3: after a failed deploy its key can be used for a new one', async () => {
    const key = randomUUID();
    await expectRefusal(server(), 'validation_failed', () => send(key, multipart(HOME)));
    await expectRefusal(server(), 'validation_failed', () => send(key, formOf([file('../x', 'x')])));
    expectNew(await send(key));
  });
});

describe('api §1: the header Idempotency-Key', () => {
  it.each([
    ['x'],
    ['x'.repeat(256)],
    [` ${'y'.repeat(256)} `],
    ['with spaces inside'],
    ['"quoted"'],
    ['a,b'],
    ['é\u00ff'],
    ["'; drop table idempotency_record; --"],
    ['__proto__'],
  ])('is accepted as %.40j', async (key) => {
    const first = await send(key);
    expectNew(first);
    expectReplay(await send(key), first);
  });

  it.each([[''], [' '], ['\t'], ['x'.repeat(257)], ['x'.repeat(5000)]])('is 400 as %.40j', async (key) => {
    for (const credential of [OWNER_KEY, null]) {
      const { details } = await expectRefusal(server(), 'validation_failed', () => send(key, formOf(), credential));
      expect(details).toMatchObject({ issues: [{ path: 'Idempotency-Key' }] });
    }
  });

  it('is trimmed and case-sensitive', async () => {
    const key = randomUUID();
    const first = await send(key);
    expectReplay(await send(`  ${key}\t`), first);
    expectNew(await send(key.toUpperCase()));
  });

  it('is optional: without it each deploy is separate', async () => {
    expect((await server().publish({ a: '1' })).deployment).not.toBe((await server().publish({ a: '1' })).deployment);
  });
});
