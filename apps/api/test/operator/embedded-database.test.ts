import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startProcess } from '@berth/testing/process';
import { expect, it } from 'vitest';
import { spawnBerth } from './run-berth.ts';

it('api §8, §10: operator commands work with the embedded database before a server starts and while it is running', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'berth-operator-'));
  const env = { NODE_ENV: 'test', HOST: '127.0.0.1', PORT: '0', DATA_DIR: dataDir, LOG_LEVEL: 'error' };
  const isRunning = () => existsSync(join(dataDir, 'postgres/data/postmaster.pid'));
  try {
    expect(await spawnBerth(env, 'accounts', 'create', 'ada@example.com')).toMatchObject({ code: 0, err: '' });
    expect(isRunning()).toBe(false);

    const server = await startProcess(env);
    // The first account is not that of the owner, so the first start still creates the owner and prints the key.
    expect(server.output()).toMatch(/^ +ship-[0-9a-f]{32}$/m);
    const { out: key, code } = await spawnBerth(env, 'keys', 'create', 'ada@example.com');
    expect(code).toBe(0);
    expect(isRunning()).toBe(true);
    expect((await server.api('/account', { key: key.trim() })).status).toBe(200);
    const file = join(dataDir, 'backup.tar');
    expect(await spawnBerth(env, 'backup', file)).toMatchObject({ code: 0, err: '' });
    const refused = await spawnBerth(env, 'restore', file);
    expect(refused).toMatchObject({ code: 1, err: expect.stringMatching(/another Berth server.* already uses/) });
    server.child.kill('SIGTERM');
    expect(await server.exited).toBe(0);
    expect(isRunning()).toBe(false);

    const restored = { ...env, DATA_DIR: join(dataDir, 'restored') };
    expect(await spawnBerth(restored, 'restore', file)).toMatchObject({ code: 0, err: '' });
    const { out } = await spawnBerth(restored, 'accounts', 'list');
    expect(out).toContain('ada@example.com');
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
});
