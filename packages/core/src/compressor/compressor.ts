import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import type { Forms } from './forms.ts';

/** A content to compress: its bytes, and the SHA-256 in hex that they should have. */
export interface GivenContent {
  bytes: Uint8Array;
  sha256: string;
}

/** What the process answers: the forms worth keeping, or that the bytes are not those of the hash. */
export type CompressorAnswer = { kind: 'forms'; forms: Forms } | { kind: 'damaged' };

/** What the process says: once that it has started, then an answer to each content. */
export type CompressorMessage = { kind: 'ready' } | CompressorAnswer;

/** The process ended while it was wanted, by a signal or with a code. */
interface Crash {
  kind: 'crashed';
  how: string;
}

/** Compresses in one process of its own, of low priority, that is started when it is needed and keeps nobody alive. */
export interface Compressor {
  /** The process; `null` while there is none. */
  readonly pid: number | null;
  /**
   * Compresses one content. There is one at a time.
   *
   * A process that dies of a content is told as `crashed`; the next content gets another one.
   *
   * @param signal Gives up, and ends the process.
   * @throws when the process cannot be started; `AbortError`.
   */
  compress(content: GivenContent, signal: AbortSignal): Promise<CompressorAnswer | Crash>;
  /** Ends the process. */
  close(): void;
}

const DEFAULT_IDLE_MS = 30_000;

/** @param idleMs How long the process may wait for the next content before it is ended, in milliseconds. */
export function createCompressor({ idleMs = DEFAULT_IDLE_MS } = {}): Compressor {
  let child: ChildProcess | null = null;
  let idle: NodeJS.Timeout | undefined;
  let isBusy = false;

  const end = () => {
    clearTimeout(idle);
    child?.kill('SIGKILL');
    child = null;
  };

  async function start(signal: AbortSignal): Promise<ChildProcess> {
    // It needs no secret that the environment holds.
    const started = fork(new URL('./compressor-process.ts', import.meta.url), {
      serialization: 'advanced',
      execArgv: [],
      env: {},
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    child = started;
    started.on('error', () => {}); // Whoever waits for a message hears of it.
    started.once('exit', () => {
      if (child === started) child = null;
    });
    started.unref();
    started.channel?.unref();
    const first = await nextMessage(started, signal);
    if (first.kind === 'crashed') throw new Error(`The process that compresses does not start: ${first.how}`);
    return started;
  }

  return {
    get pid() {
      return child?.pid ?? null;
    },
    async compress(content, signal) {
      if (isBusy) throw new Error('The compressor works on one content at a time');
      isBusy = true;
      clearTimeout(idle);
      try {
        signal.throwIfAborted();
        const working = child ?? (await start(signal));
        working.send(content, () => {}); // One that cannot be reached has ended.
        return (await nextMessage(working, signal)) as CompressorAnswer | Crash;
      } catch (error) {
        end();
        throw error;
      } finally {
        isBusy = false;
        idle = setTimeout(end, idleMs).unref();
      }
    },
    close: end,
  };
}

async function nextMessage(from: ChildProcess, signal: AbortSignal): Promise<CompressorMessage | Crash> {
  const over = new AbortController();
  signal.addEventListener('abort', () => over.abort(signal.reason), { signal: over.signal });
  try {
    return await Promise.race([
      once(from, 'message', { signal: over.signal }).then(([message]) => message as CompressorMessage),
      once(from, 'exit', { signal: over.signal }).then(([code, by]): Crash => ({
        kind: 'crashed',
        how: String(by ?? code),
      })),
    ]);
  } finally {
    over.abort();
  }
}
