import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { launchProgram, type ServerProcess, startProcess } from '@berth/testing/process';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createWorld, PATIENT, type World } from '../crash/world.ts';
import { ROOT } from './checkout.ts';

const bundled = (program: string) => join(ROOT, 'apps/api/dist', program);

describe('the bundle of the server, with WORKERS=2', () => {
  let world: World;
  let server: ServerProcess;
  beforeAll(async () => {
    world = await createWorld({ ...PATIENT, WORKERS: '2' });
    server = await startProcess(world.env());
  });
  afterAll(async () => {
    server?.child.kill('SIGKILL');
    await server?.exited;
    await world.drop();
  });

  it('hashes large files on threads, and compresses pages in a process', async () => {
    const large = randomBytes(2 * 1024 ** 2);
    const page = '<p>It floats.</p>\n'.repeat(1_000);
    const { deployment } = await server.publish({ 'index.html': page, 'large.bin': large });
    expect((await server.visit(deployment, '/large.bin')).bytes.equals(large)).toBe(true);
    await expect
      .poll(async () => {
        const { headers } = await server.visit(deployment, '/', { headers: { 'Accept-Encoding': 'br' } });
        return headers['content-encoding'];
      })
      .toBe('br');
  });

  it('compiles large rule files on a thread', async () => {
    const rules = Array.from({ length: 400 }, (_, index) => `/from-${index}/* /to-${index}/:splat 301`).join('\n');
    const { deployment } = await server.publish({ 'index.html': 'Ahoy', _redirects: rules });
    const { status, headers } = await server.visit(deployment, '/from-399/page');
    expect([status, headers['location']]).toEqual([301, '/to-399/page']);
  });

  it('serves the reference of the API and its files', async () => {
    const { paths } = (await server.api('/openapi.json')).json<{ paths: object }>();
    expect(paths).toHaveProperty('/deployments');
    for (const path of ['/docs', '/docs/reference.css', '/docs/reference.js', '/docs/swagger-ui-bundle.js'])
      expect((await server.api(path)).status, path).toBe(200);
  });

  it('has the program of the operator', async () => {
    const doctor = launchProgram(process.execPath, [bundled('operator.cjs'), 'doctor', '--json'], world.env());
    expect([await doctor.exited, doctor.stdout()]).toEqual([0, expect.stringContaining('"sound": true')]);
  });

  it('stops at SIGTERM', async () => {
    server.child.kill('SIGTERM');
    expect(await server.exited).toBe(0);
  });
});
