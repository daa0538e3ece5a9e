import type { IncomingMessage, ServerResponse } from 'node:http';
import type { DeployLimits } from '@berth/contract';
import {
  beginArchiveDeploy,
  beginDeploy,
  clientOf,
  countDeploy,
  type Deploy,
  type IdempotencyKey,
  type ProcedureContext,
  invalid,
  limitsOf,
  type Log,
  maxFileParts,
  type Operation,
  readIdempotencyKey,
  refuseForeignPage,
  requireActor,
  takeDeployBudget,
  payloadTooLarge,
} from '@berth/core';
import type { Request, Response } from 'express';
import { watchUpload } from '../http/request-body.ts';
import { readArchiveOptions } from './archives/archive-options.ts';
import { ARCHIVE_TYPES, mediaTypeOf, readArchiveType } from './archives/archive-type.ts';
import { maxArchiveBytes, receiveArchive } from './archives/receive-archive.ts';
import { reserveMemory } from './body-memory.ts';
import { inBeginTurn, inClientTurn } from './client-turns.ts';
import { type BodyLimits, MAX_PART_HEAD_BYTES, receiveParts } from './deploy-parts.ts';
import { sendError } from '../http/error-answer.ts';
import { sendJson } from '../http/json-answer.ts';
import { showRateLimit } from '../http/rate-limit-headers.ts';
import { readBoundary } from './multipart-splitter.ts';
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

export interface DeployRouteOptions {
  createContext: CreateContext;
  log: Log;
  /** The folder for temporary files. */
  spoolFolder: string;
}

/**
 * Handles `POST /deployments`: a multipart form or an archive. Bytes are stored as they arrive; the 201 is sent after
 * everything is durable. Once all bytes have arrived, the deploy succeeds even if the client has left. Source: api §3.
 */
export function createDeployRoute({ createContext, log, spoolFolder }: DeployRouteOptions) {
  return async (req: Request, res: Response): Promise<void> => {
    try {
      const { body, replayed } = await countDeploy(async () => {
        const ctx = createContext(req, res);
        refuseCaller('deployments.create', ctx);
        return deploy(res, ctx, receiverOf(req, res, ctx, spoolFolder));
      });
      if (replayed) res.setHeader('Idempotency-Replay', 'true');
      sendJson(res, 201, JSON.stringify(body));
    } catch (thrown) {
      sendError(res, thrown, { log, operation: 'deployments.create' });
    }
  };
}

/** Rejects a caller without permission, and a page of another site. @throws `forbidden`. Source: api §3; security T14, T21. */
function refuseCaller(operation: Operation, ctx: ProcedureContext): void {
  requireActor(operation, ctx);
  refuseForeignPage(ctx);
}

/**
 * Rejects an upload by its request headers.
 *
 * @throws `forbidden` for a caller without permission or a page of another site; `validation_failed` for a compressed
 *   body. Source: api §3; security T4, T14, T21.
 */
export function refuseUpload(operation: Operation, { headers }: IncomingMessage, ctx: ProcedureContext): void {
  refuseCaller(operation, ctx);
  if ((headers['content-encoding'] ?? 'identity').toLowerCase() !== 'identity')
    throw invalid('Content-Encoding', 'an upload must be sent without compression');
}

/** Begins a deploy. `read` then reads the body and passes its files on. */
type Receive = (key: IdempotencyKey | null) => Promise<{ upload: Deploy; read: () => Promise<void> }>;

/** Chooses how to receive the body by the headers of the request. @throws `validation_failed`; `payload_too_large`. */
function receiverOf(req: IncomingMessage, res: ServerResponse, ctx: ProcedureContext, spoolFolder: string): Receive {
  const type = readArchiveType(req.headers);
  const limits = limitsOf(ctx);
  if (type) {
    refuseLongBody(req, maxArchiveBytes(limits));
    const options = readArchiveOptions(new URLSearchParams(req.url!.split('?', 2)[1]), req.headers);
    return async (key) => {
      const upload = await beginArchiveDeploy(ctx, key, options.strip);
      const read = async () => {
        for (const [name, text] of options.fields) upload.form.add(name, text);
        watchUpload(req, res);
        await receiveArchive(req, res, ctx, type, upload.files, spoolFolder);
      };
      return { upload, read };
    };
  }
  refuseUpload('deployments.create', req, ctx);
  requireMultipart(req);
  const { maxBodyBytes } = bodyLimits(limits);
  refuseLongBody(req, maxBodyBytes);
  return async (key) => {
    const upload = await beginDeploy(ctx, key);
    const read = () => {
      watchUpload(req, res);
      const reserveBytes = reserveMemory(res, ctx.core, ctx.caller);
      return receiveParts(req, res, bodyLimits(limits), { ...upload, client: clientOf(ctx.caller), reserveBytes });
    };
    return { upload, read };
  };
}

function requireMultipart({ headers }: IncomingMessage): void {
  const mediaType = mediaTypeOf(headers);
  if (mediaType !== 'multipart/form-data')
    throw invalid(
      'Content-Type',
      `a deploy must be sent as multipart/form-data, or as an archive: ${Object.keys(ARCHIVE_TYPES).join(', ')}`,
    );
  readBoundary(headers['content-type'] ?? '');
}

function refuseLongBody({ headers }: IncomingMessage, maxBytes: number): void {
  if (Number(headers['content-length'] ?? 0) > maxBytes)
    throw payloadTooLarge('body', maxBytes, `The body must have at most ${maxBytes} bytes.`);
}

async function deploy(res: ServerResponse, ctx: ProcedureContext, receive: Receive) {
  const { core, caller } = ctx;
  const key = readIdempotencyKey(ctx.idempotencyKey, caller);
  const arrival = Promise.withResolvers<void>();
  const begin = async () => {
    const budget = await takeDeployBudget(ctx, key);
    if (budget.state) showRateLimit(res, budget.state);
    return { budget, ...(await receive(key)) };
  };
  const { budget, upload, read } = await inBeginTurn(core, caller, begin, arrival.promise);
  try {
    await core.tracer.step('receive body', read).finally(arrival.resolve);
    const outcome = await inClientTurn(core, caller, () => upload.commit());
    if (outcome.replayed) await budget.giveBack();
    return outcome;
  } finally {
    await upload.close();
  }
}
