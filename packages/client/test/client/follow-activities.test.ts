import type { Activity } from '@berth/contract';
import { answerEndlessly, startAnswering, unreachableAddress } from '@berth/testing/fake-servers';
import { startProxy } from '@berth/testing/proxy';
import { OWNER_KEY } from '@berth/testing/requests';
import { useServer } from '@berth/testing/use-server';
import { expect, onTestFinished, test } from 'vitest';
import { type ClientOptions, createClient } from '../../src/client.ts';
import { type FollowOptions, followActivities } from '../../src/follow-activities.ts';

const server = useServer();

/** Creates an account that has no activities except those of the test. */
async function openAccount() {
  const { account, key } = await server().account('pro');
  await server().database.query('delete from activity where account_id = $1', [account]);
  return {
    account,
    key,
    /** Adds activities with the given names, one after the other. */
    async addActivities(...names: (string | number)[]) {
      await server().database.query(
        `insert into activity (account_id, event, created, auth_method, meta)
         select $1, 'account.update', now(), 'operator', json_build_object('name', name)
         from unnest($2::text[]) with ordinality as given (name, place) order by place`,
        [account, names],
      );
    },
  };
}

/** Follows an account until the test ends. */
function followWith(client: ClientOptions, options: FollowOptions = {}) {
  const stopAbort = new AbortController();
  onTestFinished(() => stopAbort.abort());
  const streamStarted = Promise.withResolvers<void>();
  const activities = followActivities(createClient(client), stopAbort.signal, {
    ...options,
    onBegin: streamStarted.resolve,
  });
  return {
    stop: stopAbort,
    begun: streamStarted.promise,
    activities,
    /** Returns the names of the next activities. */
    async next(count = 1): Promise<unknown[]> {
      const receivedActivities: Activity[] = [];
      while (receivedActivities.length < count) receivedActivities.push((await activities.next()).value);
      return receivedActivities.map(({ meta }) => meta['name']);
    },
  };
}

const clientOptions = (key: string) => ({ server: `http://localhost:${server().port}`, key });

test('followActivities yields the requested past activities first, then new ones, the oldest first', async () => {
  const { key, addActivities } = await openAccount();
  await addActivities('one', 'two', 'three');
  const lastTwo = followWith(clientOptions(key), { last: 2 });
  const allActivities = followWith(clientOptions(key), { last: Infinity });
  const onlyNew = followWith(clientOptions(key));
  const firstNew = onlyNew.next();
  expect(await lastTwo.next(2)).toEqual(['two', 'three']);
  expect(await allActivities.next(3)).toEqual(['one', 'two', 'three']);
  await onlyNew.begun;
  await addActivities('four');
  expect([await lastTwo.next(), await allActivities.next(), await firstNew]).toEqual([['four'], ['four'], ['four']]);
});

test('followActivities yields an activity once and in order if it happens while the connection opens', async () => {
  const { key, addActivities } = await openAccount();
  await addActivities('before');
  const { next } = followWith(
    {
      ...clientOptions(key),
      fetch: async (input, init) => {
        const response = await fetch(input, init);
        await addActivities('meanwhile');
        return response;
      },
    },
    { last: 1 },
  );
  expect(await next()).toEqual(['before']);
  await addActivities('after');
  expect(await next(2)).toEqual(['meanwhile', 'after']);
});

test.each(['after some', 'before the first'])(
  'followActivities resumes after a connection is cut %s activity, and yields each later activity once',
  async (when) => {
    const { key, addActivities } = await openAccount();
    await addActivities('before');
    const proxy = await startProxy(server().port);
    const connections: boolean[] = [];
    const onConnection = (isConnected: boolean) => void connections.push(isConnected);
    const { begun, next } = followWith({ server: proxy.url, key }, { onConnection });
    let receivedActivity = next();
    await begun;
    if (when === 'after some') {
      await addActivities('zero');
      expect(await receivedActivity).toEqual(['zero']);
      receivedActivity = next();
    }

    const restored = Promise.withResolvers<undefined>();
    // A gateway error, a server error, and a request to try again later.
    const troubles = [{ status: 502 }, { status: 500 }, { status: 503, headers: { 'Retry-After': '0' } }];
    proxy.trouble = () => troubles.shift() ?? restored.promise;
    proxy.cut();
    await addActivities('one', 'two');
    restored.resolve(undefined);
    await addActivities('three');
    expect([...(await receivedActivity), ...(await next(2))]).toEqual(['one', 'two', 'three']);
    await addActivities('four');
    expect(await next()).toEqual(['four']);
    expect(connections).toEqual([false, true]);
    expect(proxy.passed.map(({ status }) => status)).toEqual([200, 502, 500, 503, 200]);
  },
);

test('followActivities yields every activity to a slow caller, and the server keeps the activities that were not read', async () => {
  const { key, addActivities } = await openAccount();
  const names = Array.from({ length: 2_500 }, (_, at) => String(at));
  await addActivities(...names);
  const disconnected = Promise.withResolvers<void>();
  let connectionCount = 0;
  const { next } = followWith(
    {
      ...clientOptions(key),
      fetch: (input, init) => {
        connectionCount += 1;
        init!.signal!.addEventListener('abort', () => disconnected.resolve());
        return fetch(input, init);
      },
    },
    { last: Infinity },
  );
  const firstActivity = await next();
  await disconnected.promise;
  expect(connectionCount).toBe(1);
  expect([...firstActivity, ...(await next(names.length - 1))]).toEqual(names);
  expect(connectionCount).toBeGreaterThan(1);
  await addActivities('last');
  expect(await next()).toEqual(['last']);
});

test('followActivities throws the error of the server if the key is no longer accepted', async () => {
  const { account, key, addActivities } = await openAccount();
  const { begun, next } = followWith(clientOptions(key));
  const refusedError = { kind: 'signed-out', status: 401, code: 'authentication_failed' };
  const refusal = expect(next()).rejects.toMatchObject(refusedError);
  await begun;
  await server().database.query('delete from token where account_id = $1', [account]);
  await addActivities('unseen');
  await refusal;
});

test('followActivities stops if its caller aborts, even between two connections', async () => {
  const { key } = await openAccount();
  const proxy = await startProxy(server().port);
  const directStream = followWith(clientOptions(key));
  const proxiedStream = followWith({ server: proxy.url, key });
  const expectedAborts = [directStream, proxiedStream].map(({ next }) =>
    expect(next()).rejects.toMatchObject({ kind: 'aborted' }),
  );
  await Promise.all([directStream.begun, proxiedStream.begun]);
  const streamRequested = Promise.withResolvers<void>();
  proxy.trouble = () => (streamRequested.resolve(), { status: 503, headers: { 'Retry-After': '3600' } });
  proxy.cut();
  await streamRequested.promise;
  directStream.stop.abort();
  proxiedStream.stop.abort();
  await Promise.all(expectedAborts);
});

test('followActivities fails without a server, with an invalid key, or with too many subscribers', async () => {
  const { key } = await openAccount();
  const expectFailure = (client: ClientOptions) => expect(followWith(client).next()).rejects;
  await expectFailure({ server: await unreachableAddress(), key }).toMatchObject({ kind: 'network' });
  await expectFailure(clientOptions(`ship-${'f'.repeat(32)}`)).toMatchObject({ kind: 'signed-out', status: 401 });
  const connections = Array.from({ length: 20 }, () => followWith(clientOptions(key)));
  for (const { next } of connections) void next().catch(() => {});
  await Promise.all(connections.map(({ begun }) => begun));
  await expectFailure(clientOptions(key)).toMatchObject({ kind: 'unavailable', status: 429, retryAfterSeconds: 30 });
});

const EVENTS = { 'Content-Type': 'text/event-stream' };
const BEGIN_EVENT = 'event: begin\nid: 1\ndata: 0\n\n';
const ENDLESS_EVENTS = [
  ['in one line', 'x'],
  ['in many lines', 'data: x\n'],
] as const;
test.each(ENDLESS_EVENTS)('followActivities fails early if the server sends an endless event %s', async (_, piece) => {
  const sentBody = { bytes: 0 };
  const url = await startAnswering((_req, res) => {
    res.writeHead(200, EVENTS).write(`event: connected\ndata: {}\n\n${BEGIN_EVENT}data: `);
    answerEndlessly(res, piece, sentBody);
  });
  await expect(followWith({ server: url, key: OWNER_KEY }).next()).rejects.toMatchObject({
    kind: 'server',
    message: expect.stringContaining('is too large: an event must have at most 65536 characters'),
  });
  expect(sentBody.bytes).toBeLessThan(32 * 1024 ** 2);
});

test('followActivities refuses a redirect', async () => {
  const requestedIds: (string | undefined)[] = [];
  const target = await startAnswering(
    (req, res) => (requestedIds.push(req.url), res.writeHead(200, EVENTS).write(BEGIN_EVENT)),
  );
  const url = await startAnswering((req, res) => void res.writeHead(307, { Location: target + req.url }).end());
  await expect(followWith({ server: url, key: OWNER_KEY }).next()).rejects.toMatchObject({
    kind: 'refused',
    status: 307,
  });
  expect(requestedIds).toEqual([]);
});
