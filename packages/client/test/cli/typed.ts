import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';
import { PARTS, type Parts } from '../../src/cli/parts.ts';
import { run } from '../../src/cli/run.ts';
import { terminalOf } from '../../src/cli/terminal.ts';

/** What a command line answered. */
export interface Outcome {
  code: number | NodeJS.Signals | null;
  out: string;
  err: string;
}

/** Somebody with a home of their own, which goes with the test. */
export interface Person {
  home: string;
  /** What every command is started with. */
  env: Record<string, string>;
  /** Runs the real program, in its home. */
  types(...words: string[]): Promise<Outcome>;
  /** The same, with something on its input. */
  typesWith(input: string, ...words: string[]): Promise<Outcome>;
  /** Starts the real program, and leaves it to the test. */
  starts(...words: string[]): ChildProcessWithoutNullStreams;
  /** Runs a command line in this process: the same but for the start, which costs half a second. */
  runs(...words: string[]): Promise<Outcome>;
}

export const MAIN = join(import.meta.dirname, '../../src/cli/main.ts');
/** Halves the time a process takes to start. */
const COMPILE_CACHE = join(import.meta.dirname, '../../../../node_modules/.cache/node');

/** @param given Further variables, such as `BERTH_SERVER`. @param parts What is put in place of the real ones by `runs`. */
export function somebody(given: Record<string, string> = {}, parts: Partial<Parts> = {}): Person {
  const home = mkdtempSync(join(tmpdir(), 'berth-home-'));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const env: Record<string, string> = {
    PATH: process.env['PATH']!,
    HOME: home,
    XDG_CACHE_HOME: join(home, '.cache'),
    TZ: 'UTC',
    NODE_COMPILE_CACHE: COMPILE_CACHE,
    ...given,
  };
  const starts = (...words: string[]) => spawn(process.execPath, [MAIN, ...words], { env, cwd: home });
  const typesWith = async (input: string, ...words: string[]): Promise<Outcome> => {
    const child = starts(...words);
    child.stdin.on('error', () => {}).end(input);
    return outcomeOf(child);
  };
  return {
    home,
    env,
    starts,
    typesWith,
    types: (...words) => typesWith('', ...words),
    async runs(...words) {
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

/** What a program that was started ended with. */
export async function outcomeOf(child: ChildProcessWithoutNullStreams): Promise<Outcome> {
  const ended = new Promise<Outcome['code']>((resolve) =>
    child.once('close', (code, signal) => resolve(signal ?? code)),
  );
  const [out, err, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  return { code, out, err };
}

/** Writes files below a folder, and returns the folder. */
export function writeFiles(folder: string, files: Record<string, string | Buffer>): string {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
  return folder;
}
