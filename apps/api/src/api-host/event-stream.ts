import { once } from 'node:events';
import { EVENT_PING_MS, EVENT_RETRY_MS, type Log, type ProcedureContext, toServiceError } from '@berth/core';
import { type AnyTRPCRouter, callTRPCProcedure, isTrackedEnvelope } from '@trpc/server';
import type { Request, Response } from 'express';
import type { z } from 'zod';
import { ignoreDuration } from '../http/count-requests.ts';
import { errorBody, logFault, sendError } from '../http/error-answer.ts';
import { requestIdOf } from '../http/request-id.ts';
import { fromQuery, inputKinds } from './url-input.ts';

const EVENT_STREAM = 'text/event-stream';
const HEADERS = { 'Content-Type': EVENT_STREAM, 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' };

/** The parts of a request for an event stream. */
interface StreamRequest {
  req: Request;
  res: Response;
  ctx: ProcedureContext;
  log: Log;
  /** Aborted when the client closes the connection. */
  signal: AbortSignal;
}

/** True for a GET request of a client that prefers an event stream to JSON. */
export function wantsEvents(req: Request): boolean {
  return req.method === 'GET' && req.accepts(['application/json', EVENT_STREAM]) === EVENT_STREAM;
}

/**
 * Sends the events of a subscription, with its access rules, limits and keep-alives, until the client leaves, the service stops
 * or the credential loses access. The stream begins with the id of its start position. It is written no faster than the client
 * reads, so memory does not grow with the number of events.
 *
 * An error before the first event is a JSON response; a later one is the event `error` with the error body, which ends the
 * stream. Source: api §9.
 *
 * @param name The subscription, whose events contain `id` and data with the field `event`.
 */
export async function sendEvents(router: AnyTRPCRouter, name: string, request: StreamRequest): Promise<void> {
  const { req, res, ctx, signal } = request;
  // No event reports that a client has already left.
  if (res.closed) return;
  let begin = '';
  try {
    const events = (await callTRPCProcedure({
      router,
      path: name,
      type: 'subscription',
      ctx: { ...ctx, beginAfter: (eventId: string) => (begin = eventId) },
      getRawInput: async () => readStart(router, name, req),
      signal,
      batchIndex: 0,
    })) as AsyncIterable<unknown>;
    ignoreDuration(res);
    res.writeHead(200, HEADERS);
    res.write(`retry: ${EVENT_RETRY_MS}\nid: ${begin}\n\n`);
    await writeEvents(res, events, signal);
  } catch (thrown) {
    endWithError(request, thrown, name);
  }
}

/** Reads the input of the subscription: its query parameters, and the header with which clients resume. */
function readStart(router: AnyTRPCRouter, name: string, req: Request): Record<string, unknown> {
  const procedure = (router._def.procedures as Record<string, { _def: { inputs: z.ZodType[] } }>)[name]!;
  const query = new URLSearchParams(req.url.split('?').slice(1).join('?'));
  const lastEventId = req.headers['last-event-id'];
  return { ...fromQuery(inputKinds(procedure._def.inputs), query), ...(lastEventId ? { lastEventId } : {}) };
}

async function writeEvents(res: Response, events: AsyncIterable<unknown>, signal: AbortSignal): Promise<void> {
  const ping = setInterval(() => {
    if (!res.writableNeedDrain) res.write(': ping\n\n');
  }, EVENT_PING_MS);
  try {
    for await (const envelope of events) {
      if (!isTrackedEnvelope(envelope)) continue;
      const [id, data] = envelope as unknown as [string, { event: string }];
      ping.refresh();
      if (!res.write(`id: ${id}\nevent: ${data.event}\ndata: ${JSON.stringify(data)}\n\n`))
        await once(res, 'drain', { signal });
    }
  } finally {
    clearInterval(ping);
  }
  res.end();
}

function endWithError({ res, log, signal }: StreamRequest, thrown: unknown, operation: string): void {
  if (!res.headersSent) return sendError(res, thrown, { log, operation });
  // The service stops or the client left. A client that reconnects resumes.
  if (signal.aborted || (thrown instanceof Error && thrown.name === 'AbortError')) return void res.end();
  const error = toServiceError(thrown);
  const requestId = requestIdOf(res);
  logFault(log, error, { requestId, operation });
  res.end(`event: error\ndata: ${JSON.stringify(errorBody(error, requestId))}\n\n`);
}
