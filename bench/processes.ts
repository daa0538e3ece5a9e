import { type ChildProcess, execFile, fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, open, readFile, rm } from 'node:fs/promises';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

/** A server in a separate process, so that its memory and its time can be measured. */
export interface BenchServer {
  port: number;
  pid: number;
  /** Sends a message to the process and returns its reply. */
  ask<T>(question: string): Promise<T>;
  /** Whether the process has exited, for any reason. */
  hasEnded(): boolean;
  /** Stops the process and removes its data. A process that ignores SIGTERM for 10 s is killed. */
  stop(): Promise<void>;
}

export const API_KEY = 'ship-0123456789abcdef0123456789abcdef';

/** The checkout that this bench belongs to. */
export const OWN_TREE = join(import.meta.dirname, '..');
const STOP_MS = 10_000;
const POLL_MS = 50;

/** Options of {@link startBerth}. */
export interface BerthOptions {
  /** A module that the server loads first. */
  preload?: string;
  /** The checkout whose server runs. Default: {@link OWN_TREE}. */
  tree?: string;
  /** A file for standard output. Default: a pipe that this process reads, which takes time from the server. */
  outputFile?: string;
}

/**
 * Starts a complete Berth server on an empty data folder, or on the given `DATA_DIR`, which is not removed.
 *
 * @param env Additional environment variables.
 * @throws Error when the server exits before it listens.
 */
export async function startBerth(
  env: Record<string, string> = {},
  { preload, tree = OWN_TREE, outputFile }: BerthOptions = {},
): Promise<BenchServer & { dataDir: string }> {
  const configuredDir = env['DATA_DIR'];
  const dataDir = configuredDir ?? (await mkdtemp(join(tmpdir(), 'berth-bench-')));
  const port = 20_000 + Math.floor(Math.random() * 10_000);
  const output = outputFile === undefined ? undefined : await open(outputFile, 'w');
  const child = fork(await serverProgram(tree), {
    execArgv: [
      '--expose-gc',
      '--max-semi-space-size=4',
      '--no-memory-reducer',
      '--no-maglev',
      ...(preload === undefined ? [] : ['--import', preload]),
    ],
    env: {
      ...process.env,
      MALLOC_ARENA_MAX: '2',
      MALLOC_MMAP_THRESHOLD_: '131072',
      NODE_COMPILE_CACHE: join(tree, 'node_modules/.cache/node'),
      PORT: String(port),
      HOST: '127.0.0.1',
      DATA_DIR: dataDir,
      OWNER_API_KEY: API_KEY,
      LOG_LEVEL: 'warn',
      RATE_LIMITS: 'off',
      ...env,
    },
    stdio: ['ignore', output?.fd ?? 'pipe', 'pipe', 'ipc'],
  });
  await output?.close();
  let printed = '';
  const isUp = await new Promise<boolean>((resolve) => {
    const check = (text: Buffer) => {
      printed += String(text);
      if (printed.includes('Berth is up')) resolve(true);
    };
    child.stdout?.on('data', check);
    child.stderr!.on('data', check);
    child.once('close', () => resolve(false));
  });
  if (!isUp) throw new Error(`The server of ${tree} exited with ${child.exitCode} before it listened:\n${printed}`);
  child.stdout?.removeAllListeners('data').resume();
  child.stderr!.removeAllListeners('data').pipe(process.stderr);
  const cleanUp = async () => {
    await stopLeftDatabase(dataDir);
    if (configuredDir === undefined) await rm(dataDir, { recursive: true, force: true });
  };
  return { ...serverOf(child, port, cleanUp), dataDir };
}

const programs = new Map<string, Promise<string>>();

/** Returns the program that `npm start` runs in a checkout. Servers that start at the same time share one build. */
function serverProgram(tree: string): Promise<string> {
  const program = programs.get(tree) ?? buildProgram(tree);
  programs.set(tree, program);
  return program;
}

async function buildProgram(tree: string): Promise<string> {
  const build = join(tree, 'packages/server-bundle/src/build.ts');
  // Checkouts from before the bundle run their sources.
  if (!existsSync(build)) return join(tree, 'apps/api/src/main.ts');
  await promisify(execFile)(process.execPath, [build, '--if-changed']);
  return join(tree, 'apps/api/dist/main.cjs');
}

/** Starts a program that reports the port it listens on. Berth is compared with this program as the upper bound. */
export async function startBare(program: string, args: readonly string[] = []): Promise<BenchServer> {
  const child = fork(program, args);
  const [{ port }] = (await once(child, 'message')) as [{ port: number }];
  return serverOf(child, port, async () => {});
}

/**
 * Returns the number of measured rounds, at least 1. `BENCH_SCALE`, such as 0.3, changes the number for all benches.
 */
export function scaledRounds(usual: number): number {
  return Math.max(1, Math.round(usual * Number(process.env['BENCH_SCALE'] ?? 1)));
}

export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;
}

/** Returns the line above a table: date, machine and method. */
export function heading(how: string): string {
  const cores = cpus();
  return `\n${new Date().toISOString().slice(0, 10)}, ${cores.length} cores (${cores[0]!.model}), Node ${process.version}, ${how}\n`;
}

function serverOf(child: ChildProcess, port: number, cleanUp: () => Promise<void>): BenchServer {
  const exitEvent = once(child, 'exit');
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null;
  return {
    port,
    pid: child.pid!,
    hasEnded,
    async ask<T>(question: string) {
      child.send(question);
      const [reply] = (await once(child, 'message')) as [T];
      return reply;
    },
    async stop() {
      child.kill('SIGTERM');
      const deadline = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
      if (!hasEnded()) await exitEvent;
      clearTimeout(deadline);
      await cleanUp();
    },
  };
}

/** Stops the embedded PostgreSQL that a killed server has left running. */
async function stopLeftDatabase(dataDir: string): Promise<void> {
  const pidFile = join(dataDir, 'postgres/data/postmaster.pid');
  const pidOf = async () => Number((await readFile(pidFile, 'utf8').catch(() => '')).split('\n')[0]);
  const pid = await pidOf();
  if (pid > 0) process.kill(pid, 'SIGINT');
  for (const deadline = performance.now() + STOP_MS; (await pidOf()) > 0 && performance.now() < deadline;)
    await sleep(POLL_MS);
}
