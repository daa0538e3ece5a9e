import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A server in a process of its own, so that its memory and its time are its own too. */
export interface BenchServer {
  port: number;
  pid: number;
  /** Asks the process and waits for its answer. */
  ask<T>(question: string): Promise<T>;
  stop(): Promise<void>;
}

export const API_KEY = 'ship-0123456789abcdef0123456789abcdef';

/** A whole Berth on an empty data folder. */
export async function startBerth(): Promise<BenchServer> {
  const dataDir = await mkdtemp(join(tmpdir(), 'berth-bench-'));
  const port = 20_000 + Math.floor(Math.random() * 20_000);
  const child = fork(join(import.meta.dirname, '../../apps/api/src/main.ts'), {
    execArgv: ['--import', join(import.meta.dirname, 'count-fsync.ts')],
    env: {
      ...process.env,
      PORT: String(port),
      HOST: '127.0.0.1',
      DATA_DIR: dataDir,
      OWNER_API_KEY: API_KEY,
      LOG_LEVEL: 'warn',
    },
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  for await (const text of child.stdout!) if (String(text).includes('Berth is up')) break;
  child.stdout!.resume();
  return serverOf(child, port, () => rm(dataDir, { recursive: true, force: true }));
}

/** The parser alone. */
export async function startBare(): Promise<BenchServer> {
  const child = fork(join(import.meta.dirname, 'bare-server.ts'));
  const [{ port }] = (await once(child, 'message')) as [{ port: number }];
  return serverOf(child, port, async () => {});
}

/** Resident memory of a process, in bytes. */
export async function residentBytes(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? Number.NaN) * 1024;
}

function serverOf(child: ChildProcess, port: number, cleanUp: () => Promise<void>): BenchServer {
  return {
    port,
    pid: child.pid!,
    async ask<T>(question: string) {
      child.send(question);
      const [answer] = (await once(child, 'message')) as [T];
      return answer;
    },
    async stop() {
      child.kill('SIGTERM');
      await once(child, 'exit');
      await cleanUp();
    },
  };
}
