import { spawn, spawnSync } from 'node:child_process';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Deployment } from '@berth/contract';
import type { ServerProcess } from '@berth/testing/process';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createWorld, type World } from '../crash/world.ts';

const hasCurl = spawnSync('curl', ['--version']).status === 0;

describe('the first start', () => {
  let world: World;
  let server: ServerProcess;
  const startServer = () => world.start({ OWNER_API_KEY: '', HOST: '', LOG_LEVEL: 'info' });
  beforeAll(async () => {
    world = await createWorld();
    server = await startServer();
  });
  afterAll(() => world.drop());

  it.skipIf(!hasCurl)('api §8: prints a shell command that publishes a page', async () => {
    const command = /^ *(printf .*)$/m.exec(server.output())![1]!;
    const shell = spawn('sh', ['-c', command], { stdio: ['ignore', 'pipe', 'inherit'] });
    const output = await text(shell.stdout);
    const { url } = JSON.parse(output) as Deployment;
    expect(url).toMatch(new RegExp(`^http://[a-z]+-[a-z]+-[a-z0-9]{7}\\.localhost:${server.port}$`));
    const page = await server.visit(url);
    expect(page.headers['content-type']).toBe('text/html; charset=utf-8');
    expect(page.text).toMatch(/^<h1>[^<]+<\/h1>$/);
  });

  it('api §8: prints the addresses and a valid API key, which is never logged', async () => {
    const { output, port } = server;
    expect(output()).toContain(`http://localhost:${port}\n`);
    expect(output()).toContain(`http://localhost:${port}/docs\n`);
    expect(output()).toContain(`http://<id>.localhost:${port}\n`);
    const key = /^ *(ship-[0-9a-f]{32})$/m.exec(output())![1]!;
    expect((await server.api('/account', { key })).json()).toMatchObject({
      email: 'owner@localhost',
      plan: 'scale',
      hint: key.slice(-4),
    });
    const log = output()
      .split('\n')
      .filter((command) => command.startsWith('{'));
    expect(log.join('\n')).not.toContain(key.slice(5));
  });

  it('api §10: stores its secret in a file that only its owner can read', async () => {
    const { mode, size } = await stat(join(world.dataDir, 'secret-key'));
    expect(mode & 0o777).toBe(0o600);
    expect(size).toBe(65);
  });

  it('api §8: prints the only key, which a second start keeps without printing it', async () => {
    const key = /ship-[0-9a-f]{32}/.exec(server.output())![0];
    server.child.kill('SIGTERM');
    expect(await server.exited).toBe(0);
    server = await startServer();
    expect(server.output()).not.toMatch(/(ship|deploy)-[0-9a-f]{32}|curl/);
    expect((await server.api('/account', { key })).status).toBe(200);
  });
});
