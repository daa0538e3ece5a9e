const ZERO = 0x30;
const SECOND_MS = 1_000;

/** Writes the begin of the lines of requests, up to the id. It is formatted once a second: within it, three digits change. */
export class LineHead {
  readonly #prefix: string;
  #ms = 0;
  #nextSecondMs = 0;
  #bytes: Buffer;
  /** Where the milliseconds are. */
  readonly #msAt = '{"level":"info","time":"2026-01-01T00:00:00.'.length;

  /** @param prefix Further members for each line, after the time: JSON with a comma at its end, or nothing. */
  constructor(prefix: string) {
    this.#prefix = prefix;
    this.#bytes = this.#of(0);
  }

  /** The length in bytes. */
  get length(): number {
    return this.#bytes.length;
  }

  /** Writes the begin of a line. @param timeMs The time of the line, in milliseconds since 1970. @returns The end. */
  write(timeMs: number, target: Uint8Array, start: number): number {
    if (timeMs !== this.#ms) this.#set(timeMs);
    target.set(this.#bytes, start);
    return start + this.#bytes.length;
  }

  #set(timeMs: number): void {
    const ms = timeMs % SECOND_MS;
    if (timeMs < this.#ms || timeMs >= this.#nextSecondMs) {
      this.#bytes = this.#of(timeMs);
      this.#nextSecondMs = timeMs - ms + SECOND_MS;
    } else {
      this.#bytes[this.#msAt] = ZERO + Math.floor(ms / 100);
      this.#bytes[this.#msAt + 1] = ZERO + (Math.floor(ms / 10) % 10);
      this.#bytes[this.#msAt + 2] = ZERO + (ms % 10);
    }
    this.#ms = timeMs;
  }

  #of(ms: number): Buffer {
    return Buffer.from(`{"level":"info","time":"${new Date(ms).toISOString()}",${this.#prefix}"requestId":"`);
  }
}
