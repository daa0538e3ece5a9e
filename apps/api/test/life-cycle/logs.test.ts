import type { CreatedDeployment } from '@berth/contract';
import type { ServerProcess } from '@berth/testing/process';
import { type HttpResponse, OWNER_KEY } from '@berth/testing/requests';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createWorld, type World } from '../crash/world.ts';

const PASSWORD = 'correct horse battery';
const RETRY_KEY = 'idempotency-of-one-deploy';
const UNKNOWN_KEY = `ship-${'ab12'.repeat(8)}`;

describe('the log of a server', () => {
  let world: World;
  let server: ServerProcess;
  let responses: HttpResponse[];
  let claimHash: string;
  let lines: Record<string, unknown>[];

  beforeAll(async () => {
    world = await createWorld();
    server = await world.start({ LOG_LEVEL: 'trace' });
    const { api, deploy, visit } = server;
    const anonymousSite = await deploy({ 'index.html': 'x' }, { key: null, headers: { 'Idempotency-Key': RETRY_KEY } });
    const { deployment, claim } = anonymousSite.json<CreatedDeployment>();
    claimHash = claim!.slice(claim!.lastIndexOf('/') + 1);
    const protectedSite = await deploy({ 'index.html': 'x' }, { fields: { password: PASSWORD } });
    responses = [
      anonymousSite,
      protectedSite,
      await api('/account'),
      await api('/account', { key: UNKNOWN_KEY }),
      await api(`/claim/${claimHash}`, { key: null }),
      await api(`/deployments/${OWNER_KEY}?key=${UNKNOWN_KEY}`, {
        headers: { Cookie: `session=${UNKNOWN_KEY}`, Referer: claim! },
      }),
      await api('/nowhere%1b[31m%0d%0a{"level":"forged"}', { headers: { 'User-Agent': '{"level":"forged"}' } }),
      await api(`/${'long/'.repeat(1_500)}`),
      await visit(deployment),
      await visit(protectedSite.json<CreatedDeployment>().deployment, `/?password=${encodeURIComponent(PASSWORD)}`),
    ];
    server.child.kill('SIGTERM');
    expect(await server.exited).toBe(0);
    const log = server.stdout().split('\n');
    expect(log.pop()).toBe('');
    lines = log.map((line) => JSON.parse(line) as Record<string, unknown>);
  });
  afterAll(() => world.drop());

  it('T38: contains one JSON object per line, of at most 4 KB, with level, time and message', () => {
    for (const line of lines) {
      expect(line).toMatchObject({
        level: expect.stringMatching(/^(trace|debug|info|warn|error)$/),
        time: expect.any(String),
        msg: expect.any(String),
      });
      expect(Number.isNaN(Date.parse(String(line['time'])))).toBe(false);
    }
    for (const line of server.output().split('\n')) expect(Buffer.byteLength(line)).toBeLessThanOrEqual(4096);
    // oxlint-disable-next-line no-control-regex -- the log must not contain these characters
    expect(server.output()).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f]/);
  });

  it('T38: contains one line for each request, with the request id of the response', () => {
    const requests = lines.filter(({ msg }) => msg === 'request');
    expect(requests.map(({ requestId, status }) => ({ requestId, status }))).toEqual(
      responses.map(({ headers, status }) => ({ requestId: headers['x-request-id'], status })),
    );
    expect(responses.map(({ status }) => status)).toEqual([201, 201, 200, 401, 200, 404, 404, 404, 200, 401]);
  });

  it('T20, I11: contains no credential, claim hash, password or idempotency key, and no query', () => {
    for (const secret of [OWNER_KEY, UNKNOWN_KEY, claimHash, PASSWORD, encodeURIComponent(PASSWORD), RETRY_KEY])
      expect(server.output()).not.toContain(secret);
    expect(JSON.stringify(lines)).not.toMatch(/[?](?:key|password)=/);
  });
});

describe('LOG_FORMAT and LOG_REQUESTS', () => {
  let world: World;
  beforeAll(async () => {
    world = await createWorld();
  });
  afterAll(() => world.drop());

  it('api §10: standard output has only lines of JSON, and the welcome with the key is on standard error', async () => {
    const server = await world.start({ LOG_LEVEL: 'info', OWNER_API_KEY: '' });
    await server.api('/ping');
    server.child.kill('SIGTERM');
    expect(await server.exited).toBe(0);
    const entries = server
      .stdout()
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { msg: string });
    expect(entries.map(({ msg }) => msg)).toEqual(['Listening', 'request', expect.stringMatching(/^Stopping/)]);
    expect(server.stdout()).not.toContain('ship-');
    expect(server.output()).toMatch(/Your API key[^]*ship-[0-9a-f]{32}/);
  });

  it.each(['1', '2'])('api §10: pretty prints everything as text, with WORKERS=%s', async (workers) => {
    const server = await world.start({ LOG_LEVEL: 'info', LOG_FORMAT: 'pretty', WORKERS: workers });
    await server.api('/ping');
    server.child.kill('SIGTERM');
    expect(await server.exited).toBe(0);
    expect(server.stdout()).toContain('Berth is up.');
    expect(server.stdout()).toMatch(/^\d\d:\d\d:\d\d GET 200 \d+ms [\d.]+k?B localhost:\d+\/ping$/m);
    expect(server.stdout()).not.toContain('{"');
  });

  it('api §10: LOG_REQUESTS=errors omits visits, and keeps changes by the API', async () => {
    const server = await world.start({ LOG_LEVEL: 'info', LOG_REQUESTS: 'errors', WORKERS: '2' });
    const { deployment } = (await server.deploy({ 'index.html': 'x' })).json<CreatedDeployment>();
    expect((await server.visit(deployment)).status).toBe(200);
    expect((await server.api('/account')).status).toBe(200);
    expect((await server.api(`/deployments/${deployment}`, { method: 'DELETE' })).status).toBe(202);
    server.child.kill('SIGTERM');
    expect(await server.exited).toBe(0);
    const entries = server
      .stdout()
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    const requests = entries.filter(({ msg }) => msg === 'request');
    expect(requests.map(({ method, path }) => `${method} ${path}`)).toEqual(
      expect.arrayContaining(['POST /deployments', `DELETE /deployments/${deployment}`]),
    );
    expect(requests.filter(({ method, durationMs }) => method === 'GET' && Number(durationMs) <= 1_000)).toEqual([]);
  });

  it('an invalid configuration is explained on standard error', async () => {
    const launched = world.launch({ LOG_REQUESTS: 'some' });
    expect(await launched.exited).toBe(1);
    expect(launched.stdout()).toBe('');
    expect(launched.output()).toContain('LOG_REQUESTS: "some" does not say which requests are logged');
  });
});
