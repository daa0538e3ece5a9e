import type { IncomingMessage, ServerResponse } from 'node:http';
import type { LoggedRequests } from '../config/config-values.ts';
import type { ServerLog } from './logger.ts';
import type { RequestEntry } from './request-entry.ts';

interface LoggedRequest {
  req: IncomingMessage;
  res: ServerResponse;
  requestId: string;
  /** The kind of host that the request names, such as `api` or `site`. */
  kind: string;
  /** The client's address, past trusted proxies. */
  address: string;
}

export interface RequestLogOptions {
  /** The path prefix of claim links on the host of the API, such as `/claim`. Default: none. */
  claimPath?: string | null;
  /** Which requests are logged. Default: all. */
  logged?: LoggedRequests;
  /** Returns the id of the trace of a request, if it is traced. Default: no request is traced. */
  traceIdOf?: (res: ServerResponse) => string | undefined;
}

/** A request that took longer counts as an error. */
const SLOW_MS = 1_000;
/** The methods that change nothing. */
const READING_METHODS: ReadonlySet<string | undefined> = new Set(['GET', 'HEAD', 'OPTIONS']);

export interface RequestLog {
  /**
   * Returns a function to call once the response to a request has closed, with the duration and the bytes sent. It writes the line,
   * with `aborted` if the client left before the end.
   */
  follow(request: LoggedRequest): (durationMs: number, bytes: number) => void;
  /** Writes the line of a request that has ended. Rounds its duration. */
  write(entry: RequestEntry): void;
}

/**
 * Creates the request log, which has one line for each logged request. A line has no query and no header except `Host`, and hides
 * the names of uploads and everything that follows `claimPath`. Source: security T20, T24, T38.
 */
export function createRequestLog(
  log: ServerLog,
  { claimPath = null, logged = { which: 'all' }, traceIdOf }: RequestLogOptions = {},
): RequestLog {
  const writeLine = log.request ?? ((entry) => log.info(entry, 'request'));
  const isLogged = createSelection(logged);
  function write(entry: RequestEntry): void {
    entry.durationMs = Math.round(entry.durationMs * 10) / 10;
    if (isLogged(entry)) writeLine(entry);
  }
  return {
    write,
    follow({ req, res, requestId, kind, address }) {
      const { method } = req;
      const { host } = req.headers;
      const path = kind === 'api' ? hideUpload(hideClaim(pathOf(req), claimPath)) : pathOf(req);
      return (durationMs, bytes) => {
        const status = res.headersSent ? res.statusCode : null;
        const entry: RequestEntry = { requestId, kind, method, host, path, status, bytes, durationMs, address };
        const traceId = traceIdOf?.(res);
        if (traceId !== undefined) entry.traceId = traceId;
        if (!res.writableFinished) entry.aborted = true;
        write(entry);
      };
    },
  };
}

/**
 * Returns the function that decides whether a request is logged. Unless no request is, failed and slow requests and
 * changes by the API always are. Source: api §10.
 */
export function createSelection(logged: LoggedRequests): (entry: RequestEntry) => boolean {
  let count = 0;
  return (entry) => {
    switch (logged.which) {
      case 'all':
        return true;
      case 'off':
        return false;
      case 'errors':
        return isAlwaysLogged(entry);
      case 'api':
        return entry.kind === 'api' || isAlwaysLogged(entry);
      case 'sample':
        if (isAlwaysLogged(entry)) return true;
        count = (count + 1) % logged.every;
        return count === 0;
      default:
        return logged satisfies never;
    }
  };
}

function isAlwaysLogged({ kind, method, status, durationMs }: RequestEntry): boolean {
  return (status ?? 0) >= 500 || durationMs > SLOW_MS || (kind === 'api' && !READING_METHODS.has(method));
}

/** Returns the path of the request target that the client sent, without authority and query. */
function pathOf(req: IncomingMessage & { originalUrl?: string }): string {
  const target = req.originalUrl ?? req.url ?? '';
  const path = target.startsWith('/') ? target : target.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, '');
  const pathEnd = path.search(/[?#]/);
  return pathEnd < 0 ? path : path.slice(0, pathEnd);
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
