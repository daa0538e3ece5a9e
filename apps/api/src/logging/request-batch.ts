import type { RequestEntry } from './request-entry.ts';

/**
 * The lines of this many requests are formatted together. Right after a response, the code that formats a line is no longer in the
 * caches of the processor, and takes several times as long.
 */
const BATCH_REQUESTS = 64;

/** A request that has ended. */
export interface EndedRequest {
  entry: RequestEntry;
  /** When it ended, in milliseconds since 1970. */
  endedMs: number;
}

/** Ended requests whose lines are not formatted yet, in order. */
export class RequestBatch {
  #requests: EndedRequest[] = [];

  /** Adds a request that ends now. @returns Whether the batch is full. */
  add(entry: RequestEntry): boolean {
    return this.#requests.push({ entry, endedMs: Date.now() }) >= BATCH_REQUESTS;
  }

  /** Removes all requests. */
  take(): readonly EndedRequest[] {
    if (this.#requests.length === 0) return this.#requests;
    const requests = this.#requests;
    this.#requests = [];
    return requests;
  }
}
