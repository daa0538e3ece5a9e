import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { type Log, ServiceError } from '@berth/core';
import type { TrustedProxies } from './client-address.ts';
import { sendError, writeErrorAnswer } from './error-answer.ts';
import { BODY_LIMITS, type BodyLimits, hasBody, outlastBody, watchBody } from './request-body.ts';
import { requestId } from './request-id.ts';
import { limitSockets } from './socket-ceiling.ts';

/** What clients may take of the server before they are turned away. */
export interface HttpLimits {
  /** The head of a request has to be complete after this. */
  headersTimeoutMs: number;
  /** How long a connection is kept for the next request. */
  keepAliveTimeoutMs: number;
  /** How often the two are looked at. */
  checkingIntervalMs: number;
  /** A connection on which nothing moves in either direction is closed after this: a client that reads nothing. */
  idleTimeoutMs: number;
  /** Request line and headers together. */
  maxHeaderBytes: number;
  maxTargetBytes: number;
  maxSockets: number;
  /** For one IPv4 address, or one /64 of IPv6. */
  maxSocketsPerAddress: number;
  body: BodyLimits;
}

/** Source: security T5, F10. */
export const HTTP_LIMITS: HttpLimits = {
  headersTimeoutMs: 10_000,
  keepAliveTimeoutMs: 5_000,
  checkingIntervalMs: 2_000,
  idleTimeoutMs: 120_000,
  maxHeaderBytes: 16 * 1024,
  maxTargetBytes: 8 * 1024,
  maxSockets: 12_000,
  maxSocketsPerAddress: 2_000,
  body: BODY_LIMITS,
};

/** Answers a request. The response already carries `X-Request-Id`. */
export type Handler = (req: IncomingMessage, res: ServerResponse) => void | Promise<void>;

/** The connections of each server, with the answer to their latest request; `null` when none came yet. */
const connections = new WeakMap<Server, Map<Socket, ServerResponse | null>>();

export interface HttpServerOptions {
  log: Log;
  /** Default: {@link HTTP_LIMITS}. */
  limits?: Partial<HttpLimits>;
  /** Default: none. */
  trustedProxies?: TrustedProxies;
}

/**
 * Makes the one HTTP server, not yet listening.
 *
 * Slow, endless and malformed requests end here: what cannot be parsed is answered with the error body of the contract,
 * every body is watched, an answer before the end of a body reaches its client, and a handler that fails ends its request
 * alone.
 *
 * Source: contract §2; security T4, T5, F9, F10.
 */
export function createHttpServer(
  handler: Handler,
  { log, limits: given, trustedProxies = [] }: HttpServerOptions,
): Server {
  const limits = { ...HTTP_LIMITS, ...given };
  const answering = new WeakMap<Socket, Set<ServerResponse>>();
  const server = createServer({
    headersTimeout: limits.headersTimeoutMs,
    requestTimeout: 0,
    keepAliveTimeout: limits.keepAliveTimeoutMs,
    connectionsCheckingInterval: limits.checkingIntervalMs,
    maxHeaderSize: limits.maxHeaderBytes,
    // A request without a Host is answered where hosts are told apart.
    requireHostHeader: false,
  });
  // Beyond a count node:http would drop headers without a word; their size is bounded instead.
  server.maxHeadersCount = 0;
  server.timeout = limits.idleTimeoutMs;
  limitSockets(server, limits, trustedProxies);
  const latest = new Map<Socket, ServerResponse | null>();
  connections.set(server, latest);
  server.on('connection', (socket) => {
    latest.set(socket, null);
    socket.once('close', () => latest.delete(socket));
  });

  const answer = async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
    res.setHeader('X-Request-Id', requestId());
    latest.set(req.socket, res);
    const answers = answering.get(req.socket) ?? new Set();
    answering.set(req.socket, answers.add(res));
    res.once('close', () => answers.delete(res));
    if (hasBody(req)) {
      watchBody(req, res, limits.body);
      outlastBody(req, res, limits.body.rest);
    }
    if (req.url!.length > limits.maxTargetBytes) {
      sendError(res, targetTooLong(limits));
      return;
    }
    try {
      await handler(req, res);
    } catch (error) {
      sendError(res, error, { log });
    }
  };
  server.on('request', answer);
  // RFC 9110 §10.1.1 lets a server ignore what it does not know.
  server.on('checkExpectation', answer);
  server.on('clientError', (error: NodeJS.ErrnoException & { rawPacket?: Buffer }, socket: Socket) => {
    if (socket.writableEnded && !socket.destroyed) return;
    const hasGone = error.code === 'ECONNRESET' || error.code === 'EPIPE' || !socket.writable;
    const saidNothing = socket.bytesRead === 0;
    // An earlier request of the connection is still being answered: nothing may be written into that, or pass for it.
    const isBusy = [...(answering.get(socket) ?? [])].some((res) => res.headersSent || res.req.complete);
    if (hasGone || saidNothing || isBusy) socket.destroy();
    else writeErrorAnswer(socket, refusalOf(error, limits));
  });
  return server;
}

/**
 * Closes the connections of a server on which no request is being received or answered.
 *
 * Goes beyond `server.closeIdleConnections`, which leaves those alone whose first request never came or whose head is not
 * complete; and once it takes no new connections, node:http no longer times these out.
 */
export function closeIdleConnections(server: Server): void {
  for (const [socket, answer] of connections.get(server) ?? [])
    if (answer === null || (answer.closed && answer.req.complete)) socket.destroy();
}

/** Why a request could not be parsed. */
function refusalOf(
  { code, rawPacket }: NodeJS.ErrnoException & { rawPacket?: Buffer },
  limits: HttpLimits,
): ServiceError {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT')
    return new ServiceError('request_timeout', 'The head of the request did not arrive in time.');
  if (code !== 'HPE_HEADER_OVERFLOW')
    return new ServiceError('validation_failed', 'This is not a well-formed HTTP/1.1 request.');
  const requestLine = rawPacket?.toString('latin1').split('\n', 1)[0] ?? '';
  if (/^[A-Z]+ \S/.test(requestLine) && requestLine.length > limits.maxTargetBytes) return targetTooLong(limits);
  return new ServiceError(
    'headers_too_large',
    `Request line and headers may have at most ${limits.maxHeaderBytes} bytes together.`,
  );
}

function targetTooLong({ maxTargetBytes }: HttpLimits): ServiceError {
  return new ServiceError('uri_too_long', `The request target may have at most ${maxTargetBytes} bytes.`);
}
