import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import type { ReadStream, WriteStream } from 'node:tty';
import picocolors from 'picocolors';
import type { Environment } from './settings.ts';

/** Where a command prints, and whom it can ask. */
export interface Terminal {
  /** Takes the answer. */
  out(text: string): void;
  /** Takes everything beside it. */
  err(text: string): void;
  /** The columns of the screen on which a person watches progress; `null` in a script, a pipe or a log. */
  columns(): number | null;
  /** Whether a person can be asked. */
  canAsk: boolean;
  /** Asks, without showing what is typed when it is `secret`. Where nobody can be asked, the next line of the input answers. */
  ask(question: string, options?: { secret?: boolean; signal?: AbortSignal }): Promise<string>;
  /** Colours of the answer, and of what is beside it; they do nothing where they would be noise. */
  paint: { out: Colors; err: Colors };
}

type Colors = ReturnType<typeof picocolors.createColors>;

/** The terminal of a process. */
export function terminalOf(
  { stdin, stdout, stderr }: { stdin: ReadStream; stdout: WriteStream; stderr: WriteStream },
  env: Environment,
): Terminal {
  const plain = isPlain(env);
  return {
    out: (text) => void stdout.write(text),
    err: (text) => void stderr.write(text),
    columns: () => (stderr.isTTY && !plain ? stderr.columns || 80 : null),
    canAsk: Boolean(stdin.isTTY && stderr.isTTY),
    ask: (question, options) => ask(stdin, stderr, question, options),
    paint: {
      out: picocolors.createColors(Boolean(stdout.isTTY) && !plain),
      err: picocolors.createColors(Boolean(stderr.isTTY) && !plain),
    },
  };
}

/** Whether this is a place for plain lines, whatever the streams say. */
function isPlain(env: Environment): boolean {
  return Boolean(env['NO_COLOR']) || isOn(env['CI']) || env['TERM'] === 'dumb';
}

function isOn(text: string | undefined): boolean {
  return text !== undefined && !['', '0', 'false'].includes(text);
}

async function ask(
  input: ReadStream,
  screen: WriteStream,
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
      reader.once('SIGINT', () => process.kill(process.pid, 'SIGINT'));
      reader.question(isWatched ? question : '', signal ? { signal } : {}).then(resolve, reject);
    });
    muted = secret;
    return (await answer).trim();
  } finally {
    if (muted && isWatched) screen.write('\n');
    reader.close();
  }
}
