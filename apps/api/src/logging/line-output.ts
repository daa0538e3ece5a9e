import { fstatSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { BackgroundWriter } from './background-writer.ts';

/** Lines are gathered for at most this time. */
const GATHER_MS = 100;
/** Lines are written to a file when they have this many bytes. Each write wakes another thread, which takes time from requests. */
const FILE_BYTES = 256 * 1024;
/** Lines are written to a pipe when they have this many bytes, which an empty pipe takes. */
const PIPE_BYTES = 64 * 1024;
/** A pipe takes this many bytes in one piece, also while other processes write to it. */
const ATOMIC_BYTES = 4096;
/** While this many bytes wait to be written, gathered lines are dropped. */
const MAX_GATHERED_BYTES = 4 * 1024 * 1024;
/** While this many bytes wait to be written, all lines are dropped. */
const MAX_WAITING_BYTES = 8 * 1024 * 1024;
const FLUSH_TIMEOUT_MS = 2_000;

/** Where lines go: standard output, or a receiver of texts. */
export type LineDestination = 'stdout' | { write(text: string): void };

interface LineOutputOptions {
  /** Whether other processes write to the same destination. Lines are then written in pieces that are never torn. */
  isShared: boolean;
  /** Called when the destination receives again after lines were dropped. @param lines The number of dropped lines. */
  onDropped(lines: number): void;
  /** Called before gathered lines are written. Gathers the lines that are not formatted yet. Default: there are none. */
  gatherRest?(): void;
}

/** Writes a value as bytes. */
interface ByteFormat<Value> {
  /** Returns how many bytes a value needs at most. */
  maxBytes(value: Value): number;
  /** Writes to `target` from `start`. @returns The end; -1 if the format cannot write this value. */
  write(value: Value, target: Buffer, start: number): number;
}

/** A file takes pieces of any size in one piece; its writers have the same position, which they inherit. */
function maxPieceBytes(isShared: boolean): number {
  if (fstatSync(1).isFile()) return FILE_BYTES;
  return isShared ? ATOMIC_BYTES : PIPE_BYTES;
}

/**
 * Writes lines in the background, in order and in few large pieces. When the destination is too slow, lines are dropped
 * and counted, so that memory stays bounded and requests never wait for the log.
 */
export class LineOutput {
  /** Writes to standard output; `null` if a receiver of texts gets the lines. */
  readonly #writer: BackgroundWriter | null;
  readonly #receiver: Exclude<LineDestination, 'stdout'> | null;
  readonly #onDropped: (lines: number) => void;
  readonly #gatherRest: () => void;
  /** Gathered lines. As strings, they would survive collections of garbage, each of which copies them. */
  #gathered: Buffer;
  #gatheredBytes = 0;
  /** A buffer to gather lines in while the other one is written. New buffers would cause collections of garbage. */
  #spare: Buffer | null = null;
  #timer: NodeJS.Timeout | null = null;
  #droppedLines = 0;

  constructor(destination: LineDestination, { isShared, onDropped, gatherRest = () => {} }: LineOutputOptions) {
    this.#gathered = Buffer.allocUnsafeSlow(maxPieceBytes(isShared));
    this.#onDropped = onDropped;
    this.#gatherRest = gatherRest;
    this.#writer = destination === 'stdout' ? new BackgroundWriter(process.stdout.fd) : null;
    this.#receiver = destination === 'stdout' ? null : destination;
    if (this.#writer === null) return;
    process.on('exit', () => {
      this.#passAllOn();
      this.#writer!.writeRestNow();
    });
  }

  get #waitingBytes(): number {
    return this.#writer?.waitingBytes ?? 0;
  }

  /** Writes a line, which ends in a line feed, after all earlier lines. */
  write(line: string): void {
    this.#gatherRest();
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
    this.writeSoon();
  }

  /** Writes a line within 100 ms, together with other lines, as bytes. @returns False if the format cannot write this line. */
  gatherBytes<Entry>(entry: Entry, format: ByteFormat<Entry>): boolean {
    const maxBytes = format.maxBytes(entry);
    if (maxBytes > this.#gathered.length) return false;
    if (this.#isFull()) return true;
    this.#makeRoom(maxBytes);
    const end = format.write(entry, this.#gathered, this.#gatheredBytes);
    if (end < 0) return false;
    this.#gatheredBytes = end;
    this.writeSoon();
    return true;
  }

  /** Writes all gathered lines within 100 ms, also those that are not formatted yet. */
  writeSoon(): void {
    this.#timer ??= setTimeout(() => this.#passAllOn(), GATHER_MS).unref();
  }

  /** Resolves once all lines are written, or after two seconds. */
  async flush(): Promise<void> {
    this.#passAllOn();
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

  #passAllOn(): void {
    this.#gatherRest();
    this.#passOn();
  }

  #passOn(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    if (this.#gatheredBytes === 0) return;
    const buffer = this.#gathered;
    const chunk = buffer.subarray(0, this.#gatheredBytes);
    this.#gatheredBytes = 0;
    // A small chunk is copied, so that a slow destination does not keep a whole buffer for it.
    if (chunk.length < buffer.length / 2) return this.#send(Buffer.from(chunk));
    this.#gathered = this.#spare ?? Buffer.allocUnsafeSlow(buffer.length);
    this.#spare = null;
    this.#send(chunk, buffer);
  }

  /** @param buffer Gathers lines again once the chunk is written. Default: none. */
  #send(chunk: Buffer, buffer: Buffer | null = null): void {
    if (this.#writer === null) return this.#receiver!.write(chunk.toString());
    this.#writer.write(chunk, () => {
      this.#spare ??= buffer;
      this.#reportDropped();
    });
  }

  #reportDropped(): void {
    if (this.#droppedLines === 0 || this.#waitingBytes > MAX_GATHERED_BYTES / 2) return;
    const lines = this.#droppedLines;
    this.#droppedLines = 0;
    this.#onDropped(lines);
  }
}
