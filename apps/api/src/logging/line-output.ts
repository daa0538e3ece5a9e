import { fstatSync } from 'node:fs';
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

/** Writes a value as bytes. */
interface ByteFormat<Value> {
  /** Writes to `target` from `start`. @returns The end. */
  write(value: Value, target: Buffer, start: number): number;
}

/** Opens standard output for {@link LineOutput}. It is written in the background, and completely when the process exits. */
export function openStandardOutput({ isShared }: SharingOptions): BackgroundStream {
  const stream = destination({ dest: 1, sync: false, maxWrite: maxPieceBytes(isShared), contentMode: 'buffer' });
  // A failed write, such as to a full disk, is repeated with the next line. It must not end the process.
  stream.on('error', () => {});
  return stream;
}

/** A file takes pieces of any size in one piece; its writers have the same position, which they inherit. */
function maxPieceBytes(isShared: boolean): number {
  return isShared && !fstatSync(1).isFile() ? ATOMIC_BYTES : CHUNK_BYTES;
}

/**
 * Writes lines in the background, in order and in few large pieces. When the destination is too slow, lines are dropped
 * and counted, so that memory stays bounded and requests never wait for the log.
 */
export class LineOutput {
  readonly #stream: DestinationStream;
  readonly #onDropped: (lines: number) => void;
  readonly #isBackground: boolean;
  /** Gathered lines. As strings, they would survive collections of garbage, each of which copies them. */
  #gathered: Buffer;
  #gatheredBytes = 0;
  #timer: NodeJS.Timeout | null = null;
  /** The bytes that were passed to the stream and are not yet written. */
  #waitingBytes = 0;
  #droppedLines = 0;

  constructor(stream: DestinationStream | BackgroundStream, { isShared, onDropped }: LineOutputOptions) {
    this.#stream = stream;
    this.#gathered = Buffer.allocUnsafeSlow(maxPieceBytes(isShared));
    this.#onDropped = onDropped;
    this.#isBackground = 'flushSync' in stream;
    if (!('flushSync' in stream)) return;
    stream.on('write', (bytes: number) => this.#onWritten(bytes));
    process.on('exit', () => {
      if (this.#gatheredBytes === 0) return;
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
    this.#add(line);
    this.#passOn();
  }

  /** Writes a line within 100 ms, together with other lines. */
  gather(line: string): void {
    if (this.#isFull()) return;
    this.#add(line);
    this.#passOnSoon();
  }

  /** Writes a line within 100 ms, together with other lines. `format` writes it as bytes, `maxBytes` at most. */
  gatherBytes<Entry>(maxBytes: number, entry: Entry, format: ByteFormat<Entry>): void {
    if (this.#isFull()) return;
    this.#makeRoom(maxBytes);
    this.#gatheredBytes = format.write(entry, this.#gathered, this.#gatheredBytes);
    this.#passOnSoon();
  }

  /** Resolves once all lines are written, or after two seconds. */
  async flush(): Promise<void> {
    this.#passOn();
    const deadline = performance.now() + FLUSH_TIMEOUT_MS;
    while (this.#waitingBytes > 0 && performance.now() < deadline) await sleep(1);
  }

  /** Counts a line as dropped, if the destination is too slow for gathered lines. */
  #isFull(): boolean {
    if (this.#waitingBytes <= MAX_GATHERED_BYTES) return false;
    this.#droppedLines += 1;
    return true;
  }

  #add(line: string): void {
    const bytes = Buffer.byteLength(line);
    if (bytes > this.#gathered.length) {
      this.#passOn();
      return this.#send(Buffer.from(line));
    }
    this.#makeRoom(bytes);
    this.#gatheredBytes += this.#gathered.write(line, this.#gatheredBytes);
  }

  #makeRoom(bytes: number): void {
    if (this.#gatheredBytes + bytes > this.#gathered.length) this.#passOn();
  }

  #passOnSoon(): void {
    this.#timer ??= setTimeout(() => this.#passOn(), GATHER_MS).unref();
  }

  #passOn(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    if (this.#gatheredBytes === 0) return;
    const chunk = this.#gathered.subarray(0, this.#gatheredBytes);
    this.#gatheredBytes = 0;
    // The stream keeps the bytes until they are written. A small chunk is copied, so that it does not keep the whole buffer.
    if (chunk.length < this.#gathered.length / 2) return this.#send(Buffer.from(chunk));
    this.#gathered = Buffer.allocUnsafeSlow(this.#gathered.length);
    this.#send(chunk);
  }

  #send(chunk: Buffer): void {
    if (!this.#isBackground) return void this.#stream.write(chunk.toString());
    this.#waitingBytes += chunk.length;
    // In this mode the stream takes bytes, which its types do not know.
    this.#stream.write(chunk as unknown as string);
  }

  #onWritten(bytes: number): void {
    this.#waitingBytes -= bytes;
    if (this.#droppedLines === 0 || this.#waitingBytes > MAX_GATHERED_BYTES / 2) return;
    const lines = this.#droppedLines;
    this.#droppedLines = 0;
    this.#onDropped(lines);
  }
}
