import {
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
import { errorBody, errorHeaders, logFault } from '../http/error-answer.ts';
import { requestIdOf } from '../http/request-id.ts';
import { JSON_TYPE, sendJson, setJsonHeaders } from '../http/json-answer.ts';
import { grantBody, JSON_BODY, type JsonBody, parseJson, parseJsonBody, readJsonText } from './json-body.ts';
import type { CreateContext } from './rest.ts';
import { countCalls, isBatch, MAX_BATCH_CALLS, namesOf } from './trpc-calls.ts';

const METHODS: ReadonlySet<string> = new Set(['GET', 'POST']);

/**
 * The typed API: tRPC over HTTP under `/trpc`, for the procedures of the same router, with the same error codes.
 *
 * An error has the error body under `error.data`, whether the procedure, tRPC or this route rejected the call.
 *
 * Source: api §2, §9; security F7, F8, T14.
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

    let ctx: ProcedureContext;
    let maxBytes: number = JSON_BODY.maxBytes;
    try {
      ctx = await createContext(req, res);
      refuseUnfit(req, path);
      if (req.method === 'POST') {
        const body = grantBody(req, res, ctx, wishesOf(router, path), maxDepth(createURL(req).searchParams));
        maxBytes = body.maxBytes;
        req.body = await readCalls(req, body);
      }
    } catch (thrown) {
      onError(thrown, path);
      return refuse(answering, res, thrown);
    }
    // tRPC only notices clients that leave from here on, not clients that have already left.
    if (res.closed) return;
    setJsonHeaders(res);
    return nodeHTTPRequestHandler({
      req,
      res,
      path,
      router: answering,
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

/** The same router, whose errors have the body of the REST API, and the status that tRPC's adapter answers with. */
function withErrorBodies(router: AnyTRPCRouter, requestId: string): AnyTRPCRouter {
  const config = router._def._config;
  const errorFormatter: typeof config.errorFormatter = (options) => {
    const shape = config.errorFormatter(options);
    const body = errorBody(toServiceError(options.error), requestId);
    return { ...shape, message: body.message, data: { ...shape.data, ...body, httpStatus: body.status } };
  };
  return { ...router, _def: { ...router._def, _config: { ...config, errorFormatter } } };
}

/** Rejects, with our own messages, requests that tRPC would reject with its own messages or fail on. */
function refuseUnfit(req: Request, path: string): void {
  if (!METHODS.has(req.method))
    throw new ServiceError('method_not_allowed', 'Queries are read with GET, mutations are sent with POST.');
  const url = createURL(req);
  if (url.username || url.password) throw invalid('host', 'the host must not have a user name in it');
  const calls = countCalls(path, url.searchParams);
  if (calls > MAX_BATCH_CALLS)
    throw invalid('batch', `a batch must have at most ${MAX_BATCH_CALLS} calls; this one has ${calls}`);
  const input = url.searchParams.get('input');
  if (input) parseJson(input, 'The query parameter "input"', maxDepth(url.searchParams));
}

/**
 * The text of the calls, which tRPC parses again. It is parsed here so that invalid JSON gets the error body of this
 * route.
 */
async function readCalls(req: Request, body: JsonBody): Promise<string> {
  const text = await readJsonText(req, body);
  if (text !== '') parseJsonBody(text);
  return text;
}

/** The body limits that the procedures of these calls ask for. */
function wishesOf(router: AnyTRPCRouter, path: string): ProcedureMeta['bodySize'][] {
  const procedures = router._def.procedures as Record<string, { _def: { meta?: ProcedureMeta } }>;
  return namesOf(path).map((name) =>
    Object.hasOwn(procedures, name) ? procedures[name]!._def.meta?.bodySize : undefined,
  );
}

/** The inputs of a batch are nested one level deeper. */
function maxDepth(query: URLSearchParams): number {
  return JSON_BODY.maxDepth + (isBatch(query) ? 1 : 0);
}

/** A client that lost its connection reconnects after this time; the default of browsers is three times as long. */
const RETRY_MS = 1_000;

/** Begins an event stream with an event that no subscriber handles. Its id is the one the client resumes after. */
function beginStream(res: Response, eventId: string): void {
  const { write } = res;
  res.write = ((...args: Parameters<typeof write>) => {
    res.write = write;
    res.write(`event: begin\nretry: ${RETRY_MS}\nid: ${eventId}\ndata: ""\n\n`);
    return res.write(...args);
  }) as typeof write;
}

/** Sends an error in the format that tRPC uses to reject a whole request. */
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
