import { type EventEmitter, once } from 'node:events';
import { createInterface } from 'node:readline/promises';
import { type Readable, Writable } from 'node:stream';
import { abortedError } from '@berth/client';
import { escapeControls, wrap } from '@berth/terminal';
import picocolors from 'picocolors';
import type { Environment } from './settings.ts';

/** `paper` is white on black, whatever the colours of the terminal. */
type Colour = 'red' | 'yellow' | 'green' | 'cyan' | 'dim' | 'paper';

type Piece = string | { colour: Colour; text: string };

/** A line of output: a text, or parts of text with colours. A line break in the text is escaped. */
export type Line = string | readonly Piece[];

/** Prints the output of a command and asks questions. It escapes control characters, so no server can control the screen. */
export type Terminal = ReturnType<typeof terminalOf>;

type Input = Readable & { isTTY?: boolean };

interface Screen {
  isTTY?: boolean;
  columns?: number;
  write(text: string | Uint8Array): unknown;
}

const CLEAR_LINE = '\r\u001b[2K';

/** Creates the terminal of a process. */
export function terminalOf(
  { stdin, stdout, stderr }: { stdin: Input; stdout: Screen; stderr: Screen },
  env: Environment,
) {
  const isPlainTerminal = isPlain(env);
  const isLive = stderr.isTTY === true && !isPlainTerminal;
  const text = { out: writerOf(stdout.isTTY === true && !isPlainTerminal), err: writerOf(isLive) };
  let shown = '';
  const changeScreen = (lines: string, status: string) => {
    const clearLine = shown === '' ? '' : CLEAR_LINE;
    shown = status;
    if (clearLine + lines + status !== '') stderr.write(clearLine + lines + status);
  };
  return {
    /** Prints lines of the result on standard output. */
    out(lines: readonly Line[]): void {
      if (lines.length > 0) stdout.write(text.out(lines));
    },
    /** Writes bytes to standard output. Resolves when it can take more. */
    async outBytes(bytes: Uint8Array): Promise<void> {
      if (stdout.write(bytes) === false) await once(stdout as Screen & EventEmitter, 'drain');
    },
    /** Prints other lines on standard error. On a live screen, breaks long lines between words. */
    err(lines: readonly Line[]): void {
      const fitted = isLive ? lines.flatMap((line) => fitLine(line, stderr.columns || 80)) : lines;
      if (lines.length > 0) changeScreen(text.err(fitted), shown);
    },
    /** Replaces the status line below the output; an empty text removes it. Does nothing without a live screen. */
    status(text: string): void {
      const status = escapeControls(text);
      if (isLive && status !== shown) changeScreen('', status);
    },
    /** Returns the width of the terminal that shows progress, in columns; `null` if stderr is not a terminal. */
    columns: (): number | null => (isLive ? stderr.columns || 80 : null),
    /** Returns the width of the terminal that shows the result, in columns; `null` if stdout is not a terminal. */
    resultColumns: (): number | null => (stdout.isTTY === true ? stdout.columns || 80 : null),
    /** The bytes of standard input; `null` if a person types there. */
    input: stdin.isTTY === true ? null : stdin,
    /** Reads the next line of the input, without a question; `null` at the end of the input. */
    readLine: (signal: AbortSignal): Promise<string | null> => readLine(stdin, signal),
    /** Whether there is a person to ask. */
    isInteractive: stdin.isTTY === true && stderr.isTTY === true,
    /** Asks a question. Hides what is typed if it is `secret`. Without a person, reads the answer from the next input line. */
    ask: (question: string, options?: AskOptions): Promise<string> => askQuestion(stdin, stderr, question, options),
  };
}

/** Breaks a line between words, so that each part fits on a screen. */
function fitLine(line: Line, columns: number): Line[] {
  const pieces = typeof line === 'string' ? [line] : line;
  let start = 0;
  return wrap(pieces.map(textOfPiece).join(''), columns).map((row) => {
    const part = slicePieces(pieces, start, start + row.length);
    start += row.length + 1;
    return part;
  });
}

function textOfPiece(piece: Piece): string {
  return typeof piece === 'string' ? piece : piece.text;
}

/** Returns the characters of a line from `start` to `end`, with their colours. */
function slicePieces(pieces: readonly Piece[], start: number, end: number): Piece[] {
  let from = 0;
  return pieces.flatMap((piece) => {
    const text = textOfPiece(piece).slice(Math.max(start - from, 0), Math.max(end - from, 0));
    from += textOfPiece(piece).length;
    if (text === '') return [];
    return [typeof piece === 'string' ? text : { ...piece, text }];
  });
}

function writerOf(isColoured: boolean): (lines: readonly Line[]) => string {
  const colours = picocolors.createColors(isColoured);
  const formats = { ...colours, paper: (text: string) => colours.bgBlack(colours.whiteBright(text)) };
  const pieceOf = (piece: Piece): string =>
    typeof piece === 'string' ? escapeControls(piece) : formats[piece.colour](escapeControls(piece.text));
  const textOf = (line: Line): string => (typeof line === 'string' ? [line] : line).map(pieceOf).join('');
  return (lines) => lines.map((line) => `${textOf(line)}\n`).join('');
}

function isPlain(env: Environment): boolean {
  const isCi = !['', '0', 'false'].includes(env['CI'] ?? '');
  return Boolean(env['NO_COLOR']) || isCi || env['TERM'] === 'dumb';
}

async function readLine(input: Input, signal: AbortSignal): Promise<string | null> {
  const reader = createInterface({ input });
  try {
    return await new Promise<string | null>((resolve, reject) => {
      reader.once('line', (line) => resolve(line.trim()));
      reader.once('close', () => resolve(null));
      signal.addEventListener('abort', () => reject(abortedError(signal.reason)), { once: true });
    });
  } finally {
    reader.close();
  }
}

interface AskOptions {
  secret?: boolean;
  signal?: AbortSignal;
}

async function askQuestion(
  input: Input,
  screen: Screen,
  question: string,
  { secret = false, signal }: AskOptions = {},
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
