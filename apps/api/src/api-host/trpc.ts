import { type Context, invalid, type Log, ServiceError, toServiceError, toTrpcError } from '@berth/core';
import { type AnyTRPCRouter, getTRPCErrorShape } from '@trpc/server';
import { createURL, nodeHTTPRequestHandler } from '@trpc/server/adapters/node-http';
import express, { type NextFunction, type Request, type Response, type Router } from 'express';
import { cors } from './cors.ts';
import { errorBody, errorHeaders, logFault, requestIdOf } from '../http/error-answer.ts';
import { JSON_TYPE, sendJson, setJsonHeaders } from '../http/json-answer.ts';
import { JSON_BODY, parseJson, readJsonText } from './json-body.ts';
import type { CreateContext } from './rest.ts';

/** How many calls one batch may hold. Source: security F8. */
export const MAX_BATCH_CALLS = 10;

const METHODS: ReadonlySet<string> = new Set(['GET', 'POST']);

/**
 * The typed face: tRPC over HTTP under `/trpc`, for the procedures of the same router, in the same error vocabulary.
 *
 * An error carries the error body under `error.data`, whatever refused the call: the procedure, tRPC, or this route.
 *
 * Source: contract §2, §9; security F7, F8, T14.
 */
export function trpcRouter(router: AnyTRPCRouter, createContext: CreateContext, log: Log): Router {
  const face = express.Router({ caseSensitive: true });
  face.use('/trpc', cors, handler(router, createContext, log));
  return face;
}

function handler(router: AnyTRPCRouter, createContext: CreateContext, log: Log) {
  return async (req: Request, res: Response, next: NextFunction): Promise<void> => {
    const path = req.path.slice(1);
    if (path === '' || path.includes('/')) return next();
    const requestId = requestIdOf(res);
    const answering = withErrorBodies(router, requestId);
    const onError = (thrown: unknown, operation: string | undefined) =>
      logFault(log, toServiceError(thrown), { requestId, operation });

    let ctx: Context;
    try {
      const calls = countCalls(req, path);
      ctx = await createContext(req, res, calls);
      if (req.method === 'POST') req.body = await readCalls(req);
    } catch (thrown) {
      onError(thrown, path);
      return refuse(answering, res, thrown);
    }
    setJsonHeaders(res);
    return nodeHTTPRequestHandler({
      req,
      res,
      path,
      router: answering,
      createContext: () => ctx,
      maxBodySize: JSON_BODY.maxBytes,
      maxBatchSize: MAX_BATCH_CALLS,
      responseMeta: ({ errors, eagerGeneration }) => {
        if (eagerGeneration) return { headers: new Headers({ 'Cache-Control': 'no-store' }) };
        return {
          headers: Object.assign(
            { 'Content-Type': JSON_TYPE },
            ...errors.map((error) => errorHeaders(toServiceError(error))),
          ),
        };
      },
      onError: ({ error, path: operation }) => onError(error, operation),
    });
  };
}

/** The same router, whose errors have the body of the REST face, and the status that tRPC's adapter answers with. */
function withErrorBodies(router: AnyTRPCRouter, requestId: string): AnyTRPCRouter {
  const config = router._def._config;
  const errorFormatter: typeof config.errorFormatter = (options) => {
    const shape = config.errorFormatter(options);
    const body = errorBody(toServiceError(options.error), requestId);
    return { ...shape, message: body.message, data: { ...shape.data, ...body, httpStatus: body.status } };
  };
  return { ...router, _def: { ...router._def, _config: { ...config, errorFormatter } } };
}

/** How many calls a request makes. Refuses, in words of our own, what tRPC would refuse in its own, or fail on. */
function countCalls(req: Request, path: string): number {
  if (!METHODS.has(req.method))
    throw new ServiceError('method_not_allowed', 'Queries are read with GET, mutations are sent with POST.');
  const url = createURL(req);
  if (url.username || url.password) throw invalid('host', 'a host has no user name in it');
  const calls = isBatch(url.searchParams) ? path.split(/,|%2c/i).length : 1;
  if (calls > MAX_BATCH_CALLS)
    throw invalid('batch', `a batch holds at most ${MAX_BATCH_CALLS} calls; this one has ${calls}`);
  const input = url.searchParams.get('input');
  if (input) parseJson(input, 'The query parameter "input"', maxDepth(url.searchParams));
  return calls;
}

async function readCalls(req: Request): Promise<string> {
  const text = await readJsonText(req);
  if (text !== '') parseJson(text, 'The body', maxDepth(createURL(req).searchParams));
  return text;
}

function isBatch(query: URLSearchParams): boolean {
  return query.get('batch') === '1';
}

/** The inputs of a batch stand one level deeper. */
function maxDepth(query: URLSearchParams): number {
  return JSON_BODY.maxDepth + (isBatch(query) ? 1 : 0);
}

/** Answers in the shape in which tRPC refuses a whole request. */
function refuse(router: AnyTRPCRouter, res: Response, thrown: unknown): void {
  const error = toServiceError(thrown);
  const shape = getTRPCErrorShape({
    config: router._def._config,
    error: toTrpcError(error),
    type: 'unknown',
    path: undefined,
    input: undefined,
    ctx: undefined,
  });
  for (const [name, value] of Object.entries(errorHeaders(error))) res.setHeader(name, value);
  if (error.code === 'method_not_allowed') res.setHeader('Allow', [...METHODS, 'OPTIONS'].join(', '));
  sendJson(res, error.status, JSON.stringify({ error: shape }));
}
