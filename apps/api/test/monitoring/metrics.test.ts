import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { OWNER_KEY } from '@berth/testing/requests';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createWorld, type World } from '../crash/world.ts';
import { type MonitoredServer, startMonitored } from './monitored-server.ts';

const MAX_SERIES = 400;
const METHODS = [
  'GET',
  'HEAD',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
  'OPTIONS',
  'TRACE',
  'PROPFIND',
  'MKCOL',
  'PURGE',
  'QUERY',
];
const PATHS = [
  '/',
  '/missing',
  '/%zz',
  '/deployments',
  '/account',
  '/a/../b',
  `/${'a'.repeat(9_000)}`,
  '/.berth/unlock',
];

let world: World;
let server: MonitoredServer;
beforeAll(async () => {
  world = await createWorld();
  server = await startMonitored(world, { RATE_LIMITS: '' });
});
afterAll(() => world.drop());

/** Sends bytes that need not be a request, and waits until the server closes the connection. */
async function sendRaw(text: string): Promise<void> {
  const socket = connect(server.port, '127.0.0.1').on('error', () => {});
  socket.resume().end(text);
  await once(socket, 'close');
}

/** The counters that must never decrease: those of single processes begin again with a new process. */
const totalsOf = (series: Map<string, number>) =>
  [...series].filter(([name]) => /_(?:total|count|sum|bucket)(?:\{|$)/.test(name) && !name.includes('berth_process='));

const silentWorkersIn = (series: Map<string, number>) =>
  [...series].filter(([name, value]) => name.startsWith('berth_worker_up') && value === 0);
const silentWorkers = async () => silentWorkersIn(await server.series());

async function expectNoDecrease(before: Map<string, number>): Promise<Map<string, number>> {
  const after = await server.series();
  const decreased = totalsOf(before).filter(([name, value]) => (after.get(name) ?? 0) < value);
  expect(decreased).toEqual([]);
  return after;
}

describe('api §12: the metrics of a server with two workers', () => {
  it('are text of Prometheus, and every metric has a type and a description', async () => {
    const text = await server.metrics();
    const described = [...text.matchAll(/^# HELP (\S+) .{10,}$/gm)].map(([, name]) => name);
    const typed = [...text.matchAll(/^# TYPE (\S+) (?:counter|gauge|histogram)$/gm)].map(([, name]) => name);
    expect(described).toEqual(typed);
  });

  it('are the same as in docs/monitoring.md', async () => {
    const documented = [
      ...(await readFile(join(import.meta.dirname, '../../../../docs/monitoring.md'), 'utf8')).matchAll(
        /^\| `(\w+)` \|/gm,
      ),
    ].map(([, name]) => name);
    const live = [...(await server.metrics()).matchAll(/^# HELP (\S+)/gm)].map(([, name]) => name);
    expect(documented.toSorted()).toEqual(live.toSorted());
  });

  it('count requests by the host they name, their method and status', async () => {
    const before = await server.series();
    const { deployment } = await server.publish({ 'index.html': 'Hello' });
    await server.visit(deployment);
    await server.visit(deployment, '/', { method: 'HEAD' });
    await server.visit(deployment, '/missing');
    await server.visit(deployment, '/', { method: 'PROPFIND' });
    await server.api('/account', { key: null });
    await server.visit('http://a.b.localhost');
    await sendRaw('nonsense\r\n\r\n');
    const after = await server.series();
    const increase = (kind: string, methods: string, status: number) => {
      const name = `http_server_requests_total{berth_host_kind="${kind}",berth_method_class="${methods}",http_response_status_code="${status}"}`;
      return after.get(name)! - (before.get(name) ?? 0);
    };
    expect(increase('api', 'write', 201)).toBe(1);
    expect(increase('site', 'read', 200)).toBe(2);
    expect(increase('site', 'read', 404)).toBe(1);
    expect(increase('site', '_OTHER', 405)).toBe(1);
    expect(increase('api', 'read', 401)).toBe(1);
    expect(increase('unknown', 'read', 404)).toBe(1);
    expect(increase('invalid', '_OTHER', 400)).toBe(1);
  });

  it('leave out probes and requests to the admin listener', async () => {
    const before = await server.series();
    await server.visit(`http://127.0.0.1:${server.port}`, '/readyz');
    await fetch(`http://127.0.0.1:${server.adminPort}/livez`);
    const after = await server.series();
    const requests = (series: Map<string, number>) =>
      [...series].filter(([name]) => name.startsWith('http_server_requests_total'));
    expect(requests(after)).toEqual(requests(before));
  });

  it('count deploys by their outcome', async () => {
    const before = await server.series();
    const headers = { 'Idempotency-Key': 'the same deploy twice' };
    await server.publish({ 'index.html': 'once' }, { headers });
    await server.publish({ 'index.html': 'once' }, { headers });
    await server.deploy({ '../index.html': 'refused' });
    const upload = connect(server.port, '127.0.0.1');
    upload.write(
      `POST /deployments HTTP/1.1\r\nHost: localhost:${server.port}\r\nAuthorization: Bearer ${OWNER_KEY}\r\n` +
        'Content-Type: multipart/form-data; boundary=b\r\nContent-Length: 10000\r\n\r\n--b\r\n',
    );
    await expect.poll(async () => (await server.series()).get('http_server_active_requests')).toBe(1);
    upload.destroy();
    const increase = async (outcome: string) => {
      const name = `berth_deploys_total{outcome="${outcome}"}`;
      return (await server.series()).get(name)! - before.get(name)!;
    };
    await expect.poll(() => increase('aborted')).toBe(1);
    expect([await increase('published'), await increase('replayed'), await increase('refused')]).toEqual([1, 1, 1]);
    expect(await increase('failed')).toBe(0);
  });

  it(`have at most ${MAX_SERIES} series after hostile requests, none of which names a site or a host`, async () => {
    const { deployment } = await server.publish({ 'index.html': 'Hello' }, { fields: { password: 'secret' } });
    const { deployment: open } = await server.publish({
      'index.html': 'Hello',
      _redirects: [301, 302, 303, 307, 308, 404].map((status) => `/${status} / ${status}`).join('\n'),
    });
    const hosts = [
      `localhost:${server.port}`,
      `${deployment}.localhost`,
      `${open}.localhost`,
      'example.test',
      'a b',
      '',
    ];
    for (const host of hosts)
      for (const method of METHODS)
        await Promise.allSettled(
          PATHS.map((path) =>
            server.api(path, {
              method,
              headers: { Host: host, 'X-Odd': 'x' },
              ...(method === 'POST' && { body: '{' }),
            }),
          ),
        );
    for (const [headers, status] of [
      [{ Range: 'bytes=0-1' }, 206],
      [{ Range: 'bytes=99-' }, 416],
      [{ 'If-None-Match': '*' }, 304],
      [{ 'If-Match': '"x"' }, 412],
    ] as const)
      expect(await server.visit(open, '/', { headers })).toMatchObject({ status });
    for (const path of ['/301', '/302', '/303', '/307', '/308', '/404']) await server.visit(open, path);
    for (const text of [
      'BREW / HTTP/1.1\r\n\r\n',
      'GET / HTTP/9.9\r\n\r\n',
      `GET / HTTP/1.1\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`,
    ])
      await sendRaw(text);
    const series = await server.series();
    expect(series.size).toBeGreaterThan(250);
    expect(series.size).toBeLessThanOrEqual(MAX_SERIES);
    expect(
      [...series.keys()].filter(
        (name) => /localhost|127\.0|example|PROPFIND|BREW|missing/.test(name) || name.includes(open),
      ),
    ).toEqual([]);
  });

  it('do not decrease when a worker is killed', async () => {
    const before = await server.series();
    process.kill(server.workers()[0]!, 'SIGKILL');
    await expect.poll(async () => (await server.series()).get('berth_worker_restarts_total')).toBe(1);
    await expectNoDecrease(before);
    await expect.poll(silentWorkers).toEqual([]);
    await expectNoDecrease(before);
    const { deployment } = await server.publish({ 'index.html': 'after' });
    await server.visit(deployment);
    const name = 'berth_deploys_total{outcome="published"}';
    expect((await server.series()).get(name)).toBe(before.get(name)! + 1);
  });

  it('are answered while a worker is stopped, with its last totals', async () => {
    const before = await server.series();
    const [worker] = server.workers();
    process.kill(worker!, 'SIGSTOP');
    try {
      const after = await expectNoDecrease(before);
      expect(silentWorkersIn(after)).toHaveLength(1);
    } finally {
      process.kill(worker!, 'SIGCONT');
    }
    await expect.poll(silentWorkers).toEqual([]);
    await expectNoDecrease(before);
  });
});
