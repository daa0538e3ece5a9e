import { setTimeout as sleep } from 'node:timers/promises';
import { type DestinationStream, destination } from 'pino';

/** Lines are gathered for at most this time. */
const GATHER_MS = 100;
/** Gathered lines are written when they have this many bytes. */
const CHUNK_BYTES = 64 * 1024;
/** A pipe takes this many bytes in one piece, also while other processes write to it. */
const ATOMIC_BYTES = 4096;
/** While this many bytes wait to be written, gathered lines are dropped. */
const MAX_GATHERED_BYTES = 4 * 1024 * 1024;
/** While this many bytes wait to be written, all lines are dropped. */
const MAX_WAITING_BYTES = 8 * 1024 * 1024;
const FLUSH_TIMEOUT_MS = 2_000;

/** A destination that writes in the background, as {@link openStandardOutput} returns it. */
type BackgroundStream = ReturnType<typeof destination>;

interface SharingOptions {
  /** Whether other processes write to the same destination. Lines are then written in pieces that are never torn. */
  isShared: boolean;
}

interface LineOutputOptions extends SharingOptions {
  /** Called when the destination receives again after lines were dropped. @param lines The number of dropped lines. */
  onDropped(lines: number): void;
}

/** Opens standard output for {@link LineOutput}. It is written in the background, and completely when the process exits. */
export function openStandardOutput({ isShared }: SharingOptions): BackgroundStream {
  const stream = destination({ dest: 1, sync: false, maxWrite: isShared ? ATOMIC_BYTES : CHUNK_BYTES });
  // A failed write, such as to a full disk, is repeated with the next line. It must not end the process.
  stream.on('error', () => {});
  return stream;
}

/**
 * Writes lines in the background, in order and in few large pieces. When the destination is too slow, lines are dropped
 * and counted, so that memory stays bounded and requests never wait for the log.
 */
export class LineOutput {
  readonly #stream: DestinationStream;
  readonly #maxChunkBytes: number;
  readonly #onDropped: (lines: number) => void;
  readonly #isBackground: boolean;
  #gathered = '';
  #gatheredBytes = 0;
  #timer: NodeJS.Timeout | null = null;
  /** The bytes that were passed to the stream and are not yet written. */
  #waitingBytes = 0;
  #droppedLines = 0;

  constructor(stream: DestinationStream | BackgroundStream, { isShared, onDropped }: LineOutputOptions) {
    this.#stream = stream;
    this.#maxChunkBytes = isShared ? ATOMIC_BYTES : CHUNK_BYTES;
    this.#onDropped = onDropped;
    this.#isBackground = 'flushSync' in stream;
    if (!('flushSync' in stream)) return;
    stream.on('write', (bytes: number) => this.#onWritten(bytes));
    process.on('exit', () => {
      if (this.#gathered === '') return;
      this.#passOn();
      stream.flushSync();
    });
  }

  /** Writes a line, which ends in a line feed, after all earlier lines. */
  write(line: string): void {
    if (this.#waitingBytes > MAX_WAITING_BYTES) {
      this.#droppedLines += 1;
      return;
    }
    this.#add(line, Buffer.byteLength(line));
    this.#passOn();
  }

  /** Writes a line within 100 ms, together with other lines. @param bytes The length of the line, which ASCII makes cheap. */
  gather(line: string, bytes = Buffer.byteLength(line)): void {
    if (this.#waitingBytes > MAX_GATHERED_BYTES) {
      this.#droppedLines += 1;
      return;
    }
    this.#add(line, bytes);
    this.#timer ??= setTimeout(() => this.#passOn(), GATHER_MS).unref();
  }

  /** Resolves once all lines are written, or after two seconds. */
  async flush(): Promise<void> {
    this.#passOn();
    const deadline = performance.now() + FLUSH_TIMEOUT_MS;
    while (this.#waitingBytes > 0 && performance.now() < deadline) await sleep(1);
  }

  #add(line: string, bytes: number): void {
    if (this.#gatheredBytes + bytes > this.#maxChunkBytes) this.#passOn();
    this.#gathered += line;
    this.#gatheredBytes += bytes;
  }

  #passOn(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    if (this.#gathered === '') return;
    const chunk = this.#gathered;
    if (this.#isBackground) this.#waitingBytes += this.#gatheredBytes;
    this.#gathered = '';
    this.#gatheredBytes = 0;
    this.#stream.write(chunk);
  }

  #onWritten(bytes: number): void {
    this.#waitingBytes -= bytes;
    if (this.#droppedLines === 0 || this.#waitingBytes > MAX_GATHERED_BYTES / 2) return;
    const lines = this.#droppedLines;
    this.#droppedLines = 0;
    this.#onDropped(lines);
  }
}
