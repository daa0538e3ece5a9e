import { tmpdir } from 'node:os';
import type { Core } from '@berth/core';
import { listen as listenOn, rawRequest, stop } from '@berth/testing/raw-socket';
import { expect, it, onTestFinished } from 'vitest';
import { createApiHost } from '../../src/api-host/api-host.ts';
import { healthRouter } from '../../src/api-host/health.ts';
import { Health } from '../../src/health/health.ts';
import { createHttpServer } from '../../src/http/server.ts';
import { listen } from './sample-api.ts';

const log = { info() {}, warn() {}, error() {} };

async function requestHealth(database: () => Promise<void>, init: RequestInit = {}) {
  const health = new Health(log);
  health.serve({ database });
  const api = await listen(healthRouter(health));
  onTestFinished(api.close);
  return fetch(`${api.url}/healthz`, init);
}

it('GET /healthz returns 200 while the service is ready, even with an invalid credential', async () => {
  const response = await requestHealth(async () => {}, { headers: { Authorization: 'Bearer bad' } });
  expect([response.status, await response.json()]).toEqual([200, { status: 'ok' }]);
  expect(response.headers.get('cache-control')).toBe('no-store');
  expect((await requestHealth(async () => {}, { method: 'HEAD' })).status).toBe(200);
});

it('api §2: GET /healthz returns 503 and Retry-After if a dependency cannot be used', async () => {
  const response = await requestHealth(() => Promise.reject(new Error('connect ECONNREFUSED')));
  expect([response.status, await response.json()]).toEqual([
    503,
    { error: 'unavailable', message: expect.any(String), status: 503, database: 'The database cannot be used.' },
  ]);
  expect(response.headers.get('retry-after')).toBe('5');
});

it('api §2: a method other than GET and HEAD on /healthz is refused with 405', async () => {
  const response = await requestHealth(async () => {}, { method: 'POST' });
  expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, HEAD, OPTIONS']);
});

it('F7, api §2: an exception in a route is logged, and its error body contains the request id but no details', async () => {
  const errors: { err: Error }[] = [];
  const log = { info() {}, warn() {}, error: (fields: object) => void errors.push(fields as { err: Error }) };
  const health = new Health(log);
  health.readiness = () => {
    throw new Error('a secret of the inside');
  };
  const api = createApiHost({
    core: {} as Core,
    health,
    baseUrl: new URL('http://localhost'),
    claimUrl: 'http://localhost/claim',
    abuseContact: null,
    allowInsecure: false,
    consoleFolder: null,
    spoolFolder: tmpdir(),
    log,
    addressOf: () => '127.0.0.1',
  });
  const server = createHttpServer(api, { log });
  const port = await listenOn(server);
  onTestFinished(() => stop(server));
  const { status, headers, body } = await rawRequest(port, 'GET /healthz HTTP/1.1');
  expect([status, JSON.parse(body)]).toEqual([
    500,
    {
      error: 'internal_server_error',
      message: expect.not.stringContaining('secret'),
      status: 500,
      details: { requestId: headers['x-request-id'] },
    },
  ]);
  expect(errors.map(({ err }) => err.message)).toEqual(['a secret of the inside']);
});
