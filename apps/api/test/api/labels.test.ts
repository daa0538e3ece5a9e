import { LabelList } from '@berth/contract';
import { useServer } from '@berth/testing/use-server';
import { beforeAll, describe, expect, it } from 'vitest';

const JSON_TYPE = { 'Content-Type': 'application/json' };

const server = useServer({ clean: true });
let key: string;
beforeAll(async () => {
  ({ key } = await server().account());
});

const labels = async () => LabelList.strict().parse((await server().api('/labels', { key })).json()).labels;
const send = (method: string, path: string, body: object) =>
  server().api(path, { method, key, headers: JSON_TYPE, body: JSON.stringify(body) });

describe('api §6: GET /labels', () => {
  it('lists the distinct labels of the account, the most recently used first, over REST and tRPC', async () => {
    expect(await labels()).toEqual([]);
    const { deployment } = await server().publish({ a: 'a' }, { key, fields: { labels: '["site", "shared"]' } });
    await send('PUT', '/domains/labelled.localhost', { labels: ['domain', 'shared'] });
    const answer = await send('POST', '/tokens', { labels: ['token'] });
    server().secrets.add(answer.json<{ secret: string }>().secret);
    const expected = ['token', 'domain', 'shared', 'site'];
    expect(await labels()).toEqual(expected);
    expect((await server().api('/trpc/labels.list', { key })).json()).toEqual({
      result: { data: { labels: expected } },
    });
    await send('PATCH', `/deployments/${deployment}`, { labels: [] });
    expect(await labels()).toEqual(['token', 'domain', 'shared']);
  });
});
