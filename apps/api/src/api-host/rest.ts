import { type ProcedureContext, type Log, notFound } from '@berth/core';
import { type AnyTRPCRouter, callTRPCProcedure } from '@trpc/server';
import express, { type Request, type Response, type Router } from 'express';
import { cors } from './cors.ts';
import { sendError } from '../http/error-answer.ts';
import { sendMethodNotAllowed } from '../http/error-answer.ts';
import { handleErrors } from './errors.ts';
import { sendJson } from '../http/json-answer.ts';
import { sendEvents, wantsEvents } from './event-stream.ts';
import { grantBody, readJsonObject } from './json-body.ts';
import { matchesTemplate, type Operation, operationsOf } from './operations.ts';
import type { CreateContext } from './options.ts';
import { fromPath, fromQuery, type InputKinds, inputKinds } from './url-input.ts';

type Verb = 'get' | 'post' | 'put' | 'patch' | 'delete';

const BODY_METHODS: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH']);

interface RestOptions {
  /** The methods of other routes of the host by path, so that a 405 can list them. */
  otherRoutes?: Record<string, readonly string[]>;
  /** Sends the 404 of an unknown path to clients that prefer HTML to JSON. Default: they get JSON too. */
  sendUnknownPage?: (res: Response) => void;
}

/**
 * Serves every procedure whose metadata names a method and a path, and responds to all other requests with 404 or 405.
 * Routes are exact in case and slashes. Callers without permission are rejected before the body is read.
 *
 * Source: api §1, §2; security F5, F6, T23.
 */
export function restRouter(
  router: AnyTRPCRouter,
  createContext: CreateContext,
  log: Log,
  { otherRoutes = {}, sendUnknownPage }: RestOptions = {},
): Router {
  const rest = express.Router({ strict: true, caseSensitive: true });
  rest.use(cors);
  const operations = operationsOf(router);
  for (const operation of operations.toSorted(fixedBeforeVariable)) {
    const verb = operation.openapi.method.toLowerCase() as Verb;
    rest[verb](operation.openapi.path.replace(/\{(\w+)\}/g, ':$1'), handler(router, operation, createContext, log));
  }

  const routes = [
    ...operations.map(({ openapi }) => [openapi.path, [openapi.method]] as const),
    ...Object.entries(otherRoutes),
  ];
  rest.use((req, res) => {
    const allowed = routes.flatMap(([template, methods]) => (matchesTemplate(template, req.path) ? methods : []));
    if (allowed.length > 0) sendMethodNotAllowed(res, req.method, allowed);
    else if (sendUnknownPage && req.accepts(['json', 'html']) === 'html') sendUnknownPage(res);
    else sendError(res, notFound('address'));
  });
  rest.use(handleErrors(log));
  return rest;
}

function handler(router: AnyTRPCRouter, operation: Operation, createContext: CreateContext, log: Log) {
  const { name, type, inputs, status, creates, redirect, events } = operation;
  const kinds = inputKinds(inputs);
  return async (req: Request, res: Response): Promise<void> => {
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
      const getRawInput = () => (input ??= readInput(req, res, ctx, operation, kinds));
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
): Promise<object> {
  const search = req.url.indexOf('?');
  const bodyFields = BODY_METHODS.has(openapi.method)
    ? await readJsonObject(req, grantBody(req, res, ctx, [bodySize]))
    : fromQuery(kinds, new URLSearchParams(search < 0 ? '' : req.url.slice(search)));
  return { ...bodyFields, ...fromPath(kinds, req.params as Record<string, string>) };
}

/** Sorts `/domains/validate` before `/domains/{domain}`. */
function fixedBeforeVariable(a: Operation, b: Operation): number {
  const rankOfPath = ({ openapi }: Operation) => openapi.path.replaceAll('{', '~');
  return rankOfPath(a) < rankOfPath(b) ? -1 : 1;
}
