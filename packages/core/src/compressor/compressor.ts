import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import type { CompressedBytes } from './forms.ts';

/** A content to compress: its bytes, and their expected SHA-256 in hex. */
export interface UncompressedContent {
  bytes: Uint8Array;
  sha256: string;
}

/** The result for one content: the forms worth keeping, or `damaged` if the bytes do not match the hash. */
export type CompressorResult = { kind: 'forms'; forms: CompressedBytes } | { kind: 'damaged' };

/** A message from the process: `ready` after its start, then one result for each content. */
export type CompressorMessage = { kind: 'ready' } | CompressorResult;

/** The process exited during a job. `how` is the signal or the exit code. */
interface Crash {
  kind: 'crashed';
  how: string;
}

/** Compresses in a separate process of low priority, which starts on demand and does not keep the server process alive. */
export interface Compressor {
  /** The id of the process; `null` while no process runs. */
  readonly pid: number | null;
  /**
   * Compresses one content. If the process dies, the result is `crashed`, and the next call starts a new process.
   *
   * @param signal Aborts the job and kills the process.
   * @throws if the process cannot be started or another content is being compressed; `AbortError`.
   */
  compress(content: UncompressedContent, signal: AbortSignal): Promise<CompressorResult | Crash>;
  close(): void;
}

/** @param idleMs How long the process may be idle before it is killed, in milliseconds. */
export function createCompressor({ idleMs = 30_000 } = {}): Compressor {
  let child: ChildProcess | null = null;
  let idleTimer: NodeJS.Timeout | undefined;
  let isBusy = false;

  const killProcess = () => {
    clearTimeout(idleTimer);
    child?.kill('SIGKILL');
    child = null;
  };

  async function start(signal: AbortSignal): Promise<ChildProcess> {
    // The environment is empty because the process needs no secrets.
    const startedChild = fork(new URL('./compressor-process.ts', import.meta.url), {
      serialization: 'advanced',
      execArgv: [],
      env: {},
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    child = startedChild;
    startedChild.on('error', () => {}); // Waiting for the next message fails with the same error.
    startedChild.once('exit', () => {
      if (child === startedChild) child = null;
    });
    startedChild.unref();
    startedChild.channel?.unref();
    const message = await nextMessage(startedChild, signal);
    if (message.kind === 'crashed') throw new Error(`The compressor process cannot be started: ${message.how}`);
    return startedChild;
  }

  return {
    get pid() {
      return child?.pid ?? null;
    },
    async compress(content, signal) {
      if (isBusy) throw new Error('The compressor can compress only one content at a time');
      isBusy = true;
      clearTimeout(idleTimer);
      try {
        signal.throwIfAborted();
        const readyChild = child ?? (await start(signal));
        readyChild.send(content, () => {}); // Sending fails only if the process has exited, which is reported below.
        return (await nextMessage(readyChild, signal)) as CompressorResult | Crash;
      } catch (error) {
        killProcess();
        throw error;
      } finally {
        isBusy = false;
        idleTimer = setTimeout(killProcess, idleMs).unref();
      }
    },
    close: killProcess,
  };
}

async function nextMessage(from: ChildProcess, signal: AbortSignal): Promise<CompressorMessage | Crash> {
  const listening = new AbortController();
  const options = { signal: AbortSignal.any([signal, listening.signal]) };
  try {
    return await Promise.race([
      once(from, 'message', options).then(([message]) => message as CompressorMessage),
      once(from, 'exit', options).then(([code, by]): Crash => ({ kind: 'crashed', how: String(by ?? code) })),
    ]);
  } finally {
    listening.abort();
  }
}
