import { ErrorBody } from '@berth/contract';
import { TRPCClientError } from '@trpc/client';
import { limitResponse, MAX_ERROR_BYTES } from './response-limits.ts';
import { abortedError, ClientError, type ClientErrorKind } from './errors.ts';

/**
 * Converts a response that is not 2xx, from REST or tRPC, to an error. Reads its body; a body that is too large is treated as
 * unreadable.
 */
export async function responseError(response: Response, server: URL): Promise<ClientError> {
  const text = await limitResponse(response, server, MAX_ERROR_BYTES)
    .text()
    .catch(() => '');
  const body = parseJson(text) as { error?: { data?: unknown } } | null;
  return errorFromResponse(response, body?.error?.data ?? body);
}

/**
 * Converts anything that a request or typed call threw to an error.
 *
 * @param server The server that the request was sent to, for the message.
 * @param signal The signal with which the caller could abort.
 */
export function toClientError(thrown: unknown, server: URL, signal?: AbortSignal | null): ClientError {
  if (signal?.aborted) return abortedError(thrown);
  if (thrown instanceof ClientError) return thrown;
  if (thrown instanceof TRPCClientError) {
    const response: unknown = thrown.meta?.['response'];
    if (response instanceof Response) return errorFromResponse(response, thrown.data);
    const body = ErrorBody.safeParse(thrown.data);
    if (body.success) return errorFromResponse({ status: body.data.status, headers: new Headers() }, body.data);
    return toClientError(thrown.cause instanceof Error ? thrown.cause : new Error(thrown.message), server);
  }
  const cause = thrown instanceof Error ? thrown : new Error(String(thrown));
  if (cause instanceof SyntaxError)
    return new ClientError('server', `${server.host} sent an invalid response. Check that it is a Berth server.`, {
      cause,
    });
  for (let inner: unknown = cause; inner instanceof Error; inner = inner.cause) {
    if (inner instanceof ClientError) return inner;
    // A custom `fetch` was aborted by a signal of its own.
    if (inner.name === 'AbortError') return abortedError(thrown);
  }
  return new ClientError('network', `${server.host} cannot be reached: ${rootMessage(cause)}.`, { cause });
}

function errorFromResponse({ status, headers }: Pick<Response, 'status' | 'headers'>, data: unknown): ClientError {
  const body = ErrorBody.safeParse(data);
  const retryAfter = Number(headers.get('retry-after') ?? body.data?.details?.['retryAfter'] ?? 'none');
  const retryAfterSeconds = Number.isFinite(retryAfter) && retryAfter >= 0 ? retryAfter : undefined;
  if (!body.success) {
    const kind = status < 400 ? 'server' : kindOf(status);
    return new ClientError(kind, `The server answered with status ${status} and an invalid body.`, {
      status,
      retryAfterSeconds,
    });
  }
  const { error: code, message, details } = body.data;
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

/** Returns the message of the root cause: `fetch` wraps the error, and a host with several addresses has one error for each. */
function rootMessage(error: Error): string {
  if (error instanceof AggregateError && error.errors[0] instanceof Error) return rootMessage(error.errors[0]);
  return error.cause instanceof Error ? rootMessage(error.cause) : error.message;
}
