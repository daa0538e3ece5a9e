import type { MessagePort } from 'node:worker_threads';
import { ownBytes, type RemoteRequest, type RequesterMessage, type SenderMessage } from './remote-fetch.ts';

/** Sends the requests that arrive at a port, and returns their responses piece by piece. Never throws. */
export function serveFetch(network: MessagePort, fetch: typeof globalThis.fetch): void {
  network.on('message', (request: RemoteRequest) => void new Sending(request).run(fetch));
}

/** One request and its response, on the side of the thread that sends the request. */
class Sending {
  readonly #request: RemoteRequest;
  readonly #abort = new AbortController();
  #onPiece: ((message: RequesterMessage & { is: 'piece' | 'broken' }) => void) | null = null;
  #onPull: () => void = () => {};

  constructor(request: RemoteRequest) {
    this.#request = request;
    request.port.on('message', (message: RequesterMessage) => {
      if (message.is === 'pull') this.#onPull();
      else if (message.is === 'abort') this.#abort.abort();
      else this.#onPiece?.(message);
    });
    // The other thread may end without another message.
    request.port.once('close', () => this.#abort.abort());
  }

  async run(fetch: typeof globalThis.fetch): Promise<void> {
    const { url, method, headers, redirect, body, port } = this.#request;
    const init = { method, headers, redirect, signal: this.#abort.signal };
    try {
      const response = await fetch(
        url,
        body === 'stream' ? ({ ...init, body: this.#stream(), duplex: 'half' } as RequestInit) : { ...init, body },
      );
      await this.#respond(response);
    } catch (error) {
      if (!this.#abort.signal.aborted) this.#post({ is: 'failed', message: rootMessage(error) });
    }
    port.close();
  }

  /** The body of the request, which the other thread produces. */
  #stream(): ReadableStream<Uint8Array<ArrayBuffer>> {
    return new ReadableStream(
      {
        pull: async (controller) => {
          const { promise, resolve } = Promise.withResolvers<RequesterMessage & { is: 'piece' | 'broken' }>();
          this.#onPiece = resolve;
          this.#post({ is: 'pull' });
          const message = await promise;
          if (message.is === 'broken') controller.error(new Error(message.message));
          else if (message.bytes === null) controller.close();
          else controller.enqueue(message.bytes);
        },
      },
      { highWaterMark: 1 },
    );
  }

  async #respond(response: Response): Promise<void> {
    const { status, statusText, headers, url, redirected, body } = response;
    let pulled = Promise.withResolvers<void>();
    this.#onPull = () => pulled.resolve();
    this.#abort.signal.addEventListener('abort', () => pulled.resolve(), { once: true });
    const head = { status, statusText, headers: [...headers], url, redirected, hasBody: body !== null };
    this.#post({ is: 'head', head });
    if (body === null) return;
    for await (const piece of body) {
      await pulled.promise;
      pulled = Promise.withResolvers();
      if (this.#abort.signal.aborted) return;
      const bytes = ownBytes(piece);
      this.#request.port.postMessage({ is: 'piece', bytes } satisfies SenderMessage, [bytes.buffer]);
    }
    this.#post({ is: 'piece', bytes: null });
  }

  #post(message: SenderMessage): void {
    this.#request.port.postMessage(message, []);
  }
}

/** Returns the message of the root cause. `fetch` wraps the cause, and a host with several addresses has an error for each. */
function rootMessage(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return rootMessage(error.errors[0]);
  if (!(error instanceof Error)) return String(error);
  return error.cause === undefined ? error.message : rootMessage(error.cause);
}
