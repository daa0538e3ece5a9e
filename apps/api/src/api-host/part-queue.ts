import type { Readable } from 'node:stream';
import type { Deploy } from '@berth/core';

interface FilePart {
  stream: Readable;
  name: string;
  /** Whether the stream contains all bytes of the part. */
  isComplete: boolean;
  sink: ReturnType<Deploy['files']['begin']> | null;
}

export interface PartQueueEvents {
  /** Called when a sink is full. The parser must then pause until `onDrain`. */
  onFull(): void;
  onDrain(): void;
  /** Called when every part so far was consumed. */
  onEmpty(): void;
  /** Called when a sink throws. The queue then stops. */
  onError(error: unknown): void;
}

/** Passes the files of a multipart body on to their sinks, one file at a time, in the order in which they were sent. */
export class PartQueue {
  readonly #files: Deploy['files'];
  readonly #events: PartQueueEvents;
  readonly #parts: FilePart[] = [];
  #isScheduled = false;
  #isFull = false;
  #isStopped = false;
  #contentBytes = 0;

  constructor(files: Deploy['files'], events: PartQueueEvents) {
    this.#files = files;
    this.#events = events;
  }

  /** The number of file bytes that were passed on. */
  get contentBytes(): number {
    return this.#contentBytes;
  }

  /** Adds a file. The stream gets its bytes later. */
  add(name: string, stream: Readable): void {
    const part: FilePart = { stream, name, isComplete: false, sink: null };
    stream.once('end', () => {
      part.isComplete = true;
      this.#schedule();
    });
    this.#parts.push(part);
  }

  /** Marks the last file as complete. Call it when another part or the end of the body follows. */
  completeLast(): void {
    const lastPart = this.#parts.at(-1);
    if (lastPart) lastPart.isComplete = true;
    this.#schedule();
  }

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

  /** Passes on received bytes of a part until its sink is full. @returns Whether the whole part was passed on. */
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
