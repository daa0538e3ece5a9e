import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import type { CompressedBytes } from './forms.ts';

/** A content to compress: its bytes, and their expected SHA-256 in hex. */
export interface UncompressedContent {
  bytes: Uint8Array;
  sha256: string;
}

/** The answer of the process: the forms worth keeping, or `damaged` if the bytes do not match the hash. */
export type CompressorResult = { kind: 'forms'; forms: CompressedBytes } | { kind: 'damaged' };

/** The messages of the process: `ready` after the start, then one answer per content. */
export type CompressorMessage = { kind: 'ready' } | CompressorResult;

/** The process ended during a job. `how` is its signal or exit code. */
interface Crash {
  kind: 'crashed';
  how: string;
}

/** Compresses in one separate process of low priority. It starts on demand and does not keep the server process alive. */
export interface Compressor {
  /** The pid of the process; `null` while none runs. */
  readonly pid: number | null;
  /**
   * Compresses one content; only one at a time.
   *
   * If the process dies, the result is `crashed`. The next content gets a new process.
   *
   * @param signal Aborts the job and ends the process.
   * @throws if the process cannot be started; `AbortError`.
   */
  compress(content: UncompressedContent, signal: AbortSignal): Promise<CompressorResult | Crash>;
  /** Ends the process. */
  close(): void;
}

const DEFAULT_IDLE_MS = 30_000;

/** @param idleMs How long the process may be idle before it is ended, in milliseconds. */
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
    // An empty environment: the process needs no secrets.
    const started = fork(new URL('./compressor-process.ts', import.meta.url), {
      serialization: 'advanced',
      execArgv: [],
      env: {},
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    child = started;
    started.on('error', () => {}); // `nextMessage` reports the failure.
    started.once('exit', () => {
      if (child === started) child = null;
    });
    started.unref();
    started.channel?.unref();
    const first = await nextMessage(started, signal);
    if (first.kind === 'crashed') throw new Error(`The compressor process cannot be started: ${first.how}`);
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
        working.send(content, () => {}); // A process that cannot be reached has exited, and `nextMessage` reports it.
        return (await nextMessage(working, signal)) as CompressorResult | Crash;
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
