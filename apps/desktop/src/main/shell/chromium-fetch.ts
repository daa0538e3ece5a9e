import { Readable, type Writable } from 'node:stream';
import type { ClientRequest, IncomingMessage, Net, Session } from 'electron';

/** The headers that Chromium sets itself. It refuses requests that contain them. */
const OWN_HEADERS: ReadonlySet<string> = new Set(['content-length', 'host', 'connection', 'transfer-encoding']);

/** The statuses of responses that cannot have a body. */
const EMPTY_STATUSES: ReadonlySet<number> = new Set([204, 205, 304]);

/** The names of Chromium's errors that users can do something about, and what they mean. */
const MEANINGS: readonly (readonly [pattern: RegExp, meaning: string])[] = [
  [
    /ERR_CERT_AUTHORITY_INVALID/,
    'this computer does not trust its certificate. Install the certificate of its authority',
  ],
  [/ERR_CERT_DATE_INVALID/, 'its certificate has expired or is not valid yet. Check the clock of this computer'],
  [/ERR_CERT_COMMON_NAME_INVALID/, 'its certificate is for another host'],
  [/ERR_CERT_|ERR_SSL_/, 'a secure connection is not possible'],
  [/ERR_NAME_NOT_RESOLVED/, 'there is no such host'],
  [/ERR_CONNECTION_REFUSED/, 'it refuses connections'],
  [/ERR_(?:PROXY|TUNNEL)_/, 'the proxy of this computer cannot be used'],
  [/ERR_INTERNET_DISCONNECTED/, 'this computer is offline'],
  [/ERR_(?:CONNECTION_)?TIMED_OUT/, 'it does not answer'],
  [/ERR_(?:CONNECTION_RESET|CONNECTION_CLOSED|EMPTY_RESPONSE|NETWORK_CHANGED)/, 'the connection broke off'],
];

/**
 * Creates a `fetch` that uses the network stack of Chromium, with the proxies and the certificates of the system. Unlike Electron's
 * own `net.fetch`, it sends bodies without keeping them in memory, and returns redirects that it must not follow.
 *
 * @param session Keeps no cookies and no cache, and is not the session of the window.
 * @returns Follows `redirect`, `signal`, `method`, `headers` and `body`. Ignores all other options. Takes over the memory of the
 *   pieces of a stream: a piece that fills its buffer is detached once it is sent.
 * Source: https://www.electronjs.org/docs/latest/api/client-request.
 */
export function createChromiumFetch(net: Pick<Net, 'request'>, session: Session): typeof globalThis.fetch {
  return async (input, init) => {
    const isStream = init?.body instanceof ReadableStream;
    const { url, method, headers, redirect, signal, body } = new Request(
      input,
      isStream ? { ...init, body: null } : init,
    );
    signal.throwIfAborted();
    const request = net.request({ url, method, session, redirect: 'manual', cache: 'no-store' });
    for (const [name, value] of headers) if (!OWN_HEADERS.has(name)) request.setHeader(name, value);
    return new Exchange(request, url, redirect, signal).run(isStream ? (init.body as typeof body) : body, isStream);
  };
}

/** One request and its response. */
class Exchange {
  readonly #request: ClientRequest;
  readonly #url: string;
  readonly #redirect: RequestRedirect;
  readonly #signal: AbortSignal;
  readonly #response = Promise.withResolvers<Response>();
  #message: Readable | null = null;

  constructor(request: ClientRequest, url: string, redirect: RequestRedirect, signal: AbortSignal) {
    this.#request = request;
    this.#url = url;
    this.#redirect = redirect;
    this.#signal = signal;
  }

  /** @param isStream True if the body is sent in chunks. Any other body is small. */
  run(body: ReadableStream<Uint8Array> | null, isStream: boolean): Promise<Response> {
    const request = this.#request;
    let finalUrl = this.#url;
    request.on('redirect', (status, _method, target) => {
      finalUrl = target;
      if (this.#redirect === 'follow') return request.followRedirect();
      this.#response.resolve(new Response(null, { status, headers: { location: target } }));
      request.abort();
    });
    request.on('response', (message) => this.#response.resolve(this.#read(message, finalUrl)));
    request.on('error', (error) => this.#fail(new TypeError('fetch failed', { cause: meaningOf(error) })));
    this.#signal.addEventListener('abort', this.#onAbort, { once: true });
    if (isStream) request.chunkedEncoding = true;
    if (body === null) request.end();
    else void this.#send(body, isStream);
    return this.#response.promise;
  }

  async #send(body: ReadableStream<Uint8Array>, isStream: boolean): Promise<void> {
    try {
      for await (const piece of body) {
        await this.#write(piece);
        // The garbage collector frees the memory of pieces only after tens of megabytes.
        if (isStream && piece.byteLength === piece.buffer.byteLength) (piece.buffer as ArrayBuffer).transfer(0);
      }
      this.#request.end();
    } catch (error) {
      this.#fail(error);
    }
  }

  /** Resolves when Chromium has accepted a piece. */
  #write(piece: Uint8Array): Promise<void> {
    return new Promise((resolve, reject) => {
      const request = this.#request as unknown as Writable;
      request.once('close', resolve);
      request.write(piece, (error) => {
        request.off('close', resolve);
        if (error) reject(error);
        else resolve();
      });
    });
  }

  readonly #onAbort = (): void => this.#fail(this.#signal.reason);

  readonly #fail = (error: unknown): void => {
    this.#signal.removeEventListener('abort', this.#onAbort);
    this.#response.reject(error);
    this.#message?.destroy(error instanceof Error ? error : new Error(String(error)));
    this.#request.abort();
  };

  #read(incoming: IncomingMessage, url: string): Response {
    // Electron's types hide that the message is a stream of Node.
    const message = incoming as unknown as Readable;
    this.#message = message;
    const headers = new Headers();
    for (const [name, value] of Object.entries(incoming.headers))
      for (const each of [value].flat()) if (each !== undefined) headers.append(name, each);
    const { statusCode: status, statusMessage: statusText } = incoming;
    message.once('close', () => {
      this.#signal.removeEventListener('abort', this.#onAbort);
      // Electron would receive the rest of a response that no reader wants.
      this.#request.abort();
    });
    const body = EMPTY_STATUSES.has(status) ? null : (Readable.toWeb(message) as ReadableStream<Uint8Array>);
    if (body === null) message.resume();
    const response = new Response(body, { status, statusText, headers });
    // The constructor cannot set these properties.
    Object.defineProperties(response, { url: { value: url }, redirected: { value: url !== this.#url } });
    return response;
  }
}

/** Says what an error of Chromium means for the user. */
function meaningOf(error: Error): Error {
  const [, meaning] = MEANINGS.find(([pattern]) => pattern.test(error.message)) ?? [];
  return meaning === undefined ? error : new Error(`${meaning} (${error.message})`, { cause: undefined });
}
