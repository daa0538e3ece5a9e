import { MessageChannel, type MessagePort } from 'node:worker_threads';

/** A request that another thread sends. */
export interface RemoteRequest {
  url: string;
  method: string;
  headers: [name: string, value: string][];
  redirect: RequestRedirect;
  /** The body; `stream` if its pieces are sent one by one, when they are pulled. */
  body: Uint8Array<ArrayBuffer> | 'stream' | null;
  port: MessagePort;
}

/** The head of a response, without its body. */
interface ResponseHead {
  status: number;
  statusText: string;
  headers: [name: string, value: string][];
  url: string;
  redirected: boolean;
  hasBody: boolean;
}

/** The messages of the thread that wants the response. A piece is `null` at the end of the body. */
export type RequesterMessage =
  | { is: 'piece'; bytes: Uint8Array<ArrayBuffer> | null }
  | { is: 'broken'; message: string }
  | { is: 'pull' }
  | { is: 'abort' };

/** The messages of the thread that sends the request. `pull` asks for the next piece of the request's body. */
export type SenderMessage =
  | { is: 'pull' }
  | { is: 'head'; head: ResponseHead }
  | { is: 'piece'; bytes: Uint8Array<ArrayBuffer> | null }
  | { is: 'failed'; message: string };

/** Returns bytes whose buffer contains nothing else, so that it can be moved to another thread. Copies them only if necessary. */
export function ownBytes(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const { buffer, byteLength } = bytes;
  return buffer instanceof ArrayBuffer && buffer.byteLength === byteLength
    ? new Uint8Array(buffer)
    : new Uint8Array(bytes);
}

/** The statuses of responses that cannot have a body. */
const EMPTY_STATUSES: ReadonlySet<number> = new Set([101, 204, 205, 304]);

/**
 * Creates a `fetch` whose requests another thread sends with {@link serveFetch}. Bodies are passed on piece by piece, and only as
 * fast as their reader accepts them.
 *
 * @param network The port to the other thread.
 */
export function createRemoteFetch(network: MessagePort): typeof globalThis.fetch {
  return async (input, init) => {
    init?.signal?.throwIfAborted();
    const { body, ...rest } = init ?? {};
    const isStream = body instanceof ReadableStream;
    const request = new Request(input, isStream ? rest : init);
    const { port1: port, port2 } = new MessageChannel();
    const remote: RemoteRequest = {
      url: request.url,
      method: request.method,
      headers: [...request.headers],
      redirect: request.redirect,
      body: isStream ? 'stream' : request.body && new Uint8Array(await request.arrayBuffer()),
      port: port2,
    };
    return new Exchange(port, isStream ? body.getReader() : null).send(network, remote, init?.signal ?? null);
  };
}

/** One request and its response, on the side of the thread that wants the response. */
class Exchange {
  readonly #port: MessagePort;
  readonly #body: ReadableStreamDefaultReader<Uint8Array> | null;
  readonly #response = Promise.withResolvers<Response>();
  #controller: ReadableStreamDefaultController<Uint8Array> | null = null;
  #onPulled: () => void = () => {};

  constructor(port: MessagePort, body: ReadableStreamDefaultReader<Uint8Array> | null) {
    this.#port = port;
    this.#body = body;
  }

  send(network: MessagePort, request: RemoteRequest, signal: AbortSignal | null): Promise<Response> {
    const onAbort = () => {
      this.#post({ is: 'abort' });
      this.#fail(signal!.reason);
    };
    signal?.addEventListener('abort', onAbort, { once: true });
    this.#port.once('close', () => signal?.removeEventListener('abort', onAbort));
    this.#port.on('message', (message: SenderMessage) => this.#receive(message));
    network.postMessage(request, [request.port]);
    return this.#response.promise;
  }

  #receive(message: SenderMessage): void {
    if (message.is === 'pull') void this.#sendPiece();
    else if (message.is === 'head') this.#begin(message.head);
    else if (message.is === 'failed') this.#fail(new TypeError('fetch failed', { cause: new Error(message.message) }));
    else {
      if (message.bytes === null) {
        this.#controller?.close();
        this.#end();
      } else this.#controller?.enqueue(message.bytes);
      this.#onPulled();
    }
  }

  async #sendPiece(): Promise<void> {
    try {
      const { done, value } = await this.#body!.read();
      const bytes = done ? null : ownBytes(value);
      this.#port.postMessage({ is: 'piece', bytes } satisfies RequesterMessage, bytes ? [bytes.buffer] : []);
    } catch (error) {
      this.#post({ is: 'broken', message: String(error) });
      this.#fail(error);
    }
  }

  #begin({ status, statusText, headers, url, redirected, hasBody }: ResponseHead): void {
    const body = hasBody
      ? new ReadableStream<Uint8Array>(
          {
            start: (controller) => void (this.#controller = controller),
            pull: () => {
              this.#post({ is: 'pull' });
              return new Promise<void>((resolve) => (this.#onPulled = resolve));
            },
            cancel: () => {
              this.#controller = null;
              this.#post({ is: 'abort' });
              this.#end();
            },
          },
          { highWaterMark: 1 },
        )
      : null;
    const response = new Response(EMPTY_STATUSES.has(status) ? null : body, { status, statusText, headers });
    // The constructor cannot set these properties.
    Object.defineProperties(response, { url: { value: url }, redirected: { value: redirected } });
    this.#response.resolve(response);
    if (!hasBody) this.#end();
  }

  #fail(error: unknown): void {
    this.#response.reject(error);
    this.#controller?.error(error);
    this.#controller = null;
    this.#onPulled();
    this.#end();
  }

  #end(): void {
    // The reader is cancelled if the server has answered before the whole body was sent.
    void this.#body?.cancel().catch(() => {});
    this.#port.close();
  }

  #post(message: RequesterMessage): void {
    this.#port.postMessage(message, []);
  }
}
