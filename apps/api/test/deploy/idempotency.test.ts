import { randomUUID } from 'node:crypto';
import { footprintOf } from '@berth/testing/expectations';
import { field, file, type Form, multipart, post, withChecksums } from '@berth/testing/multipart';
import { type HttpResponse, OWNER_KEY } from '@berth/testing/requests';
import { useServer } from '@berth/testing/use-server';
import { describe, expect, it } from 'vitest';

const server = useServer({ clean: { secrets: ['open-sesame'] } });

const HOME = [file('index.html', 'home'), file('a.txt', 'a')];
const HOME_FORM = multipart(withChecksums(HOME));
const send = (key: string, form: Form = HOME_FORM, credential: string | null = OWNER_KEY) =>
  post(server(), form, { key: credential, headers: { 'Idempotency-Key': key } });

/** Checks that a response equals the first response byte for byte, except its request id and date. */
function expectReplay(response: HttpResponse, original: HttpResponse): void {
  expect([response.status, response.headers['idempotency-replay'], response.text]).toEqual([
    201,
    'true',
    original.text,
  ]);
  const stableHeaders = ({
    'x-request-id': _id,
    date: _date,
    'idempotency-replay': _replay,
    ...headers
  }: HttpResponse['headers']) => headers;
  expect(stableHeaders(response.headers)).toEqual(stableHeaders(original.headers));
  expect(response.headers['x-request-id']).not.toBe(original.headers['x-request-id']);
}

function expectNew(response: HttpResponse): void {
  expect([response.status, response.headers['idempotency-replay']]).toEqual([201, undefined]);
}

describe('T25: a retry with the same key and the same request', () => {
  it.each<[string, string | null, Record<string, string>]>([
    ['an account', OWNER_KEY, { ttl: '60' }],
    ['an anonymous client', null, {}],
  ])('of %s gets the first 201 byte for byte, and changes nothing', async (_, credential, ownFields) => {
    const key = randomUUID();
    const fields = { labels: '["one"]', password: 'open-sesame', via: 'cli', ...ownFields };
    const parts = [...HOME, file('.hidden', 'x'), ...Object.entries(fields).map(([name, value]) => field(name, value))];
    const form = multipart(withChecksums(parts));
    const originalResponse = await send(key, form, credential);
    expectNew(originalResponse);
    const footprintBefore = await footprintOf(server());
    for (let i = 0; i < 3; i += 1) expectReplay(await send(key, form, credential), originalResponse);
    expect(await footprintOf(server())).toEqual(footprintBefore);
  });

  it.each<[string, Form]>([
    ['another boundary', multipart(withChecksums(HOME), { boundary: 'another' })],
    ['the checksums first', multipart([withChecksums(HOME).at(-1)!, ...HOME])],
    [
      'other media types',
      multipart(withChecksums(HOME.map((part) => ({ ...part, headers: [part.headers[0]!, 'Content-Type: x/other'] })))),
    ],
  ])('is still a replay if it has %s', async (_, form) => {
    const key = randomUUID();
    const originalResponse = await send(key);
    expectReplay(await send(key, form), originalResponse);
  });
});

it.each([['x'.repeat(256)], ['with spaces, "quotes"'], ['é\u00ff'], ["'; drop table idempotency_record; --"]])(
  'api §1: the header Idempotency-Key may have the value %.40j, and is case-sensitive',
  async (key) => {
    const originalResponse = await send(key);
    expectNew(originalResponse);
    expectReplay(await send(`  ${key}\t`), originalResponse);
    expectNew(await send(key.startsWith('é') ? 'É\u00ff' : key.toUpperCase()));
  },
);
