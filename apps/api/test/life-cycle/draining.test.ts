import type { ServerProcess } from '@berth/testing/process';
import { rawRequest } from '@berth/testing/raw-socket';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createWorld, type World } from '../crash/world.ts';

let world: World;
beforeEach(async () => {
  world = await createWorld({ LOG_LEVEL: 'info', ADMIN_LISTEN: '127.0.0.1:0' });
});
afterEach(() => world.drop());

const adminPortOf = ({ output }: ServerProcess) =>
  Number(/"port":(\d+),"msg":"Listening for operators/.exec(output())![1]);

/** Returns the statuses of a probe on the admin listener and on the main port. */
const probe = (server: ServerProcess, path: string) =>
  Promise.all(
    [adminPortOf(server), server.port].map(
      async (port) => (await rawRequest(port, `GET ${path} HTTP/1.1`, ['Host: 127.0.0.1'])).status,
    ),
  );

describe.each(['1', '2'])('api §10: a server with DRAIN_SECONDS and WORKERS=%s', (workers) => {
  it('is not ready after SIGTERM, serves everything until the time is over, and exits with 0', async () => {
    const server = await world.start({ WORKERS: workers, DRAIN_SECONDS: '3' });
    expect(await probe(server, '/readyz')).toEqual([200, 200]);
    const { deployment } = await server.publish({ 'index.html': 'served' });
    server.child.kill('SIGTERM');
    await expect.poll(() => probe(server, '/readyz')).toEqual([503, 503]);
    expect(await probe(server, '/livez')).toEqual([200, 200]);
    expect((await server.visit(deployment)).text).toBe('served');
    expect(await server.exited).toBe(0);
  });

  it('exits at once at a second signal', async () => {
    const server = await world.start({ WORKERS: workers, DRAIN_SECONDS: '600' });
    server.child.kill('SIGTERM');
    await expect.poll(() => probe(server, '/readyz')).toEqual([503, 503]);
    // Signals directly after the first count as duplicates.
    await expect.poll(() => (server.child.kill('SIGTERM'), server.child.exitCode)).toBe(1);
  });
});
