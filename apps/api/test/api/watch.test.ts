import { once } from 'node:events';
import type { Activity } from '@berth/contract';
import type { AppRouter } from '@berth/core';
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

/** A subscription by the real client. */
function watch(key: string, { url = `http://localhost:${server().port}`, lastEventId = '' } = {}) {
  const client = createTRPCClient<AppRouter>({
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
  const started = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<TRPCClientError<AppRouter> | null>();
  const got: Activity[] = [];
  const states: string[] = [];
  const { unsubscribe } = client.activities.watch.subscribe(lastEventId ? { lastEventId } : undefined, {
    onStarted: () => started.resolve(),
    onConnectionStateChange: ({ state }) => void states.push(state),
    onData: ({ data }) => void got.push(data as Activity),
    onError: (error) => ended.resolve(error),
    onComplete: () => ended.resolve(null),
  });
  subscriptions.push(unsubscribe);
  return {
    got,
    /** The states of the connection, in order. */
    states,
    /** Resolves once the connection is up. */
    started: started.promise,
    /** Resolves when the client stops: with its error, or with `null` when the server ended the stream. */
    ended: ended.promise,
    stop: unsubscribe,
  };
}

/** Causes an event in an account. */
const act = async (key: string, name: string) => {
  await server().publish({ 'index.html': name }, { key, fields: { via: name } });
};
const namesOf = ({ got }: ReturnType<typeof watch>) => got.map(({ meta }) => meta['via']);
const until = (seen: () => unknown) => expect.poll(seen, { interval: 10 });

describe('api §9: activities.watch', () => {
  it('emits the events from now on once each, also of parallel calls, in the order of GET /activities', async () => {
    await act(owner.key, 'before');
    const live = watch(owner.key);
    await live.started;
    const names = Array.from({ length: 30 }, (_, at) => `n${at}`);
    await Promise.all(names.map((name) => act(owner.key, name)));
    await until(() => live.got.length).toBe(30);
    expect(namesOf(live).toSorted()).toEqual(names.toSorted());
    const list = await server().api('/activities?limit=30', { key: owner.key });
    expect(live.got).toEqual(list.json<{ activities: Activity[] }>().activities.toReversed());
  });

  it('emits nothing of another account', async () => {
    const neighbour = await server().account();
    const live = watch(neighbour.key);
    await live.started;
    await act(owner.key, 'mine');
    await act(neighbour.key, 'theirs');
    await until(() => namesOf(live)).toEqual(['theirs']);
  });

  it('begins after the event that a client names, with more than one read of the table', async () => {
    const [{ id } = { id: '' }] = await server().database.query<{ id: string }>(
      'select max(id)::text as id from activity where account_id = $1',
      [owner.account],
    );
    await server().database.query(
      `insert into activity (account_id, event, created, auth_method, meta)
       select $1, 'account.update', now(), 'operator', json_build_object('via', n) from generate_series(1, 250) n`,
      [owner.account],
    );
    const late = watch(owner.key, { lastEventId: id });
    await until(() => late.got.length).toBe(250);
    expect(namesOf(late)).toEqual(Array.from({ length: 250 }, (_, at) => at + 1));
  });

  it('resumes after the connection was lost, even before the first event, without loss or duplicates', async () => {
    const proxy = await startProxy(server().port);
    const live = watch(owner.key, proxy);
    await live.started;
    await act(owner.key, 'one');
    await until(() => namesOf(live)).toEqual(['one']);
    const late = watch(owner.key, proxy);
    await late.started;
    proxy.trouble = () => ({ cutAfter: 0 });
    proxy.cut();
    await act(owner.key, 'two');
    await act(owner.key, 'three');
    proxy.trouble = () => undefined;
    await until(() => namesOf(live)).toEqual(['one', 'two', 'three']);
    await until(() => namesOf(late)).toEqual(['two', 'three']);
    await act(owner.key, 'four');
    await until(() => namesOf(live)).toEqual(['one', 'two', 'three', 'four']);
    await until(() => namesOf(late)).toEqual(['two', 'three', 'four']);
  });

  it('emits everything when the connection for database notifications was lost, with the next notification', async () => {
    const live = watch(owner.key);
    await live.started;
    const listeners = `from pg_stat_activity where datname = current_database() and query like 'listen %'`;
    for (const name of ['one', 'two']) {
      // The notification is sent at the commit of this statement, when no connection listens: the old one is gone, the
      // new one is not there yet.
      const killed = await server().database.query(
        `with made as (
           insert into activity (account_id, event, created, auth_method, meta)
           values ($1, 'account.update', now(), 'operator', json_build_object('via', $2::text)) returning id)
         select pg_terminate_backend(pid) ${listeners} and exists (select 1 from made)`,
        [owner.account, name],
      );
      expect(killed).toHaveLength(1);
      await until(() => namesOf(live).at(-1)).toBe(name);
      await until(() => server().database.query(`select 1 ${listeners}`)).toHaveLength(1);
    }
    expect(namesOf(live)).toEqual(['one', 'two']);
    expect(live.states).not.toContain('idle');
  });

  it.each([
    ['is revoked', 401, 'authentication_failed', `delete from token where account_id = $1`],
    ['opens a closed account', 403, 'forbidden', `update account set state = 'terminated' where id = $1`],
  ])('ends at the next notification when its credential %s', async (_, status, code, statement) => {
    const live = watch(owner.key);
    await live.started;
    await server().database.query(statement, [owner.account]);
    await server().database.query(
      `insert into activity (account_id, event, created, auth_method, meta) values ($1, 'account.update', now(), 'operator', '{}')`,
      [owner.account],
    );
    const error = await live.ended;
    expect(error).toBeInstanceOf(TRPCClientError);
    expect(error!.data).toMatchObject({ error: code, status });
    expect(live.got).toEqual([]);
  });

  it('ends at the moment its credential expires, even without events', async () => {
    const expireIn = `update token set expires = now() + $2 * interval '1 ms' where account_id = $1`;
    let isUp = false;
    // A slow machine may need longer until the connection is up.
    for (let ms = 300; !isUp; ms *= 5) {
      await server().database.query(expireIn, [owner.account, ms]);
      const { started, ended } = watch(owner.key);
      isUp = await Promise.race([started.then(() => true), ended.then(() => false)]);
      expect((await ended)!.data).toMatchObject({ error: 'authentication_failed' });
    }
  });

  it('rejects anonymous clients, deploy tokens and invalid ids', async () => {
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

  it('has a maximum number of connections for one account; a closed connection frees its place', async () => {
    const held = Array.from({ length: 20 }, () => watch(owner.key));
    await Promise.all(held.map(({ started }) => started));
    expect((await watch(owner.key).ended)!.data).toMatchObject({ error: 'rate_limit_exceeded', status: 429 });
    expect((await server().api('/account', { key: owner.key })).status).toBe(200);
    held[0]!.stop();
    await expect
      .poll(async () => {
        const again = watch(owner.key);
        return Promise.race([again.started.then(() => 'started'), again.ended.then(() => 'refused')]);
      })
      .toBe('started');
  });

  it('is text/event-stream on the wire, begins with the id to resume from, and sends keep-alives', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      const { socket } = await open(server().port);
      socket.write(
        `GET /trpc/activities.watch HTTP/1.1\r\nHost: localhost:${server().port}\r\nAuthorization: Bearer ${owner.key}\r\n\r\n`,
      );
      let text = '';
      socket.on('data', (chunk) => (text += String(chunk)));
      await until(() => text).toContain('event: connected');
      expect(text).toMatch(/^HTTP\/1.1 200 OK\r\n/);
      expect(text.toLowerCase()).toContain('content-type: text/event-stream');
      expect(text).toMatch(/event: begin\nretry: 1000\nid: \d+\n/);
      expect(text).not.toContain('event: ping');
      await vi.advanceTimersByTimeAsync(15_000);
      await until(() => text).toContain('event: ping');
      socket.destroy();
      await once(socket, 'close');
    } finally {
      vi.useRealTimers();
    }
  });

  it('cannot be in a batch', async () => {
    const batch = await server().api('/trpc/activities.watch?batch=1', { key: owner.key });
    expect(batch.text).toContain('"error":"validation_failed"');
  });
});

describe('a server that stops', () => {
  it('ends its subscriptions at once, and clients reconnect', async () => {
    const stopping = await startServer();
    const { key } = await stopping.account();
    const live = watch(key, { url: `http://localhost:${stopping.port}` });
    await live.started;
    const before = performance.now();
    await stopping.close();
    expect(performance.now() - before).toBeLessThan(3000);
    await until(() => live.states.join(' ')).toContain('pending connecting');
  });
});
