import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { OWNER_KEY } from '@berth/testing/requests';
import { onTestFinished } from 'vitest';
import { run } from '../src/run.ts';
import { PARTS, type Parts } from '../src/session.ts';
import { type Terminal, terminalOf } from '../src/terminal.ts';

/** The result of a command line. */
export interface Outcome {
  code: number | NodeJS.Signals | null;
  out: string;
  err: string;
}

export const MAIN = join(import.meta.dirname, '../src/main.ts');

/** Returns the environment variables of a user of a server. Default: the owner of the server. */
export const envOf = ({ port }: { port: number }, key = OWNER_KEY): Record<string, string> => ({
  BERTH_SERVER: `http://localhost:${port}`,
  BERTH_KEY: key,
});

/** Creates a user with environment variables and a home folder, which is deleted after the test. */
export function createUser(variables: Record<string, string> = {}, parts: Partial<Parts> = {}) {
  const home = mkdtempSync(join(tmpdir(), 'berth-home-'));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  /** The environment of all commands. */
  const env: Record<string, string> = {
    PATH: process.env['PATH']!,
    HOME: home,
    XDG_CACHE_HOME: join(home, '.cache'),
    TZ: 'UTC',
    NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE']!,
    ...variables,
  };
  /** Starts the real program in the home folder, without waiting for it. */
  const startProgram = (...words: string[]) => spawn(process.execPath, [MAIN, ...words], { env, cwd: home });
  const runProgramWithInput = async (input: string, ...words: string[]): Promise<Outcome> => {
    const child = startProgram(...words);
    child.stdin.on('error', () => {}).end(input);
    return outcomeOf(child);
  };
  return {
    home,
    env,
    startProgram,
    runProgramWithInput,
    /** Runs the real program in the home folder. */
    runProgram: (...words: string[]) => runProgramWithInput('', ...words),
    /** Runs the program in this process, which avoids the half a second that a process takes to start. */
    runInProcess: (...words: string[]) => runInProcess(null, words),
    /** Runs the program in this process as if on a terminal, where a person types these answers. `asked` are the questions. */
    async runOnTerminal(answers: readonly string[], ...words: string[]): Promise<Outcome & { asked: string[] }> {
      const askedQuestions: string[] = [];
      const typedAnswers = [...answers];
      const outcome = await runInProcess(
        async (question) => (askedQuestions.push(question), typedAnswers.shift() ?? ''),
        words,
      );
      return { ...outcome, asked: askedQuestions };
    },
  };

  /** @param ask Answers questions as a person on a terminal; `null` without a terminal. */
  async function runInProcess(ask: Terminal['ask'] | null, words: string[]): Promise<Outcome> {
    let out = '';
    let err = '';
    const terminal = terminalOf(
      {
        stdin: Readable.from([]),
        stdout: { write: (text) => (out += String(text)) },
        stderr: { write: (text) => (err += String(text)) },
      },
      env,
    );
    const { signal } = new AbortController();
    const person = ask && { ask, isInteractive: true, input: null };
    const code = await run(words, { env, terminal: { ...terminal, ...person }, parts: { ...PARTS, ...parts }, signal });
    return { code, out, err };
  }
}

/** Waits until a program has ended, and returns its result. */
export async function outcomeOf(child: ChildProcessWithoutNullStreams): Promise<Outcome> {
  const exitCode = new Promise<Outcome['code']>((resolve) =>
    child.once('close', (code, signal) => resolve(signal ?? code)),
  );
  const [out, err, code] = await Promise.all([text(child.stdout), text(child.stderr), exitCode]);
  return { code, out, err };
}

/** Writes files into a folder, and returns the folder. */
export function writeFiles(folder: string, files: Record<string, string | Buffer>): string {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
  return folder;
}

/** Runs work in another working folder. */
export async function inFolder<T>(folder: string, work: () => Promise<T>): Promise<T> {
  const before = process.cwd();
  process.chdir(folder);
  try {
    return await work();
  } finally {
    process.chdir(before);
  }
}
