import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { parseCommandLine } from '@berth/terminal';
import type { Command } from 'commander';
import { createProgram, operate } from '../../src/operator/operate.ts';

export interface Outcome {
  code: number | null;
  out: string;
  err: string;
}

const MAIN = join(import.meta.dirname, '../../dist/operator.cjs');

/** Runs a command line as a separate process, as the operator does. */
export async function spawnBerth(env: Record<string, string>, ...words: string[]): Promise<Outcome> {
  const child = spawn(process.execPath, [MAIN, ...words], {
    env: { PATH: process.env['PATH']!, NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE']!, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const exitCode = new Promise<number | null>((resolve) => child.once('close', resolve));
  const [out, err, code] = await Promise.all([text(child.stdout), text(child.stderr), exitCode]);
  return { code, out, err };
}

/** Runs a command line in this process, which saves half a second. */
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

/** Returns whether a command line is valid, without running its command. */
export async function isValid(line: string): Promise<boolean> {
  let isCommandStarted = false;
  const start = () => {
    isCommandStarted = true;
    throw new Error('the command must not run');
  };
  const program = createProgram({ out() {}, err() {} }, start, start);
  await parseCommandLine(program, wordsOf(line)).catch(() => {});
  return isCommandStarted;
}

/** Returns all commands by name, such as `accounts create`. */
export function readCommands(): Map<string, Command> {
  const open = () => Promise.reject();
  const { commands } = createProgram({ out() {}, err() {} }, open, open);
  const namedCommands = commands.flatMap((group): [string, Command][] =>
    group.commands.length === 0
      ? [[group.name(), group]]
      : group.commands.map((command) => [`${group.name()} ${command.name()}`, command]),
  );
  return new Map(namedCommands.filter(([name]) => name !== 'help'));
}

/** Splits a line into words and removes quotation marks. */
export function wordsOf(line: string): string[] {
  return line.match(/"[^"]*"|'[^']*'|\S+/g)!.map((word) => word.replaceAll(/["']/g, ''));
}
