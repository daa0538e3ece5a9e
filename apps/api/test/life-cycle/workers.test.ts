import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { launchProgram, type LaunchedProcess, type ServerProcess, startProcess } from '@berth/testing/process';
import { OWNER_KEY } from '@berth/testing/requests';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { createWorld, PATIENT, type World } from '../crash/world.ts';
import { beginUpload } from './slow-upload.ts';

const MAIN = join(import.meta.dirname, '../../dist/main.cjs');
const PAGE = { 'index.html': '<h1>Ahoy</h1>' };
const MESSAGE = 'A worker exited and will be replaced';

function linesWith({ output }: LaunchedProcess, message: string): Record<string, unknown>[] {
  const lines = output()
    .split('\n')
    .filter((line) => line.startsWith('{'));
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>).filter(({ msg }) => msg === message);
}

function workersOf({ child }: LaunchedProcess): number[] {
  return runningWorkers().flatMap(({ pid, parent }) => (parent === child.pid ? [pid] : []));
}

/** Lists all running workers by process id, without zombies. */
function runningWorkers(): { pid: number; parent: number }[] {
  const { stdout } = spawnSync('ps', ['-A', '-ww', '-o', 'pid=,ppid=,args='], { encoding: 'utf8' });
  return [...stdout.matchAll(/^ *(\d+) +(\d+) .*dist\/worker\.cjs/gm)].map(([, pid, parent]) => ({
    pid: Number(pid),
    parent: Number(parent),
  }));
}

async function finishUpload({
  upload,
  missingBytes: tail,
}: Awaited<ReturnType<typeof beginUpload>>): Promise<{ deployment: string }> {
  upload.end(tail);
  const [response] = (await once(upload, 'response')) as [IncomingMessage];
  expect(response.statusCode).toBe(201);
  return JSON.parse(Buffer.concat(await response.toArray()).toString()) as { deployment: string };
}

describe('a server with WORKERS=2', () => {
  let world: World;
  const startServer = (env: Record<string, string> = {}) =>
    world.start({ ...PATIENT, WORKERS: '2', LOG_LEVEL: 'info', ...env });
  beforeAll(async () => {
    world = await createWorld();
  });
  afterAll(() => world.drop());

  it.skipIf(process.platform !== 'linux')(
    'api §13: prints one link on a terminal, and the address of the console',
    async () => {
      const command = `exec ${process.execPath} ${MAIN}`;
      const other = await createWorld();
      onTestFinished(() => other.drop());
      const env = other.env({ ...PATIENT, WORKERS: '2', LOG_LEVEL: 'info' });
      const server = launchProgram('script', ['-q', '-e', '-f', '-c', command, '/dev/null'], env);
      await server.printed('Listening');
      expect(server.output().match(/Open Berth: http:\/\/localhost:\d+\/#first=[0-9a-f]{32}\b/g)).toHaveLength(1);
      expect(server.output().match(/#first=/g)).toHaveLength(1);
      expect(server.output()).toMatch(/^ +Console +http:\/\/localhost:\d+\s*$/m);
      server.child.kill();
      await server.exited;
    },
  );

  describe('api §10: after its first start', () => {
    let server: ServerProcess;
    let key: string;
    beforeAll(async () => {
      server = await startServer({ OWNER_API_KEY: '' });
      key = /^ +(ship-[0-9a-f]{32})$/m.exec(server.output())![1]!;
    });

    /** Sends requests until the worker has responded to one. */
    const pollUntilServedBy = (id: number) =>
      expect
        .poll(
          async () => {
            expect((await server.api('/ping', { key })).status).toBe(200);
            return linesWith(server, 'request').map(({ worker }) => worker);
          },
          { timeout: 20_000 },
        )
        .toContain(id);

    it('prints once that it is ready, and prints its key once', async () => {
      await server.printed('"Listening"');
      expect(server.output().match(/Berth is up/g)).toHaveLength(1);
      expect(server.output().match(/^ +ship-[0-9a-f]{32}$/gm)).toHaveLength(1);
      expect(linesWith(server, 'Listening')).toHaveLength(1);
      expect(server.output().match(/^ +Open Berth: npm run berth -- sign-in$/gm)).toHaveLength(1);
    });

    it('serves one port from two processes, each of which serves the deployments that the other accepted', async () => {
      expect(workersOf(server)).toHaveLength(2);
      const { deployment } = await server.publish(PAGE, { key });
      await Promise.all([1, 2].map(pollUntilServedBy));
      for (let visits = 0; visits < 8; visits += 1)
        expect((await server.visit(deployment)).text).toBe(PAGE['index.html']);
    });

    it('loses no request after a worker was killed, and replaces the worker', async () => {
      const [killed, remaining] = workersOf(server) as [number, number];
      process.kill(killed, 'SIGKILL');
      await server.printed(MESSAGE);
      expect(linesWith(server, MESSAGE)).toEqual([expect.objectContaining({ level: 'error', worker: 1, pauseMs: 0 })]);
      await pollUntilServedBy(3);
      expect(workersOf(server)).toEqual([remaining, expect.any(Number)]);
    });

    it('keeps its port when all workers are killed at once', async () => {
      for (const pid of workersOf(server)) process.kill(pid, 'SIGKILL');
      const status = () =>
        server
          .api('/ping', { key })
          .then((response) => response.status)
          .catch(() => null);
      await expect.poll(status, { timeout: 20_000 }).toBe(200);
    });

    it('exits at once with all its processes at a second signal', async () => {
      const { upload } = await beginUpload(server.port, key);
      const uploadFailure = expect(once(upload, 'response')).rejects.toMatchObject({ code: 'ECONNRESET' });
      server.child.kill('SIGTERM');
      await server.printed('Stopping');
      const signals = setInterval(() => server.child.kill('SIGTERM'), 300);
      // The output of the server ends only after the last of its processes has exited.
      expect(await server.exited).toBe(1);
      clearInterval(signals);
      await uploadFailure;
    });
  });

  describe('api §8, §10: after a restart', () => {
    let server: ServerProcess;
    beforeAll(async () => {
      await world.database.query(`update deployment set expires = now() - interval '1 hour'`);
      server = await startServer();
    });

    it('runs its periodic jobs in the first process, not in workers', async () => {
      await server.printed('Swept');
      const sweeps = linesWith(server, 'Swept');
      expect(sweeps).toEqual([expect.objectContaining({ expired: 1 })]);
      expect(sweeps[0]).not.toHaveProperty('worker');
    });

    it('finishes the running upload when a signal reaches all its processes, and exits with 0', async () => {
      const upload = await beginUpload(server.port);
      for (const pid of [...workersOf(server), server.child.pid!]) process.kill(pid, 'SIGINT');
      await server.printed('Stopping');
      await finishUpload(upload);
      expect(await server.exited).toBe(0);
      expect(linesWith(server, MESSAGE)).toEqual([]);
    });
  });
});

it('api §8, §10: a server with workers whose first process is killed finishes uploads, leaves no process, and can be started again', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'berth-workers-'));
  const pidFile = join(dataDir, 'postgres/data/postmaster.pid');
  const env = { NODE_ENV: 'test', HOST: '127.0.0.1', PORT: '0', DATA_DIR: dataDir, OWNER_API_KEY: OWNER_KEY };
  try {
    const server = await startProcess({ ...env, WORKERS: '2' });
    const workers = workersOf(server);
    const upload = await beginUpload(server.port);
    server.child.kill('SIGKILL');
    await server.printed('The first process is gone');
    const { deployment } = await finishUpload(upload);
    // The output of the server ends only after the last of its processes has exited.
    expect(await server.exited).toBe('SIGKILL');
    expect(runningWorkers().filter(({ pid }) => workers.includes(pid))).toEqual([]);
    expect(existsSync(pidFile)).toBe(false);

    const restartedServer = await startProcess(env);
    expect((await restartedServer.visit(deployment)).text).toBe('slow');
    restartedServer.child.kill('SIGTERM');
    expect(await restartedServer.exited).toBe(0);
    expect(existsSync(pidFile)).toBe(false);
  } finally {
    if (existsSync(pidFile)) process.kill(Number((await readFile(pidFile, 'utf8')).split('\n')[0]), 'SIGINT');
    await rm(dataDir, { recursive: true, force: true, maxRetries: 20 });
  }
});
