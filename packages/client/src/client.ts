import type { AppRouter } from '@berth/core';
import {
  createTRPCClientProxy,
  httpLink,
  type TRPCClient,
  type TRPCRequestOptions,
  TRPCUntypedClient,
} from '@trpc/client';
import { ClientError } from './errors.ts';
import {
  limitResponse,
  MAX_RESPONSE_BYTES,
  parseJson,
  refuseRedirect,
  responseError,
  toClientError,
} from './responses.ts';

const EVENT_STREAM = 'text/event-stream';

/** The server, and the credential to use. */
export interface ClientOptions {
  /** The address of the API host, such as `https://berth.example`. */
  server: string;
  /** An API key or a deploy token; `null` to send none. Default: `null`. */
  key?: string | null | undefined;
  /**
   * The id of the account that the key belongs to, if known. Data remembered about a publish with one key of the account then
   * applies to all its keys. Default: `null`.
   */
  account?: string | null | undefined;
  /** Sends requests. Default: the global `fetch`. */
  fetch?: typeof globalThis.fetch | undefined;
}

/** A server and the credential for it. */
export interface BerthClient {
  /** Ends with a slash. */
  readonly server: URL;
  readonly key: string | null;
  /** The id of the account that the key belongs to; `null` if unknown. It is never sent to the server. */
  readonly account: string | null;
  /** The queries and mutations of the server, typed by its router. Every failure is a {@link ClientError}. */
  readonly api: TRPCClient<AppRouter>;
  /**
   * Sends a request with the same credential. Rejects redirects.
   *
   * @param path Relative to the server, without a leading slash.
   * @returns The response if it is 2xx. Reading more than 16 MiB of it fails, unless the request accepts `text/event-stream`.
   * @throws ClientError for any other response, and if there was none.
   */
  request(path: string, init?: RequestInit): Promise<Response>;
}

/**
 * Creates a client. Sends nothing before the first call.
 *
 * @throws ClientError of the kind `refused` if the address is invalid.
 */
export function createClient({
  server,
  key = null,
  account = null,
  fetch = globalThis.fetch,
}: ClientOptions): BerthClient {
  const base = parseServerAddress(server);
  const send = async (url: URL, init: RequestInit = {}): Promise<Response> => {
    const headers = new Headers(init.headers);
    if (key !== null) headers.set('Authorization', `Bearer ${key}`);
    const response = await fetch(url, { ...init, headers, redirect: 'manual' });
    refuseRedirect(response, base, url);
    if (!response.ok) throw await responseError(response, base);
    // A stream is endless, so its reader limits the size of each event instead.
    if (headers.get('accept') === EVENT_STREAM) return response;
    return limitResponse(response, base, MAX_RESPONSE_BYTES);
  };
  const link = httpLink({
    url: new URL('trpc', base),
    fetch: (input, init) => send(new URL(String(input)), init as RequestInit),
    headers: ({ op }) => (op.context['headers'] ?? {}) as Record<string, string>,
  });
  return {
    server: base,
    key,
    account,
    api: createTRPCClientProxy(new ErrorConvertingClient(base, { links: [link] })),
    request: (path, init) =>
      send(new URL(path, base), init).catch((thrown: unknown) => {
        throw toClientError(thrown, base, init?.signal);
      }),
  };
}

/** Reads and checks the body of a response. @throws ClientError if it breaks off or has an unexpected shape. */
export async function readResponse<T>(
  { server }: BerthClient,
  response: Response,
  schema: { safeParse(value: unknown): { success: true; data: T } | { success: false; error: unknown } },
): Promise<T> {
  const text = await response.text().catch((thrown: unknown) => {
    throw toClientError(thrown, server);
  });
  const read = schema.safeParse(parseJson(text));
  if (read.success) return read.data;
  throw new ClientError('server', `${server.host} answered with status ${response.status} and an invalid body.`, {
    status: response.status,
    cause: read.error,
  });
}

/** An untyped tRPC client that converts every failure to a ClientError. */
class ErrorConvertingClient extends TRPCUntypedClient<AppRouter> {
  readonly #server: URL;

  constructor(server: URL, options: ConstructorParameters<typeof TRPCUntypedClient<AppRouter>>[0]) {
    super(options);
    this.#server = server;
  }

  override query(path: string, input?: unknown, options?: TRPCRequestOptions): Promise<unknown> {
    return this.#convertErrors(super.query(path, input, options), options?.signal);
  }

  override mutation(path: string, input?: unknown, options?: TRPCRequestOptions): Promise<unknown> {
    return this.#convertErrors(super.mutation(path, input, options), options?.signal);
  }

  #convertErrors(answer: Promise<unknown>, signal?: AbortSignal): Promise<unknown> {
    return answer.catch((thrown: unknown) => {
      throw toClientError(thrown, this.#server, signal);
    });
  }
}

function parseServerAddress(server: string): URL {
  const url = URL.parse(server);
  if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:'))
    throw new ClientError(
      'refused',
      `"${server}" is not a server address. It must start with http:// or https://, such as https://berth.example.`,
    );
  if (!url.pathname.endsWith('/')) url.pathname += '/';
  url.search = '';
  url.hash = '';
  return url;
}

/**
 * Reads an address that a server gave, before it is opened in a browser.
 *
 * @returns The parsed address; `null` unless it is an `http:` or `https:` address without a user name or password.
 */
export function parseWebAddress(text: string): URL | null {
  const url = URL.parse(text);
  const isWeb = url?.protocol === 'http:' || url?.protocol === 'https:';
  return isWeb && url.username === '' && url.password === '' && url.hostname !== '' ? url : null;
}
