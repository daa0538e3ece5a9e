import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Log } from '@berth/core';

/** One incoming request. */
export interface LoggedRequest {
  req: IncomingMessage;
  res: ServerResponse;
  requestId: string;
  /** When it arrived, by `performance.now()`. */
  start: number;
  /** Which part of the service answers, such as `api` or `site`. */
  kind: string;
  /** The client's address, past trusted proxies. */
  address: string;
}

/**
 * Creates the request log: one line for each request, written when its answer ended, or when its client left, then with
 * `aborted`.
 *
 * A line has method, host, path without query, status, the bytes written to the connection meanwhile, the time in
 * milliseconds, and the address. No other header is logged. Whatever follows the claim page in the path of a claim link
 * is hidden, even if it is not a complete hash; so are the names of uploads.
 *
 * @param claimPath The path prefix of claim links on the host of the API, such as `/claim`. Default: none.
 * Source: security T20, T24, T38.
 */
export function createRequestLog(log: Log, claimPath: string | null = null): (request: LoggedRequest) => void {
  return ({ req, res, requestId, start, kind, address }) => {
    const { method, socket } = req;
    const { host } = req.headers;
    const path = kind === 'api' ? hideUpload(hideClaim(pathOf(req), claimPath)) : pathOf(req);
    const written = socket.bytesWritten;
    res.once('close', () => {
      log.info(
        {
          requestId,
          kind,
          method,
          host,
          path,
          status: res.headersSent ? res.statusCode : null,
          bytes: socket.bytesWritten - written,
          durationMs: Math.round((performance.now() - start) * 10) / 10,
          address,
          ...(res.writableFinished ? {} : { aborted: true }),
        },
        'request',
      );
    });
  };
}

/** The path of the request target as it was sent (also if a router has shortened it), without authority and query. */
function pathOf(req: IncomingMessage & { originalUrl?: string }): string {
  const target = req.originalUrl ?? req.url ?? '';
  return target.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, '').replace(/[?#].*$/s, '');
}

/** Hides the name of an upload: anyone who knows it can continue an anonymous upload. */
function hideUpload(path: string): string {
  return path.replace(/^\/uploads\/[^/]+/, '/uploads/[hidden]');
}

/** When claim links are at the root, only paths that begin like a hash are hidden. */
function hideClaim(path: string, claimPath: string | null): string {
  if (claimPath === null) return path;
  const rest = path.startsWith(`${claimPath}/`) ? path.slice(claimPath.length + 1) : '';
  const isClaim = claimPath === '' ? /^[0-9a-f]{16}/.test(rest) : rest !== '';
  return isClaim ? `${claimPath}/[hidden]` : path;
}
