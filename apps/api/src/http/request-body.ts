import type { IncomingMessage, ServerResponse } from 'node:http';
import { ServiceError } from '@berth/core';
import { boundMemory } from '../memory.ts';
import { sendError } from './error-answer.ts';

/** Timeouts and limits for request bodies. Source: security T4, T5. */
export const BODY_LIMITS = {
  /** The timeout of a body that is not an upload. */
  timeoutMs: 10_000,
  /** The timeout of an upload, and its minimum rate, which is checked in every window. */
  upload: { windowMs: 30_000, minBytesPerSecond: 1024, timeoutMs: 3_600_000 },
  /** How much of a body is read and discarded after the response was sent, with a pause after every 64 KiB. */
  rest: { maxBytes: 8 * 1024 ** 2, pauseMs: 20, timeoutMs: 5_000 },
};
export type BodyLimits = typeof BODY_LIMITS;

const BYTES_BETWEEN_PAUSES = 64 * 1024;
/** If more bodies than this are discarded at the same time, the pauses of each body grow with their number. */
const MAX_DISCARDS_AT_FULL_RATE = 4;
let discarding = 0;

const watches = new WeakMap<IncomingMessage, () => void>();

/**
 * Responds with 408 if the body does not arrive in time. If a response has already begun, closes the connection. The
 * server calls this for every request with a body. Source: security T5.
 */
export function watchBody(
  req: IncomingMessage,
  res: ServerResponse,
  { timeoutMs }: Pick<BodyLimits, 'timeoutMs'> = BODY_LIMITS,
): void {
  boundMemory(req);
  const timer = setTimeout(() => giveUp(req, res, 'The body did not arrive in time.'), timeoutMs);
  replaceWatch(req, res, () => clearTimeout(timer));
}

/**
 * Replaces the default timeout of a request by the timeouts of an upload: an upload may take long, but must keep a
 * minimum rate. Windows in which this server reads too slowly do not count. Source: security T5, F10.
 */
export function watchUpload(
  req: IncomingMessage,
  res: ServerResponse,
  { windowMs, minBytesPerSecond, timeoutMs } = BODY_LIMITS.upload,
): void {
  if (req.closed) return;
  const minBytes = (minBytesPerSecond * windowMs) / 1000;
  let receivedBytes = req.socket.bytesRead;
  let wasAwaited = true;
  const window = setInterval(() => {
    const bytes = req.socket.bytesRead - receivedBytes;
    receivedBytes = req.socket.bytesRead;
    const isAwaited = req.readableLength === 0;
    if (bytes < minBytes && isAwaited && wasAwaited)
      giveUp(req, res, `An upload must send at least ${minBytesPerSecond} bytes a second.`);
    wasAwaited = isAwaited;
  }, windowMs);
  const deadline = setTimeout(() => giveUp(req, res, 'The upload took too long.'), timeoutMs);
  replaceWatch(req, res, () => {
    clearInterval(window);
    clearTimeout(deadline);
  });
}

/**
 * Reads and discards a bounded part of the body after a response that is sent early, then closes the connection. The
 * client can thus receive the response. Source: security T4, T8; RFC 9112 §9.6.
 */
export function outlastBody(
  req: IncomingMessage,
  res: ServerResponse,
  { maxBytes, pauseMs, timeoutMs } = BODY_LIMITS.rest,
): void {
  res.prependOnceListener('finish', () => {
    if (req.complete) return;
    const { socket } = req;
    // Without keep-alive, node:http would destroy the socket now. The client would get a reset instead of the response.
    socket.destroySoon = () => socket.end();
    const timer = setTimeout(() => socket.destroy(), timeoutMs);
    discarding += 1;
    const stopReading = () => {
      clearTimeout(timer);
      discarding -= 1;
    };
    socket.once('close', stopReading);

    let bytes = 0;
    let bytesBeforePause = 0;
    req.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > maxBytes) socket.destroy();
      // Without pauses, discarding a fast upload would delay the requests of other clients.
      if (bytes < bytesBeforePause + BYTES_BETWEEN_PAUSES) return;
      bytesBeforePause = bytes;
      req.pause();
      setTimeout(() => req.resume(), pauseMs * Math.max(1, discarding / MAX_DISCARDS_AT_FULL_RATE));
    });
    req.once('end', () => {
      stopReading();
      socket.off('close', stopReading);
      Reflect.deleteProperty(socket, 'destroySoon');
      if (socket.writableEnded) socket.destroySoon();
    });
    req.resume();
  });
}

export function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

function replaceWatch(req: IncomingMessage, res: ServerResponse, stop: () => void): void {
  watches.get(req)?.();
  watches.set(req, stop);
  req.once('end', stop);
  res.once('close', stop);
}

function giveUp(req: IncomingMessage, res: ServerResponse, message: string): void {
  watches.get(req)?.();
  if (req.complete) return;
  if (res.headersSent) req.socket.destroy();
  else sendError(res, new ServiceError('request_timeout', message), { close: true });
}
