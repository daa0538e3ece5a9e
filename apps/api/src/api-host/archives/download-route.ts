import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import {
  clientOf,
  type Core,
  type Download,
  inFairTurn,
  type Log,
  openDownload,
  requireAccount,
  requireActor,
  streamContent,
} from '@berth/core';
import type { StoredBytes } from '@berth/serving';
import type { Request, Response } from 'express';
import { sendError } from '../../http/error-answer.ts';
import type { CreateContext } from '../options.ts';
import type { OpenFile } from './open-file.ts';
import { tarBytes, writeTar } from './write-tar.ts';
import { openZip } from './write-zip.ts';

const OPERATION = 'deployments.archive';

/**
 * Handles `GET /deployments/{deployment}/archive`: the published files as a tar, or as a zip if the client
 * prefers it or is a browser that follows a link. The
 * archive is streamed: memory does not depend on its size. Source: api §11.
 */
export function createDownloadRoute(createContext: CreateContext, log: Log) {
  return async (req: Request, res: Response): Promise<void> => {
    try {
      const ctx = createContext(req, res);
      requireActor(OPERATION, ctx);
      const scope = { core: ctx.core, caller: requireAccount(ctx.caller) };
      const download = await inFairTurn(clientOf(scope.caller), () =>
        openDownload(scope, String(req.params['deployment'])),
      );
      await send(req, res, download, (content) => checked(ctx.core, content));
    } catch (thrown) {
      if (!res.headersSent) sendError(res, thrown, { log, operation: OPERATION });
      else if (res.destroyed || res.writableEnded) return;
      else {
        log.error({ err: thrown, operation: OPERATION }, 'A download was interrupted');
        res.destroy();
      }
    }
  };
}

async function send(req: Request, res: Response, download: Download, open: OpenFile): Promise<void> {
  // A person who follows a link can open a zip on every system. A browser does not ask for it.
  const isLink = req.headers['sec-fetch-mode'] === 'navigate';
  const isZip = isLink || req.accepts(['application/x-tar', 'application/zip']) === 'application/zip';
  const { bytes, size } = isZip ? await openZip(download, open) : openTar(download, open);
  res.writeHead(200, {
    'Content-Type': isZip ? 'application/zip' : 'application/x-tar',
    'Content-Length': size,
    'Content-Disposition': `attachment; filename="${download.deployment}.${isZip ? 'zip' : 'tar'}"`,
    'Cache-Control': 'private, no-store',
    Vary: 'Accept',
    'X-Content-Type-Options': 'nosniff',
  });
  if (req.method === 'HEAD') {
    bytes.destroy();
    res.end();
    return;
  }
  let clientLeft = false;
  res.once('close', () => (clientLeft = bytes.errored === null && !res.writableFinished));
  await pipeline(bytes, res).catch((error: unknown) => {
    if (!clientLeft) throw error;
  });
}

function openTar(download: Download, open: OpenFile): { bytes: Readable; size: number } {
  return { bytes: Readable.from(writeTar(download, open), { objectMode: false }), size: tarBytes(download) };
}

/** Streams a content, and compares it with its hash. Source: security T36. */
function checked(core: Core, content: StoredBytes): Readable {
  const stream = streamContent(core, content);
  const hash = createHash('sha256');
  return Readable.from(
    (async function* () {
      for await (const chunk of stream as AsyncIterable<Buffer>) {
        hash.update(chunk);
        yield chunk;
      }
      if (hash.digest('hex') !== content.sha256)
        throw new Error(`Pack ${content.pack} does not contain the expected bytes at ${content.offset}`);
    })(),
    { objectMode: false },
  );
}
