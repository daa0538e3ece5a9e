import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { useServer } from '@berth/testing/use-server';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const BUILD = join(import.meta.dirname, '../../../../packages/cli/build/package.ts');
const exec = promisify(execFile);

const server = useServer({ clean: true });
const home = mkdtempSync(join(tmpdir(), 'berth-npx-'));
beforeAll(() => exec(process.execPath, [BUILD, '--if-changed']));
afterAll(() => rmSync(home, { recursive: true, force: true }));

describe('api §9: GET /cli.tgz', () => {
  it('is a package for npx that publishes to the server it came from, on a machine without settings', async () => {
    mkdirSync(join(home, 'dist'));
    writeFileSync(join(home, 'dist/index.html'), 'by npx');
    const env = { PATH: process.env['PATH'], HOME: home, npm_config_update_notifier: 'false' };
    const npx = ['--yes', `http://localhost:${server().port}/cli.tgz`, './dist'];
    const { stdout } = await exec('npx', npx, { cwd: home, env });
    expect((await server().visit(stdout.trim())).text).toBe('by npx');
  });

  it('is sent again only if it has changed', async () => {
    const packed = await server().api('/cli.tgz', { key: null });
    expect(packed.headers).toMatchObject({ 'content-type': 'application/gzip', 'cache-control': 'no-cache' });
    const etag = String(packed.headers['etag']);
    expect((await server().api('/cli.tgz', { key: null, headers: { 'If-None-Match': etag } })).status).toBe(304);
    expect((await server().api('/cli.tgz', { key: null, method: 'HEAD' })).headers).toMatchObject({ etag });
    expect((await server().api('/cli.tgz', { key: null, method: 'POST' })).status).toBe(405);
  });
});
