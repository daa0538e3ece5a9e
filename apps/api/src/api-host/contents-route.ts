import { CONTENTS_TYPE, type ReceivedContents } from '@berth/contract';
import { clientOf, type ContentsBody, type ProcedureContext, invalid, type Log, receiveContents } from '@berth/core';
import type { Request, Response } from 'express';
import { sendError } from '../http/error-answer.ts';
import { sendJson } from '../http/json-answer.ts';
import { watchUpload } from '../http/request-body.ts';
import { chunksOf } from './body-chunks.ts';
import { inClientTurn } from './client-turns.ts';
import { contentsTooLarge, readContents } from './contents-body.ts';
import { refuseUpload } from './deploy-route.ts';
import type { CreateContext } from './options.ts';

const OPERATION = 'deployments.contents';

/**
 * Handles `PUT /uploads/{upload}/contents`: many contents in one streamed body. Contents that arrived completely are
 * kept even if an error follows or the client leaves. Source: api §9; security T4 to T6.
 */
export function createContentsRoute(createContext: CreateContext, log: Log) {
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
    return await ctx.core.tracer.step('receive body', () => readBody(req, res, body, clientOf(ctx.caller), turn));
  } finally {
    await body.close();
  }
}

type Turn = <T>(step: () => Promise<T>) => Promise<T>;

/** Stores all complete contents before it reports an error in the body. */
async function readBody(
  req: Request,
  res: Response,
  body: ContentsBody,
  client: string,
  turn: Turn,
): Promise<ReceivedContents> {
  const { maxBytes } = body;
  if (Number(req.headers['content-length'] ?? 0) > maxBytes) throw contentsTooLarge(maxBytes);
  watchUpload(req, res);
  const fault = await readContents(chunksOf(req, client), body).then(
    () => null,
    (thrown: unknown) => ({ thrown }),
  );
  const received = await turn(() => body.keep());
  if (fault) throw fault.thrown;
  return received;
}
