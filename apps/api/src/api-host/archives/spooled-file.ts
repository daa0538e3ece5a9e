import type { FileHandle } from 'node:fs/promises';
import { openUnnamedFile } from '@berth/core';

const WINDOW_BYTES = 64 * 1024;
const WINDOWS = 2;
const CHUNK_BYTES = 256 * 1024;

interface Window {
  start: number;
  bytes: Buffer;
}

/**
 * A temporary file that has no name, so that its bytes are freed when it is closed or the process ends. Its owner must call
 * `close`.
 */
export class SpooledFile {
  readonly #handle: FileHandle;
  /** The parts of the file that were read last, most recent first. Most reads are short and close to an earlier read. */
  #windows: Window[] = [];
  #size = 0;

  /** Creates an empty file in `folder`. */
  static async create(folder: string): Promise<SpooledFile> {
    return new SpooledFile(await openUnnamedFile(folder));
  }

  private constructor(handle: FileHandle) {
    this.#handle = handle;
  }

  /** The number of bytes that were written. */
  get size(): number {
    return this.#size;
  }

  async append(bytes: Buffer): Promise<void> {
    for (let written = 0; written < bytes.length;) {
      const { bytesWritten } = await this.#handle.write(bytes, written, bytes.length - written, this.#size);
      written += bytesWritten;
      this.#size += bytesWritten;
    }
  }

  /** Returns the bytes from `start`; fewer than `length` at the end of the file. They are valid until they are changed. */
  async read(start: number, length: number): Promise<Buffer> {
    const end = Math.min(start + length, this.#size);
    if (end <= start) return Buffer.alloc(0);
    if (length > WINDOW_BYTES) return this.#readFrom(start, end - start);
    const known = this.#windows.find((window) => window.start <= start && end <= window.start + window.bytes.length);
    const window = known ?? { start, bytes: await this.#readFrom(start, Math.min(WINDOW_BYTES, this.#size - start)) };
    if (this.#windows[0] !== window)
      this.#windows = [window, ...this.#windows.filter((other) => other !== window)].slice(0, WINDOWS);
    return window.bytes.subarray(start - window.start, end - window.start);
  }

  /** Yields the bytes from `start` to `end`, in chunks of at most 256 KiB. */
  async *chunks(start: number, end: number): AsyncGenerator<Buffer> {
    for (let at = start; at < end;) {
      const bytes = await this.read(at, Math.min(CHUNK_BYTES, end - at));
      if (bytes.length === 0) return;
      yield bytes;
      at += bytes.length;
    }
  }

  async close(): Promise<void> {
    await this.#handle.close();
  }

  async #readFrom(start: number, length: number): Promise<Buffer> {
    const bytes = Buffer.allocUnsafe(length);
    for (let readLength = 0; readLength < length;) {
      const { bytesRead } = await this.#handle.read(bytes, readLength, length - readLength, start + readLength);
      if (bytesRead === 0) throw new Error('A temporary file is shorter than the bytes that were written to it');
      readLength += bytesRead;
    }
    return bytes;
  }
}
