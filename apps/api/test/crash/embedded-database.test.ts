import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Deployment } from '@berth/contract';
import { type LaunchedProcess, launchProcess, type ServerProcess, whenUp } from '@berth/testing/process';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const PAGE = { 'index.html': '<h1>Ahoy</h1>' };

describe('servers on a data folder without DATABASE_URL', { timeout: 120_000 }, () => {
  let dataDir: string;
  let postmaster: string;
  let key: string;
  let published: Deployment;
  let server: ServerProcess;
  const running: LaunchedProcess[] = [];
  const launch = (env: Record<string, string> = {}) => {
    const one = launchProcess({ NODE_ENV: 'test', HOST: '127.0.0.1', PORT: '0', DATA_DIR: dataDir, ...env });
    running.push(one);
    return one;
  };
  const killDatabase = async (pidFile: string) =>
    process.kill(Number((await readFile(pidFile, 'utf8')).split('\n')[0]), 'SIGKILL');
  const keyIn = ({ output }: ServerProcess) => /^ *(ship-[0-9a-f]{32})$/m.exec(output())?.[1];

  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'berth-embedded-'));
    postmaster = join(dataDir, 'postgres/data/postmaster.pid');
  });
  afterAll(async () => {
    for (const { child } of running) child.kill('SIGKILL');
    if (existsSync(postmaster)) process.kill(Number((await readFile(postmaster, 'utf8')).split('\n')[0]), 'SIGINT');
    await rm(dataDir, { recursive: true, force: true, maxRetries: 20 });
  });

  it('api §12: of two that start at the same time one serves; the other ends at once and names the process that uses the folder', async () => {
    const launched = [launch(), launch()] as const;
    const first = await Promise.race(launched.map(async (each) => (await each.exited, each)));
    const other = launched.find((each) => each !== first)!;
    expect(await first.exited).toBe(1);
    const whole = `Berth cannot start: another Berth server, process ${other.child.pid}, already uses ${dataDir}/postgres. Stop it, or set DATA_DIR to another folder.`;
    expect(first.output().trim()).toBe(whole);

    server = await whenUp(other);
    key = keyIn(server)!;
    published = await server.publish(PAGE, { key });
    const late = launch();
    expect(await late.exited).toBe(1);
    expect(late.output().trim()).toBe(whole);
    expect((await server.visit(published.deployment)).text).toBe(PAGE['index.html']);
  });

  it('stack, database: a database left running by kill -9 is adopted with its data, and stopped at the end', async () => {
    server.child.kill('SIGKILL');
    expect(await server.exited).toBe('SIGKILL');
    const leftOver = await readFile(postmaster, 'utf8');

    server = await whenUp(launch());
    expect(keyIn(server)).toBeUndefined();
    expect((await readFile(postmaster, 'utf8')).split('\n')[0]).toBe(leftOver.split('\n')[0]);
    expect((await server.visit(published.deployment)).text).toBe(PAGE['index.html']);
    await server.publish(PAGE, { key });

    server.child.kill('SIGTERM');
    expect(await server.exited).toBe(0);
    expect(existsSync(postmaster)).toBe(false);
  });

  // Both wait for seconds between the starts that fail.
  it.concurrent.each([1, 2])(
    'api §12: end with a clear message when the database cannot be restarted, WORKERS=%i',
    async (workers) => {
      const folder = join(dataDir, `workers-${workers}`);
      const failing = await whenUp(launch({ DATA_DIR: folder, WORKERS: String(workers) }));
      await writeFile(join(folder, 'postgres/data/PG_VERSION'), '9.6\n');
      await killDatabase(join(folder, 'postgres/data/postmaster.pid'));
      expect(await failing.exited).toBe(1);
      expect(failing.output()).toMatch(/Berth exits: The database ended and could not be started 5 times in a row\. /);
    },
  );

  it('api §12: stop at SIGTERM while the database is down', async () => {
    server = await whenUp(launch());
    await writeFile(join(dataDir, 'postgres/data/PG_VERSION'), '9.6\n');
    await killDatabase(postmaster);
    await server.printed('The database did not start; trying again');
    server.child.kill('SIGTERM');
    expect(await server.exited).toBe(0);
    await writeFile(join(dataDir, 'postgres/data/PG_VERSION'), '18\n');
  });
});
