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
  let pidFile: string;
  let key: string;
  let published: Deployment;
  let server: ServerProcess;
  const launchedServers: LaunchedProcess[] = [];
  const launch = (env: Record<string, string> = {}) => {
    const launched = launchProcess({ NODE_ENV: 'test', HOST: '127.0.0.1', PORT: '0', DATA_DIR: dataDir, ...env });
    launchedServers.push(launched);
    return launched;
  };
  const killDatabase = async (file: string) =>
    process.kill(Number((await readFile(file, 'utf8')).split('\n')[0]), 'SIGKILL');
  const printedKey = ({ output }: ServerProcess) => /^ *(ship-[0-9a-f]{32})$/m.exec(output())?.[1];

  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'berth-embedded-'));
    pidFile = join(dataDir, 'postgres/data/postmaster.pid');
  });
  afterAll(async () => {
    for (const { child } of launchedServers) child.kill('SIGKILL');
    if (existsSync(pidFile)) process.kill(Number((await readFile(pidFile, 'utf8')).split('\n')[0]), 'SIGINT');
    await rm(dataDir, { recursive: true, force: true, maxRetries: 20 });
  });

  it('api §12: never run twice: if two start at once, one exits and names the process that uses the folder', async () => {
    const servers = [launch(), launch()] as const;
    const failedServer = await Promise.race(servers.map(async (server) => (await server.exited, server)));
    const runningServer = servers.find((server) => server !== failedServer)!;
    expect(await failedServer.exited).toBe(1);
    const message = `Berth cannot start: another Berth server, process ${runningServer.child.pid}, already uses ${dataDir}/postgres. Stop it, or set DATA_DIR to another folder.`;
    expect(failedServer.output().trim()).toBe(message);

    server = await whenUp(runningServer);
    key = printedKey(server)!;
    published = await server.publish(PAGE, { key });
    const thirdServer = launch();
    expect(await thirdServer.exited).toBe(1);
    expect(thirdServer.output().trim()).toBe(message);
    expect((await server.visit(published.deployment)).text).toBe(PAGE['index.html']);
  });

  it('stack, database: adopt a database that kill -9 left running, with its data, and stop it at the end', async () => {
    server.child.kill('SIGKILL');
    expect(await server.exited).toBe('SIGKILL');
    const postmasterBefore = await readFile(pidFile, 'utf8');

    server = await whenUp(launch());
    expect(printedKey(server)).toBeUndefined();
    expect((await readFile(pidFile, 'utf8')).split('\n')[0]).toBe(postmasterBefore.split('\n')[0]);
    expect((await server.visit(published.deployment)).text).toBe(PAGE['index.html']);
    await server.publish(PAGE, { key });

    server.child.kill('SIGTERM');
    expect(await server.exited).toBe(0);
    expect(existsSync(pidFile)).toBe(false);
  });

  // Both servers wait several seconds between failed starts of the database.
  it.concurrent.each([1, 2])(
    'api §12: exit with a message when the database cannot restart, WORKERS=%i',
    async (workers) => {
      const folder = join(dataDir, `workers-${workers}`);
      const server = await whenUp(launch({ DATA_DIR: folder, WORKERS: String(workers) }));
      await writeFile(join(folder, 'postgres/data/PG_VERSION'), '9.6\n');
      await killDatabase(join(folder, 'postgres/data/postmaster.pid'));
      expect(await server.exited).toBe(1);
      expect(server.output()).toMatch(/Berth exits: The database ended and could not be started 5 times in a row\. /);
    },
  );

  it('api §12: stop at SIGTERM while the database is down', async () => {
    server = await whenUp(launch());
    await writeFile(join(dataDir, 'postgres/data/PG_VERSION'), '9.6\n');
    await killDatabase(pidFile);
    await server.printed('The database did not start; trying again');
    server.child.kill('SIGTERM');
    expect(await server.exited).toBe(0);
    await writeFile(join(dataDir, 'postgres/data/PG_VERSION'), '18\n');
  });
});
