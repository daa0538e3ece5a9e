import { once } from 'node:events';
import type { Activity } from '@berth/contract';
import type { ApiRouter } from '@berth/contract';
import { startProxy } from '@berth/testing/proxy';
import { open } from '@berth/testing/raw-socket';
import { startServer } from '@berth/testing/server';
import { useServer } from '@berth/testing/use-server';
import { createTRPCClient, httpSubscriptionLink, TRPCClientError } from '@trpc/client';
import { EventSource } from 'eventsource';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

const server = useServer({ clean: true });
let owner: { account: string; key: string };
const subscriptions: (() => void)[] = [];
beforeEach(async () => void (owner = await server().account()));
afterEach(() => subscriptions.splice(0).forEach((end) => end()));

/** Subscribes to the activities of an account with the real client. */
function watch(key: string, { url = `http://localhost:${server().port}`, lastEventId = '' } = {}) {
  const client = createTRPCClient<ApiRouter>({
    links: [
      httpSubscriptionLink({
        url: `${url}/trpc`,
        EventSource,
        eventSourceOptions: {
          fetch: (url, init) => fetch(url, { ...init, headers: { ...init.headers, Authorization: `Bearer ${key}` } }),
        },
      }),
    ],
  });
  const connectionOpened = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<TRPCClientError<ApiRouter> | null>();
  const activities: Activity[] = [];
  const states: string[] = [];
  const { unsubscribe } = client.activities.watch.subscribe(lastEventId ? { lastEventId } : undefined, {
    onStarted: () => connectionOpened.resolve(),
    onConnectionStateChange: ({ state }) => void states.push(state),
    onData: ({ data }) => void activities.push(data as Activity),
    onError: (error) => ended.resolve(error),
    onComplete: () => ended.resolve(null),
  });
  subscriptions.push(unsubscribe);
  return {
    activities,
    states,
    /** Resolves once the connection is open. */
    started: connectionOpened.promise,
    /** Resolves when the subscription ends: with its error, or with `null` when the server completed the stream. */
    ended: ended.promise,
    stop: unsubscribe,
  };
}

/** Publishes a site, whose activity contains the name. */
const causeEvent = async (key: string, name: string) => {
  await server().publish({ 'index.html': name }, { key, fields: { via: name } });
};
const namesOf = ({ activities }: ReturnType<typeof watch>) => activities.map(({ meta }) => meta['via']);
const poll = (read: () => unknown) => expect.poll(read, { interval: 10 });

describe('api §9: activities.watch', () => {
  it('emits each new event once and in the order of GET /activities, even if events are parallel', async () => {
    await causeEvent(owner.key, 'before');
    const subscription = watch(owner.key);
    await subscription.started;
    const names = Array.from({ length: 30 }, (_, at) => `n${at}`);
    await Promise.all(names.map((name) => causeEvent(owner.key, name)));
    await poll(() => subscription.activities.length).toBe(30);
    expect(namesOf(subscription).toSorted()).toEqual(names.toSorted());
    const listResponse = await server().api('/activities?limit=30', { key: owner.key });
    expect(subscription.activities).toEqual(listResponse.json<{ activities: Activity[] }>().activities.toReversed());
  });

  it('emits no events of other accounts', async () => {
    const neighbour = await server().account();
    const subscription = watch(neighbour.key);
    await subscription.started;
    await causeEvent(owner.key, 'mine');
    await causeEvent(neighbour.key, 'theirs');
    await poll(() => namesOf(subscription)).toEqual(['theirs']);
  });

  it('resumes after the event that the client names, even if several reads of the table are needed', async () => {
    const [{ id } = { id: '' }] = await server().database.query<{ id: string }>(
      'select max(id)::text as id from activity where account_id = $1',
      [owner.account],
    );
    await server().database.query(
      `insert into activity (account_id, event, created, auth_method, meta)
       select $1, 'account.update', now(), 'operator', json_build_object('via', n) from generate_series(1, 250) n`,
      [owner.account],
    );
    const laterSubscription = watch(owner.key, { lastEventId: id });
    await poll(() => laterSubscription.activities.length).toBe(250);
    expect(namesOf(laterSubscription)).toEqual(Array.from({ length: 250 }, (_, at) => at + 1));
  });

  it('resumes without loss or duplicates when the connection is lost, even before the first event', async () => {
    const proxy = await startProxy(server().port);
    const subscription = watch(owner.key, proxy);
    await subscription.started;
    await causeEvent(owner.key, 'one');
    await poll(() => namesOf(subscription)).toEqual(['one']);
    const laterSubscription = watch(owner.key, proxy);
    await laterSubscription.started;
    proxy.trouble = () => ({ cutAfter: 0 });
    proxy.cut();
    await causeEvent(owner.key, 'two');
    await causeEvent(owner.key, 'three');
    proxy.trouble = () => undefined;
    await poll(() => namesOf(subscription)).toEqual(['one', 'two', 'three']);
    await poll(() => namesOf(laterSubscription)).toEqual(['two', 'three']);
    await causeEvent(owner.key, 'four');
    await poll(() => namesOf(subscription)).toEqual(['one', 'two', 'three', 'four']);
    await poll(() => namesOf(laterSubscription)).toEqual(['two', 'three', 'four']);
  });

  it('emits the missed events after the connection that reads the change log was lost', async () => {
    const subscription = watch(owner.key);
    await subscription.started;
    const readers = `from pg_stat_activity
      where datname = current_database() and query like '%from change%' and pid <> pg_backend_pid()`;
    for (const name of ['one', 'two']) {
      // This statement commits while no connection reads the log.
      const killedConnections = await server().database.query(
        `with made as (
           insert into activity (account_id, event, created, auth_method, meta)
           values ($1, 'account.update', now(), 'operator', json_build_object('via', $2::text)) returning id)
         select pg_terminate_backend(pid) ${readers} and exists (select 1 from made)`,
        [owner.account, name],
      );
      expect(killedConnections).toHaveLength(1);
      await poll(() => namesOf(subscription).at(-1)).toBe(name);
      await poll(() => server().database.query(`select 1 ${readers}`)).toHaveLength(1);
    }
    expect(namesOf(subscription)).toEqual(['one', 'two']);
    expect(subscription.states).not.toContain('idle');
  });

  it.each([
    ['is revoked', 401, 'authentication_failed', `delete from token where account_id = $1`],
    ['belongs to a closed account', 403, 'forbidden', `update account set state = 'terminated' where id = $1`],
  ])('is ended by the next notification when its credential %s', async (_, status, code, statement) => {
    const subscription = watch(owner.key);
    await subscription.started;
    await server().database.query(statement, [owner.account]);
    await server().database.query(
      `insert into activity (account_id, event, created, auth_method, meta) values ($1, 'account.update', now(), 'operator', '{}')`,
      [owner.account],
    );
    const error = await subscription.ended;
    expect(error).toBeInstanceOf(TRPCClientError);
    expect(error!.data).toMatchObject({ error: code, status });
    expect(subscription.activities).toEqual([]);
  });

  it('is ended when its credential expires, even without events', async () => {
    const expireIn = `update token set expires = now() + $2 * interval '1 ms' where account_id = $1`;
    let isConnected = false;
    // On a slow machine, the connection may open only after the credential has expired.
    for (let ms = 300; !isConnected; ms *= 5) {
      await server().database.query(expireIn, [owner.account, ms]);
      const { started, ended } = watch(owner.key);
      isConnected = await Promise.race([started.then(() => true), ended.then(() => false)]);
      expect((await ended)!.data).toMatchObject({ error: 'authentication_failed' });
    }
  });

  it('rejects anonymous clients, deploy tokens and invalid event ids', async () => {
    const { deployToken } = await server().account();
    for (const [key, lastEventId, code] of [
      [deployToken, '', 'forbidden'],
      [owner.key, 'x', 'validation_failed'],
      [owner.key, '-1', 'validation_failed'],
    ] as const)
      expect((await watch(key, { lastEventId }).ended)!.data).toMatchObject({ error: code });
    const anonymous = await server().api('/trpc/activities.watch', { key: null });
    expect(anonymous.text).toContain('"error":"authentication_failed"');
  });

  it('limits the connections of an account, and a closed connection no longer counts', async () => {
    const openSubscriptions = Array.from({ length: 20 }, () => watch(owner.key));
    await Promise.all(openSubscriptions.map(({ started }) => started));
    expect((await watch(owner.key).ended)!.data).toMatchObject({ error: 'rate_limit_exceeded', status: 429 });
    expect((await server().api('/account', { key: owner.key })).status).toBe(200);
    openSubscriptions[0]!.stop();
    await expect
      .poll(async () => {
        const retried = watch(owner.key);
        return Promise.race([retried.started.then(() => 'started'), retried.ended.then(() => 'refused')]);
      })
      .toBe('started');
  });

  it('is sent as text/event-stream, begins with an id to resume from, and sends keep-alives', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      const { socket } = await open(server().port);
      socket.write(
        `GET /trpc/activities.watch HTTP/1.1\r\nHost: localhost:${server().port}\r\nAuthorization: Bearer ${owner.key}\r\n\r\n`,
      );
      let text = '';
      socket.on('data', (chunk) => (text += String(chunk)));
      await poll(() => text).toContain('event: connected');
      expect(text).toMatch(/^HTTP\/1.1 200 OK\r\n/);
      expect(text.toLowerCase()).toContain('content-type: text/event-stream');
      expect(text).toMatch(/event: begin\nretry: 1000\nid: \d+\n/);
      expect(text).not.toContain('event: ping');
      await vi.advanceTimersByTimeAsync(15_000);
      await poll(() => text).toContain('event: ping');
      socket.destroy();
      await once(socket, 'close');
    } finally {
      vi.useRealTimers();
    }
  });

  it('cannot be part of a batch', async () => {
    const batch = await server().api('/trpc/activities.watch?batch=1', { key: owner.key });
    expect(batch.text).toContain('"error":"validation_failed"');
  });
});

it('a server that stops ends its subscriptions at once, and the clients reconnect', async () => {
  const stopping = await startServer();
  const { key } = await stopping.account();
  const subscription = watch(key, { url: `http://localhost:${stopping.port}` });
  await subscription.started;
  const startedMs = performance.now();
  await stopping.close();
  expect(performance.now() - startedMs).toBeLessThan(3000);
  await poll(() => subscription.states.join(' ')).toContain('pending connecting');
});
