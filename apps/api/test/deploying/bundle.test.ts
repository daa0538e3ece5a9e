import { randomBytes } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { launchProgram, type ServerProcess, startProcess } from '@berth/testing/process';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createWorld, PATIENT, type World } from '../crash/world.ts';
import { ROOT } from './checkout.ts';

const DIST = join(ROOT, 'apps/api/dist');
const bundled = (program: string) => join(DIST, program);

describe('the files of the bundle', () => {
  it('have no character outside of Latin-1, for which V8 would keep a whole file with two bytes for each character', async () => {
    const names = (await readdir(DIST)).filter((name) => name.endsWith('.cjs'));
    expect(names).toContain('main.cjs');
    const texts = await Promise.all(names.map((name) => readFile(bundled(name), 'utf8')));
    // oxlint-disable-next-line no-control-regex -- Latin-1 starts with control characters.
    expect(names.filter((_, i) => /[^\x00-\xff]/.test(texts[i]!))).toEqual([]);
  });
});

describe('the bundle of the server, when its first request is a large deploy', () => {
  let world: World;
  beforeAll(async () => void (world = await createWorld(PATIENT)));
  afterAll(() => world.drop());

  async function publishAtOnce(env: Record<string, string> = {}): Promise<string> {
    const server = await world.start({ NODE_COMPILE_CACHE: join(world.dataDir, 'compile-cache'), ...env });
    await server.publish({ 'large.bin': randomBytes(1024 ** 2) });
    server.child.kill('SIGTERM');
    expect(await server.exited).toBe(0);
    return server.output();
  }

  it('loads the API with the cached code of the last start', async () => {
    await publishAtOnce();
    const output = await publishAtOnce({ NODE_DEBUG_NATIVE: 'COMPILE_CACHE' });
    expect(output).toContain(`${bundled('api-host.cjs')} was accepted`);
  });
});

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
    const { headers, text } = await server.api('/docs/swagger-ui-bundle.js');
    expect(headers).toMatchObject({ 'content-type': 'text/javascript; charset=utf-8', 'cache-control': 'no-cache' });
    expect(Number(headers['content-length'])).toBe(Buffer.byteLength(text));
    const again = { headers: { 'If-None-Match': String(headers['etag']) } };
    expect((await server.api('/docs/swagger-ui-bundle.js', again)).status).toBe(304);
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
