import type { ApiRouter } from '@berth/contract';
import { createTRPCClientProxy, httpLink, type TRPCClient, TRPCUntypedClient } from '@trpc/client';
import { ClientError } from './errors.ts';
import {
  limitResponse,
  MAX_RESPONSE_BYTES,
  parseJson,
  refuseRedirect,
  responseError,
  toClientError,
} from './responses.ts';

/** The types of responses that have no maximum size. */
const STREAMED_TYPES: ReadonlySet<string | null> = new Set([
  'text/event-stream',
  'application/x-tar',
  'application/zip',
]);

/** The options of {@link createClient}. */
export interface ClientOptions {
  /** The address of the API host, such as `https://berth.example`. */
  server: string;
  /** An API key or a deploy token; `null` to send none. Default: `null`. */
  key?: string | null | undefined;
  /**
   * The id of the account that the key belongs to, if known. The cache of the last deployments is then shared by all keys of
   * the account. Default: `null`.
   */
  account?: string | null | undefined;
  /** Whether `fetch` sends the cookie of a session, as on the pages of the console. Default: false. */
  hasSession?: boolean | undefined;
  /** The function that sends requests. Default: the global `fetch`. */
  fetch?: typeof globalThis.fetch | undefined;
}

/** The calls of a tRPC client, without its subscriptions. */
type Calls<Client> = {
  [Name in keyof Client as Client[Name] extends Subscription ? never : Name]: Client[Name] extends Call
    ? Client[Name]
    : Calls<Client[Name]>;
};
type Subscription = { subscribe: unknown };
type Call = { query: unknown } | { mutate: unknown };

/** A server and the credential for it. */
export interface BerthClient {
  /** The address of the API host. It ends with a slash. */
  readonly server: URL;
  readonly key: string | null;
  /** Whether requests have no credential: neither a key nor a session. */
  readonly isAnonymous: boolean;
  /** The id of the account that the key belongs to; `null` if unknown. The client never sends it to the server. */
  readonly account: string | null;
  /**
   * The queries and mutations of the server, typed by its router. Every failure is a {@link ClientError}. To receive
   * activities as they happen, use `followActivities`.
   */
  readonly api: Calls<TRPCClient<ApiRouter>>;
  /**
   * Sends a request with the credential of the client. Rejects redirects.
   *
   * @param path Relative to the server, without a leading slash.
   * @returns The response, if its status is 2xx. Reading more than 16 MiB of its body fails, unless the request accepts
   *   `text/event-stream`, `application/x-tar` or `application/zip`.
   * @throws ClientError for any other status, and if there is no response.
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
  hasSession = false,
  fetch = globalThis.fetch,
}: ClientOptions): BerthClient {
  const base = parseServerAddress(server);
  const send = async (url: URL, init: RequestInit = {}): Promise<Response> => {
    const headers = new Headers(init.headers);
    if (key !== null) headers.set('Authorization', `Bearer ${key}`);
    const response = await fetch(url, { ...init, headers, redirect: 'manual' });
    refuseRedirect(response, base, url);
    if (!response.ok) throw await responseError(response, base);
    // The reader of a stream of events limits the size of each event instead, and nothing keeps an archive in memory.
    if (STREAMED_TYPES.has(headers.get('accept'))) return response;
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
    isAnonymous: key === null && !hasSession,
    account,
    api: createTRPCClientProxy(new ErrorConvertingClient(base, { links: [link] })),
    request: (path, init) => convertErrors(send(new URL(path, base), init), base, init?.signal),
  };
}

/** Reads and checks the body of a response. @throws ClientError if the body breaks off or has an unexpected shape. */
export async function readResponse<T>(
  { server }: BerthClient,
  response: Response,
  schema: { safeParse(value: unknown): { success: true; data: T } | { success: false; error: unknown } },
): Promise<T> {
  const parsed = schema.safeParse(parseJson(await convertErrors(response.text(), server)));
  if (parsed.success) return parsed.data;
  throw new ClientError(
    'server',
    `The response of ${server.host} with status ${response.status} has an invalid body.`,
    {
      status: response.status,
      cause: parsed.error,
    },
  );
}

/** An untyped tRPC client that converts every failure to a ClientError. */
class ErrorConvertingClient extends TRPCUntypedClient<ApiRouter> {
  readonly #server: URL;

  constructor(server: URL, options: ConstructorParameters<typeof TRPCUntypedClient<ApiRouter>>[0]) {
    super(options);
    this.#server = server;
  }

  override query(...call: Parameters<TRPCUntypedClient<ApiRouter>['query']>): Promise<unknown> {
    return convertErrors(super.query(...call), this.#server, call[2]?.signal);
  }

  override mutation(...call: Parameters<TRPCUntypedClient<ApiRouter>['mutation']>): Promise<unknown> {
    return convertErrors(super.mutation(...call), this.#server, call[2]?.signal);
  }

  /** Only programs without types can call this. @throws ClientError of the kind `refused`. */
  override subscription(path: string): never {
    throw new ClientError('refused', `${path} is a stream. Use followActivities to receive activities.`);
  }
}

function convertErrors<T>(response: Promise<T>, server: URL, signal?: AbortSignal | null): Promise<T> {
  return response.catch((thrown: unknown) => {
    throw toClientError(thrown, server, signal);
  });
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
 * Parses an address that a server sent and that will be opened in a browser.
 *
 * @returns The parsed address; `null` unless it is an `http:` or `https:` address without a user name or password.
 */
export function parseWebAddress(text: string): URL | null {
  const url = URL.parse(text);
  const isWeb = url?.protocol === 'http:' || url?.protocol === 'https:';
  return isWeb && url.username === '' && url.password === '' && url.hostname !== '' ? url : null;
}
