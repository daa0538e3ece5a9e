import { createInterface } from 'node:readline/promises';
import { type Readable, Writable } from 'node:stream';
import { abortedError } from '@berth/client';
import { escapeControls } from '@berth/terminal';
import picocolors from 'picocolors';
import type { Environment } from './settings.ts';

/** The colour of a part of a line. */
type Colour = 'red' | 'yellow' | 'cyan' | 'dim';

/** A text, or parts of text with colours. It is always printed as one line, because control characters are escaped. */
export type Line = string | readonly (string | { colour: Colour; text: string })[];

/** Where a command prints and asks. All output goes through it, so nothing sent by a server can control the screen. */
export interface Terminal {
  /** Prints lines of the result on standard output. */
  out(lines: readonly Line[]): void;
  /** Prints other lines on standard error. */
  err(lines: readonly Line[]): void;
  /**
   * Shows a status line below the output, in place of the previous one; an empty text removes it. Does nothing without a live
   * screen.
   */
  status(text: string): void;
  /** The columns of the screen for progress; `null` in a script, a pipe or a log. */
  columns(): number | null;
  /** Whether there is a person to ask. */
  isInteractive: boolean;
  /**
   * Asks a question. Does not show what is typed if it is `secret`. Without a person, reads the answer from the next line of
   * the input.
   */
  ask(question: string, options?: { secret?: boolean; signal?: AbortSignal }): Promise<string>;
}

/** The input of a terminal. */
export type Input = Readable & { isTTY?: boolean };

/** The output of a terminal. */
export interface Screen {
  isTTY?: boolean;
  columns?: number;
  write(text: string | Uint8Array): unknown;
}

const CLEAR_LINE = '\r\u001b[2K';

/** Creates the terminal of a process. */
export function terminalOf(
  { stdin, stdout, stderr }: { stdin: Input; stdout: Screen; stderr: Screen },
  env: Environment,
): Terminal {
  const plain = isPlain(env);
  const isLive = stderr.isTTY === true && !plain;
  const text = { out: writerOf(stdout.isTTY === true && !plain), err: writerOf(isLive) };
  let shown = '';
  const change = (lines: string, status: string) => {
    const before = shown === '' ? '' : CLEAR_LINE;
    shown = status;
    if (before + lines + status !== '') stderr.write(before + lines + status);
  };
  return {
    out: (lines) => lines.length > 0 && void stdout.write(text.out(lines)),
    err: (lines) => lines.length > 0 && change(text.err(lines), shown),
    status(text) {
      const status = escapeControls(text);
      if (isLive && status !== shown) change('', status);
    },
    columns: () => (isLive ? stderr.columns || 80 : null),
    isInteractive: stdin.isTTY === true && stderr.isTTY === true,
    ask: (question, options) => ask(stdin, stderr, question, options),
  };
}

/** Returns a function that converts lines to text. */
function writerOf(isColoured: boolean): (lines: readonly Line[]) => string {
  const colours = picocolors.createColors(isColoured);
  const pieceOf = (piece: string | { colour: Colour; text: string }): string =>
    typeof piece === 'string' ? escapeControls(piece) : colours[piece.colour](escapeControls(piece.text));
  const textOf = (line: Line): string => (typeof line === 'string' ? [line] : line).map(pieceOf).join('');
  return (lines) => lines.map((line) => `${textOf(line)}\n`).join('');
}

/** Returns true if the environment asks for plain lines, even on a terminal. */
function isPlain(env: Environment): boolean {
  return Boolean(env['NO_COLOR']) || isOn(env['CI']) || env['TERM'] === 'dumb';
}

function isOn(text: string | undefined): boolean {
  return text !== undefined && !['', '0', 'false'].includes(text);
}

async function ask(
  input: Input,
  screen: Screen,
  question: string,
  { secret = false, signal }: { secret?: boolean; signal?: AbortSignal } = {},
): Promise<string> {
  let muted = false;
  const output = new Writable({
    write(chunk: Buffer, _, done) {
      if (!muted) screen.write(chunk);
      done();
    },
  });
  const isWatched = Boolean(input.isTTY && screen.isTTY);
  const reader = createInterface({ input, output, terminal: isWatched });
  try {
    const answer = new Promise<string>((resolve, reject) => {
      reader.once('close', () => resolve(''));
      reader.once('SIGINT', () => {
        process.kill(process.pid, 'SIGINT');
        reject(abortedError());
      });
      reader.question(isWatched ? question : '', signal ? { signal } : {}).then(resolve, reject);
    });
    muted = secret;
    return (await answer).trim();
  } finally {
    if (muted && isWatched) screen.write('\n');
    reader.close();
  }
}
