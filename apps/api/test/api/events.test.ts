import { once } from 'node:events';
import type { Activity, ErrorBody, ErrorCode } from '@berth/contract';
import { expectError } from '@berth/testing/expectations';
import { open } from '@berth/testing/raw-socket';
import { startServer } from '@berth/testing/server';
import { useServer } from '@berth/testing/use-server';
import { EventSource } from 'eventsource';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

const server = useServer({ clean: true });
let owner: { account: string; key: string };
const openConnections: AbortController[] = [];
beforeEach(async () => void (owner = await server().account()));
afterEach(() => openConnections.splice(0).forEach((connection) => connection.abort()));

interface Received {
  id: string;
  event: string;
  data: Activity & ErrorBody;
}

interface StreamOptions {
  key?: string;
  search?: string;
  headers?: Record<string, string>;
  url?: string;
}

/** Opens `GET /activities` as an event stream, and collects its events. */
async function openStream({ key = owner.key, search = '', headers = {}, url }: StreamOptions = {}) {
  const connection = new AbortController();
  openConnections.push(connection);
  const response = await fetch(`${url ?? `http://localhost:${server().port}`}/activities${search}`, {
    headers: { Accept: 'text/event-stream', Authorization: `Bearer ${key}`, ...headers },
    signal: connection.signal,
  });
  const events: Received[] = [];
  const ended = readEvents(response, events).catch(() => {});
  return { response, events, ended, close: () => connection.abort() };
}

async function readEvents(response: Response, events: Received[]): Promise<void> {
  let text = '';
  for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
    text += chunk;
    for (let eventEnd: number; (eventEnd = text.indexOf('\n\n')) >= 0; text = text.slice(eventEnd + 2)) {
      const lines = text.slice(0, eventEnd).split('\n');
      const { id = '', event, data } = Object.fromEntries(lines.map((line) => line.split(/: ?(.*)/s).slice(0, 2)));
      if (data !== undefined) events.push({ id, event, data: JSON.parse(data) });
    }
  }
}

const causeEvent = (key: string, name: string) =>
  server().publish({ 'index.html': name }, { key, fields: { via: name } });
const namesOf = ({ events }: { events: Received[] }) => events.map(({ data }) => data.meta?.['via']);
const poll = (read: () => unknown) => expect.poll(read, { interval: 10 });

describe('api §9: GET /activities as text/event-stream', () => {
  it('sends each new activity once, with its cursor and name, as GET /activities lists it', async () => {
    await causeEvent(owner.key, 'before');
    const stream = await openStream();
    expect(stream.response.status).toBe(200);
    expect(stream.response.headers.get('content-type')).toBe('text/event-stream');
    const names = Array.from({ length: 10 }, (_, at) => `n${at}`);
    await Promise.all(names.map((name) => causeEvent(owner.key, name)));
    await poll(() => stream.events.length).toBe(10);
    const listedActivities = (await server().api('/activities?limit=10', { key: owner.key })).json<{
      activities: Activity[];
    }>();
    expect(stream.events.map(({ data }) => data)).toEqual(listedActivities.activities.toReversed());
    for (const { id, event, data } of stream.events)
      expect([id, event]).toEqual([expect.stringMatching(/^\d+$/), data.event]);
  });

  it('sends no activities of other accounts', async () => {
    const neighbour = await server().account();
    const stream = await openStream({ key: neighbour.key });
    await causeEvent(owner.key, 'mine');
    await causeEvent(neighbour.key, 'theirs');
    await poll(() => namesOf(stream)).toEqual(['theirs']);
  });

  it('resumes after Last-Event-ID without loss or duplicates, and begins with `last` past activities', async () => {
    const stream = await openStream();
    for (const name of ['one', 'two']) await causeEvent(owner.key, name);
    await poll(() => namesOf(stream)).toEqual(['one', 'two']);
    stream.close();
    await causeEvent(owner.key, 'three');
    const resumedStream = await openStream({ headers: { 'Last-Event-ID': stream.events[0]!.id } });
    await poll(() => namesOf(resumedStream)).toEqual(['two', 'three']);
    const withPast = await openStream({ search: '?last=2' });
    await causeEvent(owner.key, 'four');
    await poll(() => namesOf(withPast)).toEqual(['two', 'three', 'four']);
  });

  it('sends only the events and the causes that the filters name, also of the past, and resumes with them', async () => {
    for (const name of ['one', 'two']) await causeEvent(owner.key, name);
    await server().api('/tokens', { key: owner.key, method: 'POST', json: {} });
    const search = '?event=deployment,domain&authMethod=api-key&last=1';
    const stream = await openStream({ search });
    await poll(() => namesOf(stream)).toEqual(['two']);
    await server().api('/tokens', { key: owner.key, method: 'POST', json: {} });
    await causeEvent(owner.key, 'three');
    await poll(() => namesOf(stream)).toEqual(['two', 'three']);
    stream.close();
    await server().api('/tokens', { key: owner.key, method: 'POST', json: {} });
    await causeEvent(owner.key, 'four');
    const resumedStream = await openStream({ search, headers: { 'Last-Event-ID': stream.events[0]!.id } });
    await poll(() => namesOf(resumedStream)).toEqual(['three', 'four']);
    const otherCauses = await openStream({ search: '?authMethod=session&last=9' });
    await causeEvent(owner.key, 'five');
    await poll(() => namesOf(resumedStream)).toEqual(['three', 'four', 'five']);
    expect(otherCauses.events).toEqual([]);
    expectError(
      await server().api('/activities?event=A', { key: owner.key, headers: { Accept: 'text/event-stream' } }),
      'validation_failed',
    );
  });

  it('is readable by an EventSource, which resumes after the start position even without any event', async () => {
    const stopping = await startServer();
    const { key } = await stopping.account();
    const sentIds: (string | undefined)[] = [];
    const source = new EventSource(`http://localhost:${stopping.port}/activities`, {
      fetch: (url, init) => {
        sentIds.push((init.headers as Record<string, string>)['Last-Event-ID']);
        return fetch(url, { ...init, headers: { ...init.headers, Authorization: `Bearer ${key}` } });
      },
    });
    const names: unknown[] = [];
    source.addEventListener('deployment.create', ({ data }) => void names.push(JSON.parse(data).meta.via));
    await once(source, 'open');
    await stopping.publish({ 'index.html': 'one' }, { key, fields: { via: 'one' } });
    await poll(() => names).toEqual(['one']);
    const startedMs = performance.now();
    await stopping.close();
    expect(performance.now() - startedMs).toBeLessThan(3000);
    await poll(() => sentIds.length).toBeGreaterThan(1);
    expect(sentIds[1]).toMatch(/^\d+$/);
    source.close();
  });

  it.each([
    ['is revoked', 'authentication_failed', `delete from token where account_id = $1`],
    ['belongs to a closed account', 'forbidden', `update account set state = 'terminated' where id = $1`],
  ])('ends with the event `error` when its credential %s', async (_, code, statement) => {
    const stream = await openStream();
    await server().database.query(statement, [owner.account]);
    await server().database.query(
      `insert into activity (account_id, event, created, auth_method, meta) values ($1, 'account.update', now(), 'operator', '{}')`,
      [owner.account],
    );
    await stream.ended;
    expect(stream.events).toMatchObject([{ event: 'error', data: { error: code } }]);
  });

  it('refuses anonymous clients, deploy tokens, invalid event ids and the 21st connection with a JSON error', async () => {
    const { deployToken } = await server().account();
    const refuse = async (code: ErrorCode, options: object) => {
      const headers = { Accept: 'text/event-stream', ...('headers' in options ? (options.headers as object) : {}) };
      expectError(await server().api('/activities', { key: owner.key, ...options, headers }), code);
    };
    await refuse('authentication_failed', { key: null });
    await refuse('forbidden', { key: deployToken });
    await refuse('validation_failed', { headers: { 'Last-Event-ID': 'x' } });
    const streams = await Promise.all(Array.from({ length: 20 }, () => openStream()));
    expect(streams.map(({ response }) => response.status)).toEqual(Array.from({ length: 20 }, () => 200));
    await refuse('rate_limit_exceeded', {});
    streams[0]!.close();
    await expect.poll(async () => (await openStream()).response.status).toBe(200);
  });

  it('is sent only to clients that prefer it to JSON', async () => {
    for (const Accept of ['*/*', 'application/json', 'application/json, text/event-stream', 'text/html, */*']) {
      const response = await server().api('/activities', { key: owner.key, headers: { Accept } });
      expect([Accept, response.headers['content-type']]).toEqual([Accept, 'application/json; charset=utf-8']);
    }
  });

  it('sends keep-alives', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    try {
      const { socket } = await open(server().port);
      socket.write(
        `GET /activities HTTP/1.1\r\nHost: localhost:${server().port}\r\nAccept: text/event-stream\r\nAuthorization: Bearer ${owner.key}\r\n\r\n`,
      );
      let text = '';
      socket.on('data', (chunk) => (text += String(chunk)));
      await poll(() => text).toMatch(/retry: 1000\nid: \d+\n\n/);
      await vi.advanceTimersByTimeAsync(15_000);
      await poll(() => text).toContain(': ping\n\n');
      socket.destroy();
      await once(socket, 'close');
    } finally {
      vi.useRealTimers();
    }
  });
});
