import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createTestClient, type TestClient } from './requests.ts';

/** A program in a separate process that is starting, running or stopping. */
export interface LaunchedProcess {
  child: ChildProcess;
  /** Returns everything that the process has printed so far. */
  output(): string;
  /** Returns what the process has printed to standard output so far. */
  stdout(): string;
  /** Resolves once the process has printed a text. Rejects with the output if the process exits earlier. */
  printed(text: string): Promise<void>;
  /** Resolves with the exit code or the signal once the process has exited and all its output was received. */
  exited: Promise<number | NodeJS.Signals>;
}

/** A running server in a separate process. */
export interface ServerProcess extends LaunchedProcess, TestClient {
  port: number;
}

/** What `npm start` runs. It starts in half of the time of its sources. */
const MAIN = join(import.meta.dirname, '../../../apps/api/dist/main.cjs');

/** Starts the real server without waiting until it is ready. @param program The program of another version. */
export function launchProcess(env: Record<string, string>, program = MAIN): LaunchedProcess {
  return launchProgram(process.execPath, [program], { NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE']!, ...env });
}

/** Starts a program without waiting until it is ready. It inherits no environment variable except `PATH`. */
export function launchProgram(
  command: string,
  parameters: readonly string[],
  env: Record<string, string> = {},
): LaunchedProcess {
  const child = spawn(command, parameters, {
    env: { PATH: process.env['PATH']!, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  let stdout = '';
  child.stdout.on('data', (text: string) => (stdout += text));
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (output += text));
  const exitResult = once(child, 'close').then(([code, signal]) => (signal ?? code) as number | NodeJS.Signals);
  return {
    child,
    exited: exitResult,
    output: () => output,
    stdout: () => stdout,
    printed: (text) =>
      new Promise((resolve, reject) => {
        const check = () => output.includes(text) && resolve();
        check();
        for (const stream of [child.stdout, child.stderr]) stream.on('data', check);
        void exitResult.then((code) => reject(new Error(`The program exited with ${code}:\n${output}`)));
      }),
  };
}

/** Starts the real server and waits until it is ready. @throws if the process exits earlier. */
export function startProcess(env: Record<string, string>): Promise<ServerProcess> {
  return whenUp(launchProcess(env));
}

/** Waits until a launched server is ready. @throws with its output if the process exits earlier. */
export async function whenUp(launched: LaunchedProcess): Promise<ServerProcess> {
  await launched.printed('Berth is up');
  const port = Number(/localhost:(\d+)/.exec(launched.output())![1]);
  return { ...launched, port, ...createTestClient(port) };
}
