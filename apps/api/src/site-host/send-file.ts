import { hash } from 'node:crypto';
import { once } from 'node:events';
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { entityTag, judgeConditions, type PackStore, type Site, type SiteFile } from '@berth/core';
import { bodyHeaders, type FileIntent, fileHeaders, uncachedHeaders } from './file-headers.ts';

/** Files up to this size are read whole and checked; larger ones stream. */
const SMALL_FILE_BYTES = 64 * 1024;

const WRONG_BYTES = 'EBADMSG';

/**
 * Answers with a file: whole, or 304 or 412 as the conditions of the request want it.
 *
 * When the client leaves, nothing stays open. When the store fails after the headers were sent, the connection is cut: half
 * a file is never taken for a whole one.
 *
 * @throws whatever the store did. Nothing was sent then, or the connection is cut.
 * Source: serving S40, S41, S45; security F11, T36.
 */
export async function sendFile(
  req: IncomingMessage,
  res: ServerResponse,
  packs: PackStore,
  site: Site,
  intent: FileIntent,
): Promise<void> {
  const { 'if-match': ifMatch, 'if-none-match': ifNoneMatch } = req.headers;
  const judged = intent.status === 404 ? 404 : judgeConditions({ ifMatch, ifNoneMatch }, entityTag(intent.file));
  if (judged === 412) res.writeHead(412, { ...uncachedHeaders(site), 'Content-Length': 0 }).end();
  else if (judged === 304) res.writeHead(304, fileHeaders(site, intent)).end();
  else await sendBody(req, res, packs, intent, { ...bodyHeaders(intent), ...fileHeaders(site, intent) });
}

/** Whether an error says that a content is not where its site was told: it has moved since, or is lost. Source: security C3. */
export function isMisplaced(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'ENOENT' || code === WRONG_BYTES;
}

async function sendBody(
  { method }: IncomingMessage,
  res: ServerResponse,
  packs: PackStore,
  { status, file }: FileIntent,
  headers: OutgoingHttpHeaders,
): Promise<void> {
  if (method === 'HEAD') res.writeHead(status, headers).end();
  else if (file.length <= SMALL_FILE_BYTES) {
    const bytes = await readChecked(packs, file);
    res.writeHead(status, headers).end(bytes);
  } else await stream(res, packs, file, () => res.writeHead(status, headers));
}

/** Reads a small file. @throws rather than to hand on other bytes than the site consists of. */
async function readChecked(packs: PackStore, file: SiteFile): Promise<Buffer> {
  const bytes = await packs.read(file);
  if (hash('sha256', bytes) === file.sha256) return bytes;
  throw Object.assign(new Error(`Pack ${file.pack} holds other bytes at ${file.offset} than the site consists of`), {
    code: WRONG_BYTES,
  });
}

/** Streams a file; the headers go out when its first bytes are there. */
async function stream(res: ServerResponse, packs: PackStore, file: SiteFile, sendHead: () => void): Promise<void> {
  const content = packs.stream(file);
  let clientLeft = res.destroyed;
  res.once('close', () => (clientLeft ||= content.errored === null));
  await once(content, 'readable');
  if (clientLeft) {
    content.destroy();
    return;
  }
  sendHead();
  await pipeline(content, res).catch((error: unknown) => {
    if (!clientLeft) throw error;
  });
}
