import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePorts } from '@berth/testing/free-ports';
import { OWNER_KEY } from '@berth/testing/requests';
import { processesOf, type ServiceProcess, signal } from './processes.ts';

/** One server with its workers, and its database if that is embedded, which the run starts, kills and restarts. */
export interface Service {
  readonly port: number;
  readonly dataDir: string;
  readonly workers: number;
  /** Everything that the processes have logged, at most the last megabyte. */
  log(): string;
  processes(...kinds: ServiceProcess['kind'][]): ServiceProcess[];
  /**
   * Starts the server. Repeats the start while the port is still in use by workers of a killed server.
   *
   * @returns Seconds. @throws StartFailed.
   */
  start(env?: Record<string, string>): Promise<number>;
  /** Whether the first process runs. */
  isRunning(): boolean;
  /** Resolves when the first process has ended. */
  ended(): Promise<number | NodeJS.Signals | null>;
  /** Stops the server as an operator does. */
  stop(): Promise<void>;
  /** Kills every process, also those that a killed server has left. */
  killAll(): Promise<void>;
  /** Runs a command of the operator, and kills it after some time. @returns Its exit code, not 0 if it was killed, and what it printed. */
  operate(
    words: readonly string[],
    env?: Record<string, string>,
    timeoutMs?: number,
  ): Promise<{ code: number; output: string }>;
  /** Shifts the wall clock of all processes but the database, whose clock alone must decide. */
  shiftClock(offsetMs: number): void;
}

/** Thrown when the server does not start. */
export class StartFailed extends Error {}

const TREE = join(import.meta.dirname, '../..');
/** The bundled server, which is what operators run. */
const PROGRAMS = join(TREE, 'apps/api/dist');
const CLOCK = pathToFileURL(join(import.meta.dirname, 'clock.ts')).href;
const START_TIMEOUT_MS = 60_000;
const RETRY_MS = 100;
const MAX_LOG = 1024 ** 2;
const OPERATOR_TIMEOUT_MS = 120_000;

export interface ServiceOptions {
  workers: number;
  dataDir: string;
  /** The file with the shift of the clock. */
  clockFile: string;
  /** Further variables of the server and of the commands of the operator. */
  env: Record<string, string>;
  /** Further variables of the commands alone. */
  operatorEnv: Record<string, string>;
}

/** Prepares a server on a free port without starting it. */
export async function createService({
  workers,
  dataDir,
  clockFile,
  env,
  operatorEnv,
}: ServiceOptions): Promise<Service> {
  const [port = 0] = await freePorts(1);
  writeFileSync(clockFile, '0');
  const environment: Record<string, string> = {
    PATH: process.env['PATH']!,
    NODE_ENV: 'test',
    NODE_OPTIONS: `--import ${CLOCK} --disable-warning=ExperimentalWarning`,
    NODE_COMPILE_CACHE: join(TREE, 'node_modules/.cache/node'),
    TORTURE_CLOCK: clockFile,
    HOST: '127.0.0.1',
    PORT: String(port),
    DATA_DIR: dataDir,
    OWNER_API_KEY: OWNER_KEY,
    WORKERS: String(workers),
    RATE_LIMITS: 'off',
    DNS_SERVERS: '127.0.0.1:1',
    LOG_LEVEL: 'warn',
    // The sweep removes what is not needed at once, so that a mistake of it cannot hide behind the grace time.
    SWEEP_GRACE: '0s',
    BOOT_STALE: '90s',
    ...env,
  };
  let child: ChildProcess | null = null;
  let exit: Promise<number | NodeJS.Signals | null> = Promise.resolve(null);
  let log = '';

  async function launch(more: Record<string, string>): Promise<boolean> {
    const launched = spawn(process.execPath, ['--expose-gc', join(PROGRAMS, 'main.cjs')], {
      env: { ...environment, ...more },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    child = launched;
    exit = once(launched, 'exit').then(([code, name]) => (name ?? code) as number | NodeJS.Signals);
    let output = '';
    const isUp = new Promise<boolean>((resolve) => {
      for (const stream of [launched.stdout, launched.stderr])
        stream.setEncoding('utf8').on('data', (text: string) => {
          log = (log + text).slice(-MAX_LOG);
          if (output.length < MAX_LOG) output += text;
          if (output.includes('Berth is up')) resolve(true);
        });
      void exit.then(() => resolve(false));
    });
    if (await isUp) return true;
    if (output.includes('is in use')) return false;
    throw new StartFailed(`The server did not start: ${output.slice(-2_000)}`);
  }

  return {
    port,
    dataDir,
    workers,
    log: () => log,
    processes: (...kinds) => processesOf(dataDir).filter(({ kind }) => kinds.includes(kind)),
    async start(more = {}) {
      const startedAt = performance.now();
      while (!(await launch(more))) {
        if (performance.now() - startedAt > START_TIMEOUT_MS)
          throw new StartFailed('The port of the server is still in use.');
        await sleep(RETRY_MS);
      }
      return (performance.now() - startedAt) / 1_000;
    },
    isRunning: () => child !== null && child.exitCode === null && child.signalCode === null,
    ended: () => exit,
    async stop() {
      child?.kill('SIGTERM');
      await exit;
    },
    async killAll() {
      for (let left = processesOf(dataDir); left.length > 0; left = processesOf(dataDir)) {
        for (const { pid } of left) signal(pid, 'SIGKILL');
        await sleep(20);
      }
      await exit;
    },
    operate: (words, more = {}, timeout = OPERATOR_TIMEOUT_MS) =>
      new Promise((resolve) => {
        const program = join(PROGRAMS, 'operator.cjs');
        execFile(
          process.execPath,
          [program, ...words],
          { env: { ...environment, ...operatorEnv, ...more }, timeout, killSignal: 'SIGKILL', maxBuffer: MAX_LOG },
          (error, stdout, stderr) => resolve({ code: error ? Number(error.code ?? -1) : 0, output: stdout + stderr }),
        );
      }),
    shiftClock(offsetMs) {
      writeFileSync(clockFile, String(Math.round(offsetMs)));
    },
  };
}
