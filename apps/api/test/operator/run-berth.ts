import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { operate } from '../../src/operator/operate.ts';

/** The outcome of a command line. */
export interface Outcome {
  code: number | null;
  out: string;
  err: string;
}

const MAIN = join(import.meta.dirname, '../../src/operator/main.ts');
const COMPILE_CACHE = join(import.meta.dirname, '../../../../node_modules/.cache/node');

/** Runs a command line as a separate process, as the operator does. */
export async function spawnBerth(env: Record<string, string>, ...words: string[]): Promise<Outcome> {
  const child = spawn(process.execPath, [MAIN, ...words], {
    env: { PATH: process.env['PATH']!, NODE_COMPILE_CACHE: COMPILE_CACHE, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  const [out, err, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  return { code, out, err };
}

/** Runs a command line in this process, which saves half a second of start-up. */
export async function runBerth(env: Record<string, string>, ...words: string[]): Promise<Outcome> {
  let out = '';
  let err = '';
  const code = await operate(words, env, {
    out: (text) => void (out += text),
    err: (text) => void (err += text),
    isInteractive: false,
  });
  return { code, out, err };
}

/** The words of a line, quotes taken off. */
export function wordsOf(line: string): string[] {
  return line.match(/"[^"]*"|'[^']*'|\S+/g)!.map((word) => word.replaceAll(/["']/g, ''));
}
