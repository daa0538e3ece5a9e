import { TRPCClientError } from '@trpc/client';
import { readErrorBody } from './error-body.ts';
import { abortedError, ClientError, type ClientErrorKind } from './errors.ts';

/** The maximum size of a response, in bytes. A list of 200,000 missing contents fits. */
export const MAX_RESPONSE_BYTES = 16 * 1024 ** 2;

const MAX_ERROR_BYTES = 64 * 1024;

/** The maximum length of an event in a stream, in characters. */
export const MAX_EVENT_LENGTH = 64 * 1024;

/** The error for a response that is larger than any response of a Berth server. */
export class ResponseTooLarge extends ClientError {
  constructor({ host }: URL, limit: string) {
    super('server', `The response of ${host} is too large: ${limit}. Check that it is a Berth server.`);
  }
}

/** Returns the response with a body that fails with {@link ResponseTooLarge} after `maxBytes` decompressed bytes. */
export function limitResponse(response: Response, server: URL, maxBytes: number): Response {
  if (response.body === null) return response;
  let bytes = 0;
  const limit = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      bytes += chunk.length;
      if (bytes > maxBytes)
        throw new ResponseTooLarge(server, `a response must have at most ${maxBytes.toLocaleString('en-US')} bytes`);
      controller.enqueue(chunk);
    },
  });
  const { status, statusText, headers } = response;
  return new Response(response.body.pipeThrough(limit), { status, statusText, headers });
}

/**
 * Rejects redirects. The request may contain passwords and files, which no server but `server` may receive.
 *
 * @throws ClientError `refused`. Its `details.server` is the address to use instead; `null` if the redirect is invalid.
 */
export function refuseRedirect({ status, type, headers }: Response, server: URL, requestUrl: URL): void {
  const location = headers.get('location');
  if (type !== 'opaqueredirect' && (status < 300 || status >= 400 || location === null)) return;
  const target = redirectedServer(URL.parse(location ?? '', requestUrl.href), server, requestUrl);
  const message =
    target === null
      ? `The server at ${server.host} redirects to an invalid address. Check the address of the server.`
      : `The server at ${server.host} redirects to ${target}. Use that address for the server.`;
  throw new ClientError('refused', message, { status, details: { server: target } });
}

/**
 * Returns the server address that a redirect leads to: the target without the path of the request, or the origin of the target
 * if it has another path. `null` if the target is not a web address.
 */
function redirectedServer(target: URL | null, server: URL, requestUrl: URL): string | null {
  if (target === null || !/^https?:$/.test(target.protocol)) return null;
  const path = requestUrl.pathname.slice(server.pathname.length);
  const basePath =
    path !== '' && target.pathname.endsWith(`/${path}`) ? target.pathname.slice(0, -path.length - 1) : '';
  return target.origin + basePath;
}

/** Converts a response that is not 2xx, from REST or tRPC, to an error. A body that is too large is ignored. */
export async function responseError(response: Response, server: URL): Promise<ClientError> {
  const text = await limitResponse(response, server, MAX_ERROR_BYTES)
    .text()
    .catch(() => '');
  const body = parseJson(text) as { error?: { data?: unknown } } | null;
  return errorFromResponse(response, body?.error?.data ?? body);
}

/**
 * Converts anything that a request or typed call threw to a ClientError.
 *
 * @param server The server of the request, for the message.
 * @param signal The signal of the caller.
 */
export function toClientError(thrown: unknown, server: URL, signal?: AbortSignal | null): ClientError {
  if (signal?.aborted) return abortedError(thrown);
  if (thrown instanceof ClientError) return thrown;
  if (thrown instanceof TRPCClientError) {
    const response: unknown = thrown.meta?.['response'];
    if (response instanceof Response) return errorFromResponse(response, thrown.data);
    const body = readErrorBody(thrown.data);
    if (body) return errorFromResponse({ status: body.status, headers: new Headers() }, body);
    return toClientError(thrown.cause instanceof Error ? thrown.cause : new Error(thrown.message), server);
  }
  const cause = thrown instanceof Error ? thrown : new Error(String(thrown));
  if (cause instanceof SyntaxError)
    return new ClientError('server', `${server.host} sent an invalid response. Check that it is a Berth server.`, {
      cause,
    });
  for (let innerCause: unknown = cause; innerCause instanceof Error; innerCause = innerCause.cause) {
    if (innerCause instanceof ClientError) return innerCause;
    // A custom `fetch` may use another signal.
    if (innerCause.name === 'AbortError') return abortedError(thrown);
  }
  return new ClientError('network', `${server.host} cannot be reached: ${rootMessage(cause)}.`, { cause });
}

function errorFromResponse({ status, headers }: Pick<Response, 'status' | 'headers'>, data: unknown): ClientError {
  const body = readErrorBody(data);
  const retryAfter = Number(headers.get('retry-after') ?? body?.details?.['retryAfter'] ?? 'none');
  const retryAfterSeconds = Number.isFinite(retryAfter) && retryAfter >= 0 ? retryAfter : undefined;
  if (body === null) {
    const kind = status < 400 ? 'server' : kindOf(status);
    return new ClientError(kind, `The response of the server with status ${status} has an invalid body.`, {
      status,
      retryAfterSeconds,
    });
  }
  const { error: code, message, details } = body;
  const file = typeof details?.['file'] === 'string' ? details['file'] : undefined;
  return new ClientError(kindOf(status), message, { code, status, file, retryAfterSeconds, details });
}

function kindOf(status: number): ClientErrorKind {
  if (status === 401 || status === 403) return 'signed-out';
  if (status === 408) return 'network';
  if (status === 429 || (status >= 502 && status <= 504)) return 'unavailable';
  return status >= 500 ? 'server' : 'refused';
}

/** Parses JSON; returns `null` if the text is invalid. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** Returns the message of the root cause. `fetch` wraps the cause, and a host with several addresses has an error for each. */
function rootMessage(error: Error): string {
  if (error instanceof AggregateError && error.errors[0] instanceof Error) return rootMessage(error.errors[0]);
  return error.cause instanceof Error ? rootMessage(error.cause) : error.message;
}
