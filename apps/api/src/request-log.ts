import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Log } from '@berth/core';

/** One request as it came in. */
export interface LoggedRequest {
  req: IncomingMessage;
  res: ServerResponse;
  requestId: string;
  /** When it came in, by `performance.now()`. */
  start: number;
  /** Which part of the service answers, such as `api` or `site`. */
  kind: string;
  /** The client's address, as the service believes it to be. */
  address: string;
}

/**
 * Makes the request log: one line a request, written when its answer ended or its client left, with `aborted` then.
 *
 * A line has method, host, path without query, status, the bytes written to the connection meanwhile, the time in
 * milliseconds, and the address. No other header is logged, and of a claim link nothing that follows its page, be the
 * hash whole or not; nor the name of an upload.
 *
 * @param claimPath The path below which claim links lie on the host of the API, such as `/claim`. Default: none do.
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

/** The path of the request target as it was sent, without what a router took from it, an authority, or the query. */
function pathOf(req: IncomingMessage & { originalUrl?: string }): string {
  const target = req.originalUrl ?? req.url ?? '';
  return target.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, '').replace(/[?#].*$/s, '');
}

/** The name of an upload is all that it takes to go on with an anonymous one. */
function hideUpload(path: string): string {
  return path.replace(/^\/uploads\/[^/]+/, '/uploads/[hidden]');
}

/** Where claim links lie at the root, only what begins like a hash is one. */
function hideClaim(path: string, claimPath: string | null): string {
  if (claimPath === null) return path;
  const rest = path.startsWith(`${claimPath}/`) ? path.slice(claimPath.length + 1) : '';
  const isClaim = claimPath === '' ? /^[0-9a-f]{16}/.test(rest) : rest !== '';
  return isClaim ? `${claimPath}/[hidden]` : path;
}
