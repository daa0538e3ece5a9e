import { once } from 'node:events';
import { type ClientHttp2Session, type ClientHttp2Stream, connect, type IncomingHttpHeaders } from 'node:http2';
import type { LookupFunction } from 'node:net';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { text } from 'node:stream/consumers';

interface TlsRequest {
  method?: string;
  headers?: Record<string, string>;
  body?: Readable | Buffer | string;
}

/** A response whose body has not been read. */
export interface TlsResponse {
  status: number;
  headers: IncomingHttpHeaders;
  body: ClientHttp2Stream;
}

/** Sends requests over HTTP/2 and verifies certificates with one authority. Every name resolves to 127.0.0.1. */
export interface TlsClient {
  /** Sends a request on a connection of its own. @throws if the TLS handshake fails. */
  open(url: string, request?: TlsRequest): Promise<TlsResponse>;
  /** Sends a request and reads the whole response as text. */
  fetch(url: string, request?: TlsRequest): Promise<Omit<TlsResponse, 'body'> & { text: string }>;
  close(): void;
}

/** How much a proxy may send before it was read, as in browsers. The default of 64 KiB makes downloads slow. */
const WINDOW_BYTES = 6 * 1024 ** 2;

const resolveToLoopback: LookupFunction = (_name, { all }, done) => {
  if (all) done(null, [{ address: '127.0.0.1', family: 4 }]);
  else done(null, '127.0.0.1', 4);
};

/**
 * Creates a client.
 *
 * @param ca The certificate of the authority, in PEM.
 * @param localAddress The loopback address from which the client connects.
 */
export function createTlsClient(ca: Buffer, localAddress: string): TlsClient {
  // The types of node:http2 lack `localAddress`, which it passes to the socket.
  const options = { ca, lookup: resolveToLoopback, localAddress, settings: { initialWindowSize: WINDOW_BYTES } };
  const sessions = new Set<ClientHttp2Session>();
  const client: TlsClient = {
    async open(url, { method = 'GET', headers = {}, body } = {}) {
      const { origin, pathname, search } = new URL(url);
      const session = connect(origin, options);
      sessions.add(session);
      session.once('close', () => sessions.delete(session));
      await once(session, 'connect');
      session.setLocalWindowSize(WINDOW_BYTES);
      const stream = session.request(
        { ':method': method, ':path': pathname + search, ...headers },
        { endStream: body === undefined },
      );
      stream.once('close', () => session.close());
      // A server may respond before the end of the body, and ignore the rest of it.
      if (body instanceof Readable) pipeline(body, stream).catch(() => {});
      else if (body !== undefined) stream.end(body);
      const [received] = (await once(stream, 'response')) as [IncomingHttpHeaders & { ':status': number }];
      return { status: received[':status'], headers: received, body: stream };
    },
    async fetch(url, request) {
      const { body, ...response } = await client.open(url, request);
      return { ...response, text: await text(body) };
    },
    close() {
      for (const session of sessions) session.destroy();
    },
  };
  return client;
}
