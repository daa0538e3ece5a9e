import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { OWNER_KEY } from '@berth/testing/requests';
import { onTestFinished } from 'vitest';
import { PARTS, type Parts } from '../src/parts.ts';
import { run } from '../src/run.ts';
import { terminalOf } from '../src/terminal.ts';

/** The result of a command line. */
export interface Outcome {
  code: number | NodeJS.Signals | null;
  out: string;
  err: string;
}

export const MAIN = join(import.meta.dirname, '../src/main.ts');
/** Halves the time a process takes to start. */
const COMPILE_CACHE = join(import.meta.dirname, '../../../node_modules/.cache/node');

/** The variables of a user who is signed in to a server. Default: as its owner. */
export const envOf = ({ port }: { port: number }, key = OWNER_KEY): Record<string, string> => ({
  BERTH_SERVER: `http://localhost:${port}`,
  BERTH_KEY: key,
});

/**
 * Creates a user with a home folder, which is deleted after the test.
 *
 * @param variables Further variables, such as `BERTH_SERVER`. @param parts Replace the real parts in `runInProcess`.
 */
export function createUser(variables: Record<string, string> = {}, parts: Partial<Parts> = {}) {
  const home = mkdtempSync(join(tmpdir(), 'berth-home-'));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  /** The environment of all commands. */
  const env: Record<string, string> = {
    PATH: process.env['PATH']!,
    HOME: home,
    XDG_CACHE_HOME: join(home, '.cache'),
    TZ: 'UTC',
    NODE_COMPILE_CACHE: COMPILE_CACHE,
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
    /** Does the same in this process, without the start, which takes half a second. */
    async runInProcess(...words: string[]): Promise<Outcome> {
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
      const code = await run(words, { env, terminal, parts: { ...PARTS, ...parts }, signal });
      return { code, out, err };
    },
  };
}

/** Waits for the result of a started program. */
export async function outcomeOf(child: ChildProcessWithoutNullStreams): Promise<Outcome> {
  const ended = new Promise<Outcome['code']>((resolve) =>
    child.once('close', (code, signal) => resolve(signal ?? code)),
  );
  const [out, err, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
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
