import { type ChildProcess, spawn, type SpawnOptions } from 'node:child_process';
import { basename } from 'node:path';
import { StringDecoder } from 'node:string_decoder';
import { stripVTControlCharacters } from 'node:util';
import { ClientError } from '@berth/client';
import { z } from 'zod';
import { abortedError } from '../problem.ts';

/** How long a build may take to end after it was asked to, in milliseconds. */
const END_LIMIT_MS = 5_000;
/** How long to wait for the output of a build whose process has ended, in milliseconds. A server that it started may keep the pipes open. */
const OUTPUT_LIMIT_MS = 1_000;
/** The shells whose interactive start-up files set the search path, where version managers of Node put themselves. */
const LOGIN_SHELLS = new Set(['bash', 'zsh', 'fish']);

/** A build command, and the absolute path of the project in which it runs. */
export const BuildRun = z.object({ root: z.string(), command: z.string() });
export type BuildRun = z.infer<typeof BuildRun>;

interface BuildControl {
  /** Ends the build and everything that it has started. */
  signal: AbortSignal;
  /** Called with each part of the output, without colours. */
  onOutput(text: string): void;
}

/**
 * Runs the build command of a project, as the user would in a terminal. The command gets no input.
 *
 * @throws ClientError `folder` when the build fails; `aborted`.
 */
export async function runBuild({ command, root }: BuildRun, { signal, onOutput }: BuildControl): Promise<void> {
  if (signal.aborted) throw abortedError();
  const child = startShell(command, root);
  for (const stream of [child.stdout!, child.stderr!]) {
    const decoder = new StringDecoder('utf8');
    stream.on('data', (bytes: Buffer) => onOutput(stripVTControlCharacters(decoder.write(bytes))));
  }
  let killTimer: NodeJS.Timeout | undefined;
  const stop = () => {
    endTree(child, 'SIGTERM');
    killTimer = setTimeout(() => endTree(child, 'SIGKILL'), END_LIMIT_MS);
  };
  signal.addEventListener('abort', stop, { once: true });
  try {
    const code = await exitOf(child);
    if (signal.aborted) throw abortedError();
    if (code !== 0) throw buildFailed(command, code);
  } finally {
    clearTimeout(killTimer);
    signal.removeEventListener('abort', stop);
  }
}

/** The error of a build that ended with an exit code other than 0, or with a signal. */
export function buildFailed(command: string, code: number | string): ClientError {
  return new ClientError('folder', `The build failed: ${command} ended with exit code ${code}.`);
}

/** An app that the desktop started does not know the search path of the user's terminal, but the user's shell does. */
function startShell(command: string, cwd: string): ChildProcess {
  const { SHELL = '' } = process.env;
  const env = { ...process.env, NO_COLOR: '1', FORCE_COLOR: '0' };
  // A group of its own makes it possible to end what the build has started.
  const options: SpawnOptions = {
    cwd,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: process.platform !== 'win32',
  };
  if (process.platform !== 'win32' && LOGIN_SHELLS.has(basename(SHELL)))
    return spawn(SHELL, ['-ilc', command], options);
  return spawn(command, { ...options, shell: true, windowsHide: true });
}

/** Resolves to the exit code. @throws ClientError `folder` when the shell cannot be started. */
function exitOf(child: ChildProcess): Promise<number | string> {
  return new Promise((resolve, reject) => {
    child.once('error', (cause) =>
      reject(new ClientError('folder', `The build cannot be started: ${cause.message}`, { cause })),
    );
    child.once('exit', (code, signal) => {
      const end = () => resolve(code ?? signal ?? 1);
      const timer = setTimeout(end, OUTPUT_LIMIT_MS);
      child.once('close', () => {
        clearTimeout(timer);
        end();
      });
    });
  });
}

function endTree({ pid }: ChildProcess, signal: 'SIGTERM' | 'SIGKILL'): void {
  if (pid === undefined) return;
  if (process.platform === 'win32') {
    spawn('taskkill', ['/pid', String(pid), '/T', '/F'], { stdio: 'ignore', windowsHide: true }).on('error', () => {});
    return;
  }
  try {
    process.kill(-pid, signal);
  } catch {
    // Everything has ended already.
  }
}
