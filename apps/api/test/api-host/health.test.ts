import { afterEach, expect, it } from 'vitest';
import { healthRouter } from '../../src/api-host/health.ts';
import { listen, type SampleApi } from './sample-api.ts';

let api: SampleApi;
afterEach(() => api.close());

async function requestHealth(isReady: () => Promise<boolean>, init: RequestInit = {}) {
  api = await listen(healthRouter(isReady));
  return fetch(`${api.url}/healthz`, init);
}

it('/healthz is 200 for everyone while the service is ready', async () => {
  const response = await requestHealth(async () => true, { headers: { Authorization: 'Bearer bad' } });
  expect([response.status, await response.json()]).toEqual([200, { status: 'ok' }]);
  expect(response.headers.get('cache-control')).toBe('no-store');
  expect((await fetch(`${api.url}/healthz`, { method: 'HEAD' })).status).toBe(200);
});

it.each([
  ['says no', async () => false],
  ['fails', () => Promise.reject(new Error('connect ECONNREFUSED'))],
])('api §2: /healthz is 503 with the error body and Retry-After when the check %s', async (_how, isReady) => {
  const response = await requestHealth(isReady);
  expect([response.status, await response.json()]).toEqual([
    503,
    { error: 'unavailable', message: expect.any(String), status: 503 },
  ]);
  expect(response.headers.get('retry-after')).toBe('5');
});

it('api §2: another method on /healthz is 405', async () => {
  const response = await requestHealth(async () => true, { method: 'POST' });
  expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, HEAD, OPTIONS']);
});
