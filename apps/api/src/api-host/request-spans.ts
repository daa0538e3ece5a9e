import type { ServerResponse } from 'node:http';
import type { Tracer } from '@berth/core';
import type { RequestHandler } from 'express';
import { requestIdOf } from '../http/request-id.ts';

const TRACE_ID = Symbol('trace id');
const ROUTE = Symbol('route');
const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/**
 * Records each request as a span, as middleware. The span is named by its route, such as
 * `GET /deployments/{deployment}`. It contains neither the path, which can have secrets, nor the address of the client.
 * Source: https://opentelemetry.io/docs/specs/semconv/http/http-spans/; security T20, T24.
 */
export function traceRequests(tracer: Tracer): RequestHandler {
  return (req, res: ServerResponse & { [TRACE_ID]?: string; [ROUTE]?: string }, next) => {
    const span = tracer.beginRequest(req.headers);
    if (span === null) return next();
    res[TRACE_ID] = span.traceId;
    const isCall = req.path.startsWith('/trpc/');
    res.once('close', () => {
      const method = METHODS.has(req.method) ? req.method : '_OTHER';
      const route = isCall
        ? '/trpc/{procedures}'
        : (res[ROUTE] ?? routeOf(req.route as { path?: unknown } | undefined));
      const isFailed = res.statusCode >= 500;
      span.end({
        name: route === null ? method : `${method} ${route}`,
        isFailed,
        attributes: {
          'http.request.method': method,
          ...(route === null ? {} : { 'http.route': route }),
          ...(res.headersSent ? { 'http.response.status_code': res.statusCode } : {}),
          ...(isFailed ? { 'error.type': String(res.statusCode) } : {}),
          'network.protocol.version': req.httpVersion,
          'berth.request_id': requestIdOf(res),
        },
      });
    });
    span.run(next);
  };
}

/** Names the route of a request that express does not match, such as `/deployments/{deployment}`. */
export function nameRoute(res: ServerResponse & { [ROUTE]?: string }, route: string): void {
  res[ROUTE] = route;
}

/** Returns the id of the trace of a request, if it is traced. */
export function traceIdOf(res: ServerResponse & { [TRACE_ID]?: string }): string | undefined {
  return res[TRACE_ID];
}

/** Returns the matched route with its parameters in braces, or `null` if no route matched. */
function routeOf(route: { path?: unknown } | undefined): string | null {
  return typeof route?.path === 'string' ? route.path.replace(/:(\w+)/g, '{$1}') : null;
}
