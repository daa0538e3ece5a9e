import type { ServerResponse } from 'node:http';
import { CONTENTS_TYPE, type ReceivedContents } from '@berth/contract';
import {
  type ContentsBody,
  type ProcedureContext,
  invalid,
  inFairTurn,
  type Log,
  receiveContents,
  ServiceError,
  payloadTooLarge,
} from '@berth/core';
import type { Request, Response } from 'express';
import { sendError } from '../http/error-answer.ts';
import { sendJson } from '../http/json-answer.ts';
import { watchUpload } from '../http/request-body.ts';
import { inClientTurn } from './client-turns.ts';
import { readContents } from './contents-body.ts';
import { refuseUpload } from './deploy-route.ts';

/** The dependencies of the route. */
export interface ContentsRoute {
  createContext(req: Request, res: ServerResponse): ProcedureContext;
  log: Log;
}

const OPERATION = 'deployments.contents';

/**
 * `PUT /uploads/{upload}/contents`: many contents in one streamed body. They are stored as they arrive. Contents that
 * arrived completely are kept even if the rest fails or the client leaves.
 *
 * Source: api §9; security T4 to T6.
 */
export function createContentsRoute({ createContext, log }: ContentsRoute) {
  return async (req: Request, res: Response): Promise<void> => {
    try {
      const ctx = createContext(req, res);
      refuseUnread(req, ctx);
      sendJson(res, 200, JSON.stringify(await receive(req, res, ctx)));
    } catch (thrown) {
      sendError(res, thrown, { log, operation: OPERATION });
    }
  };
}

function refuseUnread(req: Request, ctx: ProcedureContext): void {
  refuseUpload(OPERATION, req, ctx);
  const [type = ''] = (req.headers['content-type'] ?? '').split(';');
  if (type.trim().toLowerCase() !== CONTENTS_TYPE)
    throw invalid('Content-Type', `contents must be sent as ${CONTENTS_TYPE}`);
}

async function receive(req: Request, res: Response, ctx: ProcedureContext): Promise<ReceivedContents> {
  const turn: Turn = (step) => inClientTurn(ctx.core, ctx.caller, step);
  const body = await turn(() => receiveContents(ctx, String(req.params['upload'])));
  try {
    return await readBody(req, res, body, turn);
  } finally {
    await body.close();
  }
}

type Turn = <T>(step: () => Promise<T>) => Promise<T>;

/** Reports an error in the body only after the complete contents before it are stored. */
async function readBody(req: Request, res: Response, body: ContentsBody, turn: Turn): Promise<ReceivedContents> {
  const { maxBytes } = body;
  if (Number(req.headers['content-length'] ?? 0) > maxBytes)
    throw payloadTooLarge('body', maxBytes, `What is missing fits in ${maxBytes} bytes; the body has more.`);
  watchUpload(req, res);
  const fault = await readContents(chunksOf(req), body).then(
    () => null,
    (thrown: unknown) => ({ thrown }),
  );
  const received = await turn(() => body.keep());
  if (fault) throw fault.thrown;
  return received;
}

/** Does not destroy the request at the end: that would close the connection before the client reads the answer. */
async function* chunksOf(req: Request): AsyncGenerator<Buffer> {
  try {
    for await (const chunk of req.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      await inFairTurn(() => {});
      yield chunk;
    }
  } catch (cause) {
    // The iterator skips bytes that are still buffered when the connection breaks.
    for (let chunk: Buffer | null; (chunk = req.read() as Buffer | null) !== null;) yield chunk;
    throw new ServiceError('request_timeout', 'The upload was broken off.', { cause });
  }
}
