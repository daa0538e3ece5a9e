import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Log } from '@berth/core';

export interface LoggedRequest {
  req: IncomingMessage;
  res: ServerResponse;
  requestId: string;
  /** The value of `performance.now()` when the request arrived. */
  start: number;
  /** The kind of host that the request names, such as `api` or `site`. */
  kind: string;
  /** The client's address, past trusted proxies. */
  address: string;
}

/**
 * Creates the request log. It writes one line for each request after the response was sent, or, with `aborted`, after
 * the client left. The line has no query and no header except `Host`, and hides the names of uploads and everything
 * that follows `claimPath`.
 *
 * @param claimPath The path prefix of claim links on the host of the API, such as `/claim`. Default: none. Source:
 *   security T20, T24, T38.
 */
export function createRequestLog(log: Log, claimPath: string | null = null): (request: LoggedRequest) => void {
  return ({ req, res, requestId, start, kind, address }) => {
    const { method, socket } = req;
    const { host } = req.headers;
    const path = kind === 'api' ? hideUpload(hideClaim(pathOf(req), claimPath)) : pathOf(req);
    const bytesBefore = socket.bytesWritten;
    res.once('close', () => {
      log.info(
        {
          requestId,
          kind,
          method,
          host,
          path,
          status: res.headersSent ? res.statusCode : null,
          bytes: socket.bytesWritten - bytesBefore,
          durationMs: Math.round((performance.now() - start) * 10) / 10,
          address,
          ...(res.writableFinished ? {} : { aborted: true }),
        },
        'request',
      );
    });
  };
}

/** Returns the path of the request target that the client sent, without authority and query. */
function pathOf(req: IncomingMessage & { originalUrl?: string }): string {
  const target = req.originalUrl ?? req.url ?? '';
  return target.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, '').replace(/[?#].*$/s, '');
}

/** Hides the name of an upload: anyone who knows it can continue an anonymous upload. */
function hideUpload(path: string): string {
  return path.replace(/^\/uploads\/[^/]+/, '/uploads/[hidden]');
}

/** Hides what follows `claimPath`. If `claimPath` is empty, hides only paths that begin with 16 hex digits. */
function hideClaim(path: string, claimPath: string | null): string {
  if (claimPath === null) return path;
  const claim = path.startsWith(`${claimPath}/`) ? path.slice(claimPath.length + 1) : '';
  const isClaim = claimPath === '' ? /^[0-9a-f]{16}/.test(claim) : claim !== '';
  return isClaim ? `${claimPath}/[hidden]` : path;
}
