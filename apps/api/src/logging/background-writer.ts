import { write, writeSync } from 'node:fs';

/** The pause before a write is repeated that found no room, such as in a full pipe. */
const RETRY_MS = 100;
/** How long a process that ends waits for room. */
const END_TIMEOUT_MS = 2_000;
/** How long a process that ends waits for the chunk that the system is writing, so that the rest follows it. */
const END_PAUSE_MS = 50;

/** Bytes to write, and what to call once they are written. */
interface Chunk {
  bytes: Buffer;
  onWritten: (() => void) | undefined;
}

/**
 * Writes chunks to a file descriptor in the background, one after the other. A chunk that cannot be written, such as to a
 * full disk, is kept and repeated with the next chunk.
 */
export class BackgroundWriter {
  readonly #fd: number;
  readonly #chunks: Chunk[] = [];
  /** The bytes of the first chunk that are written. */
  #firstWritten = 0;
  #isWriting = false;
  #retryTimer: NodeJS.Timeout | null = null;
  #waitingBytes = 0;

  /** @param fd An open file descriptor. */
  constructor(fd: number) {
    this.#fd = fd;
  }

  /** The bytes that are not yet written. */
  get waitingBytes(): number {
    return this.#waitingBytes;
  }

  /** Writes a chunk. @param bytes Must not change before `onWritten` is called. */
  write(bytes: Buffer, onWritten?: () => void): void {
    this.#waitingBytes += bytes.length;
    this.#chunks.push({ bytes, onWritten });
    if (!this.#isWriting) this.#writeFirst();
  }

  /** Writes all chunks before the process ends, except one that the system is writing: it finishes that one. */
  writeRestNow(): void {
    const deadline = performance.now() + END_TIMEOUT_MS;
    const isFirstInSystem = this.#isWriting && this.#retryTimer === null;
    if (isFirstInSystem && this.#chunks.length > 1) pause(END_PAUSE_MS);
    for (const [index, { bytes }] of this.#chunks.entries()) {
      if (index === 0 && isFirstInSystem) continue;
      let end = index === 0 ? this.#firstWritten : 0;
      while (end < bytes.length) {
        const written = tryWrite(this.#fd, bytes, end);
        if (written === null || performance.now() > deadline) return;
        end += written;
      }
    }
  }

  #writeFirst(): void {
    this.#isWriting = true;
    this.#retryTimer = null;
    write(this.#fd, this.#chunks[0]!.bytes, this.#firstWritten, this.#onResult);
  }

  readonly #onResult = (error: NodeJS.ErrnoException | null, written: number): void => {
    if (error !== null) {
      if (isBusy(error)) this.#retryTimer = setTimeout(() => this.#writeFirst(), RETRY_MS);
      else this.#isWriting = false;
      return;
    }
    const { bytes, onWritten } = this.#chunks[0]!;
    this.#firstWritten += written;
    this.#waitingBytes -= written;
    if (this.#firstWritten === bytes.length) {
      this.#chunks.shift();
      this.#firstWritten = 0;
      onWritten?.();
    }
    if (this.#chunks.length > 0) this.#writeFirst();
    else this.#isWriting = false;
  };
}

/** @returns The bytes written, after a pause if there is no room; `null` if bytes cannot be written. */
function tryWrite(fd: number, bytes: Buffer, start: number): number | null {
  try {
    return writeSync(fd, bytes, start);
  } catch (error) {
    if (!isBusy(error as NodeJS.ErrnoException)) return null;
    pause(RETRY_MS / 10);
    return 0;
  }
}

function pause(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

function isBusy({ code }: NodeJS.ErrnoException): boolean {
  return code === 'EAGAIN' || code === 'EBUSY';
}
