import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectErrorAnswer } from '../standing-asserts.ts';
import { BASE_URL, startWorld, type World } from './world.ts';

let world: World;
beforeAll(async () => void (world = await startWorld()));
afterAll(() => world.close());

describe('api §6: "`/config` is kept as a 301 alias for `/limits` for older command-line clients."', () => {
  it('with a credential and without', async () => {
    for (const key of [world.mine.key, world.mine.deployToken, null]) {
      const { status, headers } = await world.send('GET', '/config', undefined, { key });
      expect([status, headers['location']]).toEqual([301, '/limits']);
    }
  });

  it('for a client that follows it: it gets the limits', async () => {
    const { headers } = await world.send('GET', '/config');
    const { pathname } = new URL(String(headers['location']), `${BASE_URL}/config`);
    const followed = await world.send('GET', pathname);
    expect([followed.status, followed.text]).toEqual([200, (await world.send('GET', '/limits')).text]);
  });
});

describe('api §6: "The service has no version segment in its paths in any listed endpoint."', () => {
  it('in the OpenAPI document', async () => {
    const { paths } = (await world.send('GET', '/openapi.json')).json<{ paths: object }>();
    expect(Object.keys(paths).length).toBeGreaterThan(15);
    for (const path of Object.keys(paths)) expect(path).not.toMatch(/\/v?\d/i);
  });

  it.each(['/v1/deployments', '/v1/ping', '/1/ping', '/api/v1/ping'])('%s does not exist', async (path) => {
    expectErrorAnswer(await world.send('GET', path), 'not_found');
  });
});
