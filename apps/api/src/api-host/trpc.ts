import {
  EVENT_RETRY_MS,
  type ProcedureContext,
  invalid,
  type Log,
  type ProcedureMeta,
  ServiceError,
  toServiceError,
  toTrpcError,
} from '@berth/core';
import { type AnyTRPCRouter, getTRPCErrorShape } from '@trpc/server';
import { createURL, nodeHTTPRequestHandler } from '@trpc/server/adapters/node-http';
import express, { type NextFunction, type Request, type Response, type Router } from 'express';
import { cors } from './cors.ts';
import { ignoreDuration } from '../http/count-requests.ts';
import { errorBody, errorHeaders, logFault } from '../http/error-answer.ts';
import { requestIdOf } from '../http/request-id.ts';
import { JSON_TYPE, sendJson, setJsonHeaders } from '../http/json-answer.ts';
import { grantBody, JSON_BODY, type JsonBody, parseJson, parseJsonBody, readJsonText } from './json-body.ts';
import type { CreateContext } from './options.ts';
import { countCalls, isBatch, MAX_BATCH_CALLS, namesOf } from './trpc-calls.ts';

const METHODS: ReadonlySet<string> = new Set(['GET', 'POST']);

/**
 * Serves the procedures of a router as tRPC over HTTP under `/trpc`. Every error has the error body of the REST API
 * under `error.data`. Source: api §2, §9; security F7, F8, T14.
 */
export function trpcRouter(router: AnyTRPCRouter, createContext: CreateContext, log: Log): Router {
  return express.Router({ caseSensitive: true }).use('/trpc', cors, handler(router, createContext, log));
}

function handler(router: AnyTRPCRouter, createContext: CreateContext, log: Log) {
  return async (req: Request, res: Response, next: NextFunction): Promise<void> => {
    const path = req.path.slice(1);
    if (path === '' || path.includes('/')) return next();
    const requestId = requestIdOf(res);
    const routerWithErrors = withErrorBodies(router, requestId);
    const onError = (thrown: unknown, operation: string | undefined) =>
      logFault(log, toServiceError(thrown), { requestId, operation });

    let ctx: ProcedureContext;
    let maxBytes: number = JSON_BODY.maxBytes;
    try {
      ctx = createContext(req, res);
      refuseInvalidCalls(req, path);
      if (req.method === 'POST') {
        const body = grantBody(req, res, ctx, bodySizesOf(router, path), maxDepth(createURL(req).searchParams));
        maxBytes = body.maxBytes;
        req.body = await readCalls(req, body);
      }
    } catch (thrown) {
      onError(thrown, path);
      return refuse(routerWithErrors, res, thrown);
    }
    // The handler of tRPC does not notice that a client has already left.
    if (res.closed) return;
    setJsonHeaders(res);
    return nodeHTTPRequestHandler({
      req,
      res,
      path,
      router: routerWithErrors,
      createContext: () => ({ ...ctx, beginAfter: (eventId: string) => beginStream(res, eventId) }),
      maxBodySize: maxBytes,
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

/** Returns the router with errors that have the error body of the REST API, and a status for the adapter of tRPC. */
function withErrorBodies(router: AnyTRPCRouter, requestId: string): AnyTRPCRouter {
  const config = router._def._config;
  const errorFormatter: typeof config.errorFormatter = (options) => {
    const shape = config.errorFormatter(options);
    const body = errorBody(toServiceError(options.error), requestId);
    return { ...shape, message: body.message, data: { ...shape.data, ...body, httpStatus: body.status } };
  };
  return { ...router, _def: { ...router._def, _config: { ...config, errorFormatter } } };
}

/** Rejects requests that tRPC would reject with its own messages, or on which it would fail. */
function refuseInvalidCalls(req: Request, path: string): void {
  if (!METHODS.has(req.method))
    throw new ServiceError('method_not_allowed', 'Queries are read with GET, mutations are sent with POST.');
  const url = createURL(req);
  if (url.username || url.password) throw invalid('host', 'the host must not contain a user name');
  const calls = countCalls(path, url.searchParams);
  if (calls > MAX_BATCH_CALLS)
    throw invalid('batch', `a batch must have at most ${MAX_BATCH_CALLS} calls; this one has ${calls}`);
  const input = url.searchParams.get('input');
  if (input) parseJson(input, 'The query parameter "input"', maxDepth(url.searchParams));
}

/** Reads calls as text, which tRPC parses again. Parsing here gives invalid JSON the usual error body. */
async function readCalls(req: Request, body: JsonBody): Promise<string> {
  const text = await readJsonText(req, body);
  if (text !== '') parseJsonBody(text);
  return text;
}

function bodySizesOf(router: AnyTRPCRouter, path: string): ProcedureMeta['bodySize'][] {
  const procedures = router._def.procedures as Record<string, { _def: { meta?: ProcedureMeta } }>;
  return namesOf(path).map((name) =>
    Object.hasOwn(procedures, name) ? procedures[name]!._def.meta?.bodySize : undefined,
  );
}

/** A batch nests its inputs one level deeper. */
function maxDepth(query: URLSearchParams): number {
  return JSON_BODY.maxDepth + (isBatch(query) ? 1 : 0);
}

/** Begins an event stream with an event that only has an id, so that a client that reconnects resumes after this id. */
function beginStream(res: Response, eventId: string): void {
  const { write } = res;
  ignoreDuration(res);
  res.write = ((...args: Parameters<typeof write>) => {
    res.write = write;
    res.write(`event: begin\nretry: ${EVENT_RETRY_MS}\nid: ${eventId}\ndata: ""\n\n`);
    return res.write(...args);
  }) as typeof write;
}

/** Sends an error in the format in which tRPC rejects a whole request. */
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
