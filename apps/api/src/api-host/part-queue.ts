import type { Readable } from 'node:stream';
import type { Deploy } from '@berth/core';

interface FilePart {
  stream: Readable;
  name: string;
  /** All bytes of the part are in the stream: the parser has moved on to the next part. */
  isComplete: boolean;
  sink: ReturnType<Deploy['files']['begin']> | null;
}

/** What a {@link PartQueue} calls. */
export interface PartQueueEvents {
  /** A sink is full: stop parsing until `onDrain`. */
  onFull(): void;
  onDrain(): void;
  /** Every part so far was consumed. */
  onEmpty(): void;
  /** A sink threw. Nothing more is passed on. */
  onError(error: unknown): void;
}

/** Passes the files of a multipart body on to their sinks, one file at a time, in the order they were sent. */
export class PartQueue {
  readonly #files: Deploy['files'];
  readonly #events: PartQueueEvents;
  readonly #parts: FilePart[] = [];
  #isScheduled = false;
  /** The sink of the first part is full. */
  #isFull = false;
  #isStopped = false;
  #contentBytes = 0;

  constructor(files: Deploy['files'], events: PartQueueEvents) {
    this.#files = files;
    this.#events = events;
  }

  /** The bytes of content that were passed on. */
  get contentBytes(): number {
    return this.#contentBytes;
  }

  /** Adds a file whose bytes follow in the stream. */
  add(name: string, stream: Readable): void {
    const part: FilePart = { stream, name, isComplete: false, sink: null };
    stream.once('end', () => {
      part.isComplete = true;
      this.#schedule();
    });
    this.#parts.push(part);
  }

  /** Marks the last file as complete: another part, or the end of the body, follows it. */
  completeLast(): void {
    const last = this.#parts.at(-1);
    if (last) last.isComplete = true;
    this.#schedule();
  }

  /** Stops passing parts on. */
  stop(): void {
    this.#isStopped = true;
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    process.nextTick(() => {
      this.#isScheduled = false;
      this.#pass();
    });
  }

  #pass(): void {
    if (this.#isStopped || this.#isFull) return;
    try {
      while (this.#parts.length > 0) if (!this.#passFirst(this.#parts[0]!)) return;
    } catch (error) {
      this.#fail(error);
      return;
    }
    this.#events.onEmpty();
  }

  /** @returns False when more bytes of the part must arrive, or its sink must drain, first. */
  #passFirst(part: FilePart): boolean {
    part.sink ??= this.#files.begin(part.name);
    for (let chunk: Buffer | null; !this.#isFull && (chunk = part.stream.read() as Buffer | null) !== null;) {
      this.#contentBytes += chunk.length;
      const drained = part.sink.write(chunk);
      if (drained) this.#waitFor(drained);
    }
    if (this.#isFull) return false;
    if (!part.isComplete) {
      part.stream.once('readable', () => this.#schedule());
      return false;
    }
    part.sink.end();
    this.#parts.shift();
    return true;
  }

  #waitFor(drained: Promise<void>): void {
    this.#isFull = true;
    this.#events.onFull();
    drained.then(
      () => {
        this.#isFull = false;
        this.#pass();
        this.#events.onDrain();
      },
      (error: unknown) => this.#fail(error),
    );
  }

  #fail(error: unknown): void {
    this.stop();
    this.#events.onError(error);
  }
}
