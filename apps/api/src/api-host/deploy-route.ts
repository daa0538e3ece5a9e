import type { IncomingMessage, ServerResponse } from 'node:http';
import type { DeployLimits } from '@berth/contract';
import {
  beginDeploy,
  clientOf,
  type ProcedureContext,
  invalid,
  limitsOf,
  type Log,
  maxFileParts,
  mayCall,
  type Operation,
  readIdempotencyKey,
  refuseForeignPage,
  ServiceError,
  takeDeployBudget,
  payloadTooLarge,
} from '@berth/core';
import type { Request, Response } from 'express';
import { watchUpload } from '../http/request-body.ts';
import { reserveMemory } from './body-memory.ts';
import { inClientTurn } from './client-turns.ts';
import { type BodyLimits, MAX_PART_HEAD_BYTES, receiveParts } from './deploy-parts.ts';
import { sendError } from '../http/error-answer.ts';
import { sendJson } from '../http/json-answer.ts';
import { showRateLimit } from '../http/rate-limit-headers.ts';
import { readBoundary } from './multipart-delimiters.ts';
import type { CreateContext } from './options.ts';

/** The maximum size of one checksum in the JSON field, with white space. */
const CHECKSUM_BYTES = 48;
const OTHER_FIELDS_BYTES = 64 * 1024;

/** Derives the limits of the body from the limits of a plan. Source: security T4. */
function bodyLimits(limits: DeployLimits): BodyLimits {
  const parts = maxFileParts(limits);
  const maxFieldBytes = OTHER_FIELDS_BYTES + parts * CHECKSUM_BYTES;
  return {
    maxBodyBytes: limits.maxTotalSize + parts * MAX_PART_HEAD_BYTES + maxFieldBytes,
    maxFieldBytes,
    maxParts: parts,
    maxFilesCount: limits.maxFilesCount,
  };
}

/**
 * Handles `POST /deployments`, a multipart form. Bytes are stored as they arrive; the 201 is sent after everything is
 * durable. Once all bytes have arrived, the deploy succeeds even if the client has left. Source: api §3.
 */
export function createDeployRoute(createContext: CreateContext, log: Log) {
  return async (req: Request, res: Response): Promise<void> => {
    try {
      const ctx = createContext(req, res);
      refuseUnread(req, ctx);
      const { body, replayed } = await deploy(req, res, ctx);
      if (replayed) res.setHeader('Idempotency-Replay', 'true');
      sendJson(res, 201, JSON.stringify(body));
    } catch (thrown) {
      sendError(res, thrown, { log, operation: 'deployments.create' });
    }
  };
}

/**
 * Rejects an upload by its request headers.
 *
 * @throws `forbidden` for a caller without permission or a page of another site; `validation_failed` for a compressed
 *   body. Source: api §3; security T4, T14, T21.
 */
export function refuseUpload(operation: Operation, { headers }: IncomingMessage, ctx: ProcedureContext): void {
  if (!mayCall(operation, ctx.caller.kind === 'anonymous' ? 'anonymous' : ctx.caller.credential))
    throw new ServiceError('forbidden', 'This credential cannot deploy.');
  refuseForeignPage(ctx);
  if ((headers['content-encoding'] ?? 'identity').toLowerCase() !== 'identity')
    throw invalid('Content-Encoding', 'an upload must be sent without compression');
}

function refuseUnread(req: IncomingMessage, ctx: ProcedureContext): void {
  refuseUpload('deployments.create', req, ctx);
  readBoundary(req.headers['content-type'] ?? '');
  const { maxBodyBytes } = bodyLimits(limitsOf(ctx));
  if (Number(req.headers['content-length'] ?? 0) > maxBodyBytes)
    throw payloadTooLarge('body', maxBodyBytes, `The body must have at most ${maxBodyBytes} bytes.`);
}

async function deploy(req: IncomingMessage, res: ServerResponse, ctx: ProcedureContext) {
  const { core, caller } = ctx;
  const key = readIdempotencyKey(ctx.idempotencyKey, caller);
  const budget = await takeDeployBudget(ctx, key);
  if (budget.state) showRateLimit(res, budget.state);
  const upload = await beginDeploy(ctx, key);
  try {
    watchUpload(req, res);
    const reserveBytes = reserveMemory(res, core, caller);
    await receiveParts(req, res, bodyLimits(limitsOf(ctx)), { ...upload, client: clientOf(caller), reserveBytes });
    const outcome = await inClientTurn(core, caller, () => upload.commit());
    if (outcome.replayed) await budget.giveBack();
    return outcome;
  } finally {
    await upload.close();
  }
}
