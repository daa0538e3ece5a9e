import { type ProcedureContext, type Log, notFound } from '@berth/core';
import { type AnyTRPCRouter, callTRPCProcedure } from '@trpc/server';
import type { Request, RequestHandler, Response } from 'express';
import { allowAnyOrigin, sendPreflight } from './cors.ts';
import { sendError } from '../http/error-answer.ts';
import { sendMethodNotAllowed } from '../http/error-answer.ts';
import { sendJson } from '../http/json-answer.ts';
import { sendEvents, wantsEvents } from './event-stream.ts';
import { grantBody, readJsonObject } from './json-body.ts';
import { decodeParams, OperationTable } from './operation-table.ts';
import { matchesTemplate, type Operation, operationsOf } from './operations.ts';
import type { CreateContext } from './options.ts';
import { nameRoute } from './request-spans.ts';
import { fromPath, fromQuery, type InputKinds, inputKinds } from './url-input.ts';

const BODY_METHODS: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH']);

interface RestOptions {
  /** The methods of other routes of the host by path, so that a 405 can list them. */
  otherRoutes?: Record<string, readonly string[]>;
  /** Sends the 404 of an unknown path to clients that prefer HTML to JSON. Default: they get JSON too. */
  sendUnknownPage?: (res: Response) => void;
}

/** The REST API of a router. */
export interface RestApi {
  /** Serves the requests that are operations, and passes on all others. */
  operations: RequestHandler;
  /** Responds to requests that no route has served: with 405 if the path exists, otherwise with 404. */
  unknown: RequestHandler;
}

/**
 * Serves every procedure whose metadata names a method and a path. Paths are exact in case and slashes. Callers without permission
 * are rejected before the body is read.
 *
 * Source: api §1, §2; security F5, F6, T23.
 */
export function createRestApi(
  router: AnyTRPCRouter,
  createContext: CreateContext,
  log: Log,
  { otherRoutes = {}, sendUnknownPage }: RestOptions = {},
): RestApi {
  const operations = operationsOf(router);
  const table = new OperationTable<OperationHandler>();
  for (const operation of operations) table.add(operation.openapi, handler(router, operation, createContext, log));
  const routes = [
    ...operations.map(({ openapi }) => [openapi.path, [openapi.method]] as const),
    ...Object.entries(otherRoutes),
  ];
  return {
    async operations(req, res, next) {
      const found = table.find(req.method, req.path);
      if (!found) return next();
      allowAnyOrigin(res);
      await found.value(req, res, decodeParams(found.params));
    },
    unknown(req, res) {
      allowAnyOrigin(res);
      if (req.method === 'OPTIONS') return sendPreflight(res);
      const allowed = routes.flatMap(([template, methods]) => (matchesTemplate(template, req.path) ? methods : []));
      if (allowed.length > 0) sendMethodNotAllowed(res, req.method, allowed);
      else if (sendUnknownPage && req.accepts(['json', 'html']) === 'html') sendUnknownPage(res);
      else sendError(res, notFound('address'));
    },
  };
}

/** @param params The decoded values of the variables of the path. */
type OperationHandler = (req: Request, res: Response, params: Record<string, string>) => Promise<void>;

function handler(
  router: AnyTRPCRouter,
  operation: Operation,
  createContext: CreateContext,
  log: Log,
): OperationHandler {
  const { name, openapi, type, inputs, status, creates, redirect, events } = operation;
  let kinds: InputKinds | undefined;
  // Reading a schema takes a third of a millisecond, so the first request of the API does not read all of them.
  const getKinds = () => (kinds ??= inputKinds(inputs));
  return async (req, res, params) => {
    nameRoute(res, openapi.path);
    const clientLeft = new AbortController();
    res.once('close', () => {
      if (!res.writableFinished) clientLeft.abort();
    });
    try {
      const ctx = createContext(req, res);
      if (redirect) {
        res.setHeader('Location', redirect);
        sendJson(res, 301, JSON.stringify({ location: redirect }));
        return;
      }
      if (events && wantsEvents(req))
        return await sendEvents(router, events, { req, res, ctx, log, signal: clientLeft.signal });
      let input: Promise<unknown> | undefined;
      const getRawInput = () => (input ??= readInput(req, res, ctx, operation, getKinds(), params));
      let successStatus = status;
      const data: unknown = await callTRPCProcedure({
        router,
        path: name,
        type,
        ctx: creates ? { ...ctx, onCreated: () => (successStatus = 201) } : ctx,
        getRawInput,
        signal: clientLeft.signal,
        batchIndex: 0,
      });
      sendJson(res, successStatus, JSON.stringify(data ?? null));
    } catch (thrown) {
      sendError(res, thrown, { log, operation: name });
    }
  };
}

/** Fields of the path replace fields of the body or query, which therefore cannot name a different resource. */
async function readInput(
  req: Request,
  res: Response,
  ctx: ProcedureContext,
  { openapi, bodySize }: Operation,
  kinds: InputKinds,
  params: Record<string, string>,
): Promise<object> {
  const search = req.url.indexOf('?');
  const bodyFields = BODY_METHODS.has(openapi.method)
    ? await readJsonObject(req, grantBody(req, res, ctx, [bodySize]))
    : fromQuery(kinds, new URLSearchParams(search < 0 ? '' : req.url.slice(search)));
  return { ...bodyFields, ...fromPath(kinds, params) };
}
