import type { IncomingMessage, ServerResponse } from 'node:http';
import { ServiceError } from '@berth/core';
import { sendError } from './error-answer.ts';

/** How long bodies may take. */
export interface BodyLimits {
  /** A body that is no upload has to be complete after this. */
  timeoutMs: number;
  /** An upload has to bring at least so much in every window, and be complete in time. */
  upload: { windowMs: number; minBytesPerSecond: number; timeoutMs: number };
  /** How much of a body is still read and discarded after its request was answered, with a pause after each chunk. */
  rest: { maxBytes: number; pauseMs: number; timeoutMs: number };
}

/** Source: security T4, T5. */
export const BODY_LIMITS: BodyLimits = {
  timeoutMs: 10_000,
  upload: { windowMs: 30_000, minBytesPerSecond: 1024, timeoutMs: 3_600_000 },
  rest: { maxBytes: 8 * 1024 ** 2, pauseMs: 20, timeoutMs: 5_000 },
};

const watches = new WeakMap<IncomingMessage, () => void>();

/**
 * Ends a request whose body is not complete in time: 408, or, when an answer has begun, the connection is cut.
 *
 * The server does this for every request that has a body, so that no handler can forget it. Source: security T5.
 */
export function watchBody(
  req: IncomingMessage,
  res: ServerResponse,
  { timeoutMs }: Pick<BodyLimits, 'timeoutMs'> = BODY_LIMITS,
): void {
  const timer = setTimeout(() => giveUp(req, res, 'The body did not arrive in time.'), timeoutMs);
  replaceWatch(req, res, () => clearTimeout(timer));
}

/**
 * Gives a request the patience of an upload, in place of that of other bodies: it may take long, but not stand still. Time
 * in which this server is the slow one does not count.
 *
 * Source: security T5, F10.
 */
export function watchUpload(
  req: IncomingMessage,
  res: ServerResponse,
  { windowMs, minBytesPerSecond, timeoutMs } = BODY_LIMITS.upload,
): void {
  if (req.closed) return;
  const minBytes = (minBytesPerSecond * windowMs) / 1000;
  let received = req.socket.bytesRead;
  let wasAwaited = true;
  const window = setInterval(() => {
    const bytes = req.socket.bytesRead - received;
    received = req.socket.bytesRead;
    const isAwaited = req.readableLength === 0;
    if (bytes < minBytes && isAwaited && wasAwaited)
      giveUp(req, res, `An upload has to bring at least ${minBytesPerSecond} bytes a second.`);
    wasAwaited = isAwaited;
  }, windowMs);
  const deadline = setTimeout(() => giveUp(req, res, 'The upload took too long.'), timeoutMs);
  replaceWatch(req, res, () => {
    clearInterval(window);
    clearTimeout(deadline);
  });
}

/**
 * Lets an answer that comes before the end of the body reach the client: a bounded rest of the body is taken and thrown
 * away, then the connection is cut.
 *
 * Source: security T4, T8; RFC 9112 §9.6.
 */
export function outlastBody(
  req: IncomingMessage,
  res: ServerResponse,
  { maxBytes, pauseMs, timeoutMs } = BODY_LIMITS.rest,
): void {
  res.prependOnceListener('finish', () => {
    if (req.complete) return;
    const { socket } = req;
    // Where the connection is not kept, node:http would destroy the socket now, and the client read a reset instead of
    // its answer.
    socket.destroySoon = () => socket.end();
    const timer = setTimeout(() => socket.destroy(), timeoutMs);
    const stopTimer = () => clearTimeout(timer);
    socket.once('close', stopTimer);

    let bytes = 0;
    req.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > maxBytes) socket.destroy();
      // Discarding as fast as the client sends would keep other connections waiting.
      req.pause();
      setTimeout(() => req.resume(), pauseMs);
    });
    req.once('end', () => {
      stopTimer();
      socket.off('close', stopTimer);
      Reflect.deleteProperty(socket, 'destroySoon');
      if (socket.writableEnded) socket.destroySoon();
    });
    req.resume();
  });
}

/** Whether a request announces a body, be it an empty one. */
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
