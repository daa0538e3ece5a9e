import { randomUUID } from 'node:crypto';
import { footprintOf } from '@berth/testing/expectations';
import { field, file, type Form, multipart, post, withChecksums } from '@berth/testing/multipart';
import { type Answer, OWNER_KEY } from '@berth/testing/requests';
import { useServer } from '@berth/testing/use-server';
import { describe, expect, it } from 'vitest';

const server = useServer({ clean: { secrets: ['open-sesame'] } });

const HOME = [file('index.html', 'home'), file('a.txt', 'a')];
const FORM = multipart(withChecksums(HOME));
const send = (key: string, form: Form = FORM, credential: string | null = OWNER_KEY) =>
  post(server(), form, { key: credential, headers: { 'Idempotency-Key': key } });

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
  it.each<[string, string | null, Record<string, string>]>([
    ['an account', OWNER_KEY, { ttl: '60' }],
    ['an anonymous client', null, {}],
  ])('of %s gets the first 201 verbatim, and changes nothing', async (_, credential, own) => {
    const key = randomUUID();
    const fields = { labels: '["one"]', password: 'open-sesame', via: 'cli', ...own };
    const parts = [...HOME, file('.hidden', 'x'), ...Object.entries(fields).map(([name, value]) => field(name, value))];
    const form = multipart(withChecksums(parts));
    const first = await send(key, form, credential);
    expectNew(first);
    const before = await footprintOf(server());
    for (let i = 0; i < 3; i += 1) expectReplay(await send(key, form, credential), first);
    expect(await footprintOf(server())).toEqual(before);
  });

  it.each<[string, Form]>([
    ['another boundary', multipart(withChecksums(HOME), { boundary: 'another' })],
    ['the checksums first', multipart([withChecksums(HOME).at(-1)!, ...HOME])],
    [
      'other types',
      multipart(withChecksums(HOME.map((part) => ({ ...part, headers: [part.headers[0]!, 'Content-Type: x/other'] })))),
    ],
  ])('may have %s', async (_, form) => {
    const key = randomUUID();
    const first = await send(key);
    expectReplay(await send(key, form), first);
  });
});

describe('api §1: the header Idempotency-Key', () => {
  it.each([['x'.repeat(256)], ['with spaces, "quotes"'], ['é\u00ff'], ["'; drop table idempotency_record; --"]])(
    'is accepted as %.40j, and distinguishes case',
    async (key) => {
      const first = await send(key);
      expectNew(first);
      expectReplay(await send(`  ${key}\t`), first);
      expectNew(await send(key.startsWith('é') ? 'É\u00ff' : key.toUpperCase()));
    },
  );
});
