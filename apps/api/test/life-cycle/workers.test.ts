import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type LaunchedProcess, type ServerProcess, startProcess } from '@berth/testing/process';
import { OWNER_KEY } from '@berth/testing/requests';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createWorld, PATIENT, type World } from '../crash/world.ts';
import { beginUpload } from './slow-upload.ts';

const PAGE = { 'index.html': '<h1>Ahoy</h1>' };
const REPLACED = 'A worker ended and is replaced';

/** The lines of the log with a message. */
function logged({ output }: LaunchedProcess, message: string): Record<string, unknown>[] {
  const lines = output()
    .split('\n')
    .filter((line) => line.startsWith('{'));
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>).filter(({ msg }) => msg === message);
}

/** The running workers of a server. */
function workersOf({ child }: LaunchedProcess): number[] {
  return runningWorkers().flatMap(({ pid, parent }) => (parent === child.pid ? [pid] : []));
}

/** All running workers, ordered by their ids, without zombies. */
function runningWorkers(): { pid: number; parent: number }[] {
  const { stdout } = spawnSync('ps', ['-A', '-ww', '-o', 'pid=,ppid=,args='], { encoding: 'utf8' });
  return [...stdout.matchAll(/^ *(\d+) +(\d+) .*workers\/worker\.ts/gm)].map(([, pid, parent]) => ({
    pid: Number(pid),
    parent: Number(parent),
  }));
}

/** Finishes an upload and returns its result. */
async function finish({ upload, rest }: Awaited<ReturnType<typeof beginUpload>>): Promise<{ deployment: string }> {
  upload.end(rest);
  const [answer] = (await once(upload, 'response')) as [IncomingMessage];
  expect(answer.statusCode).toBe(201);
  return JSON.parse(Buffer.concat(await answer.toArray()).toString()) as { deployment: string };
}

describe('a server with WORKERS=2', () => {
  let world: World;
  const start = (env: Record<string, string> = {}) =>
    world.start({ ...PATIENT, WORKERS: '2', LOG_LEVEL: 'info', ...env });
  beforeAll(async () => {
    world = await createWorld();
  });
  afterAll(() => world.drop());

  describe('api §10: from its first start on', () => {
    let server: ServerProcess;
    let key: string;
    beforeAll(async () => {
      server = await start({ OWNER_API_KEY: '' });
      key = /^ +(ship-[0-9a-f]{32})$/m.exec(server.output())![1]!;
    });

    /** Sends requests until a worker has answered. */
    const askUntilAnsweredBy = (id: number) =>
      expect
        .poll(
          async () => {
            expect((await server.api('/ping', { key })).status).toBe(200);
            return logged(server, 'request').map(({ worker }) => worker);
          },
          { timeout: 20_000 },
        )
        .toContain(id);

    it('prints once that it is ready, and its key', async () => {
      await server.printed('"Listening"');
      expect(server.output().match(/Berth is up/g)).toHaveLength(1);
      expect(server.output().match(/^ +ship-[0-9a-f]{32}$/gm)).toHaveLength(1);
      expect(logged(server, 'Listening')).toHaveLength(1);
    });

    it('serves on one port from two processes, each of which has what the other one accepted', async () => {
      expect(workersOf(server)).toHaveLength(2);
      const { deployment } = await server.publish(PAGE, { key });
      await Promise.all([1, 2].map(askUntilAnsweredBy));
      for (let visits = 0; visits < 8; visits += 1)
        expect((await server.visit(deployment)).text).toBe(PAGE['index.html']);
    });

    it('loses no request after a worker was killed, and replaces it', async () => {
      const [victim, other] = workersOf(server) as [number, number];
      process.kill(victim, 'SIGKILL');
      await server.printed(REPLACED);
      expect(logged(server, REPLACED)).toEqual([expect.objectContaining({ level: 'error', worker: 1, pauseMs: 0 })]);
      await askUntilAnsweredBy(3);
      expect(workersOf(server)).toEqual([other, expect.any(Number)]);
    });

    it('keeps its port when all workers are killed at once', async () => {
      for (const pid of workersOf(server)) process.kill(pid, 'SIGKILL');
      const status = () =>
        server
          .api('/ping', { key })
          .then((answer) => answer.status)
          .catch(() => null);
      await expect.poll(status, { timeout: 20_000 }).toBe(200);
    });

    it('ends at once, with all its processes, at a second signal', async () => {
      const { upload } = await beginUpload(server.port, key);
      const brokenOff = expect(once(upload, 'response')).rejects.toMatchObject({ code: 'ECONNRESET' });
      server.child.kill('SIGTERM');
      await server.printed('Stopping');
      const again = setInterval(() => server.child.kill('SIGTERM'), 300);
      // Its output ends when the last process that could write to it has ended.
      expect(await server.exited).toBe(1);
      clearInterval(again);
      await brokenOff;
    });
  });

  describe('api §8, §10: after a restart', () => {
    let server: ServerProcess;
    beforeAll(async () => {
      await world.database.query(`update deployment set expires = now() - interval '1 hour'`);
      server = await start();
    });

    it('runs its periodic jobs in the first process, not in workers', async () => {
      await server.printed('Swept');
      const sweeps = logged(server, 'Swept');
      expect(sweeps).toEqual([expect.objectContaining({ expired: 1 })]);
      expect(sweeps[0]).not.toHaveProperty('worker');
    });

    it('finishes the running upload when a signal reaches all its processes, and exits with 0', async () => {
      const upload = await beginUpload(server.port);
      for (const pid of [...workersOf(server), server.child.pid!]) process.kill(pid, 'SIGINT');
      await server.printed('Stopping');
      await finish(upload);
      expect(await server.exited).toBe(0);
      expect(logged(server, REPLACED)).toEqual([]);
    });
  });
});

it('api §8, §10: a server with workers leaves no process after kill -9 of the first one, loses no upload, and can be started again', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'berth-workers-'));
  const postmaster = join(dataDir, 'postgres/data/postmaster.pid');
  const env = { NODE_ENV: 'test', HOST: '127.0.0.1', PORT: '0', DATA_DIR: dataDir, OWNER_API_KEY: OWNER_KEY };
  try {
    const server = await startProcess({ ...env, WORKERS: '2' });
    const workers = workersOf(server);
    const upload = await beginUpload(server.port);
    server.child.kill('SIGKILL');
    await server.printed('The first process is gone');
    const { deployment } = await finish(upload);
    // Its output ends when the last process that could write to it has ended.
    expect(await server.exited).toBe('SIGKILL');
    expect(runningWorkers().filter(({ pid }) => workers.includes(pid))).toEqual([]);
    expect(existsSync(postmaster)).toBe(false);

    const next = await startProcess(env);
    expect((await next.visit(deployment)).text).toBe('slow');
    next.child.kill('SIGTERM');
    expect(await next.exited).toBe(0);
    expect(existsSync(postmaster)).toBe(false);
  } finally {
    if (existsSync(postmaster)) process.kill(Number((await readFile(postmaster, 'utf8')).split('\n')[0]), 'SIGINT');
    await rm(dataDir, { recursive: true, force: true, maxRetries: 20 });
  }
});
