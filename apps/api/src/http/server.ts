import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { type Log, ServiceError } from '@berth/core';
import { clientNetwork, isTrusted, type TrustedProxies } from './client-address.ts';
import { sendError, writeErrorAnswer } from './error-answer.ts';
import { BODY_LIMITS, hasBody, outlastBody, watchBody } from './request-body.ts';
import { nameRequest } from './request-id.ts';

/** The limits for clients. Source: security T5, F10. */
const HTTP_LIMITS = {
  /** The maximum time until the head of a request is complete. */
  headersTimeoutMs: 10_000,
  /** How long a connection is kept open for the next request. */
  keepAliveTimeoutMs: 5_000,
  /**
   * The same for a trusted proxy. It must be longer than the timeout of the proxy, commonly 60 s. If the server closes
   * first, the proxy may send a request into a closed connection and answers 502.
   */
  proxyKeepAliveTimeoutMs: 75_000,
  /** How often these two timeouts are checked. */
  checkingIntervalMs: 2_000,
  /** A connection without traffic in either direction is closed after this, such as that of a client that does not read. */
  idleTimeoutMs: 120_000,
  /** Maximum size of the request line and the headers together. */
  maxHeaderBytes: 16 * 1024,
  maxTargetBytes: 8 * 1024,
  maxSockets: 12_000,
  /** For one IPv4 address, or one /64 of IPv6. */
  maxSocketsPerAddress: 2_000,
  body: BODY_LIMITS,
};
export type HttpLimits = typeof HTTP_LIMITS;

/** Answers a request, which already has an id; see {@link nameRequest}. */
export type Handler = (req: IncomingMessage, res: ServerResponse) => void | Promise<void>;

/**
 * Open connections, each with the responses that were not finished when its latest request arrived, followed by the
 * response to that request.
 */
type Answers = Map<Socket, ServerResponse[]>;

/** Why node:http could not parse a request, with the bytes that it received. */
type ParseError = NodeJS.ErrnoException & { rawPacket?: Buffer };

const connections = new WeakMap<Server, Answers>();

export interface HttpServerOptions {
  log: Log;
  /** Default: {@link HTTP_LIMITS}. */
  limits?: Partial<HttpLimits>;
  /** Default: none. */
  trustedProxies?: TrustedProxies;
}

/**
 * Creates the HTTP server, not yet listening.
 *
 * It handles slow, endless and malformed requests: a request that cannot be parsed gets the error body of the contract,
 * every body has a timeout, an answer that is sent before the end of a body reaches its client, and a handler that
 * fails ends only its own request.
 *
 * Source: api §2; security T4, T5, F9, F10.
 */
export function createHttpServer(
  handler: Handler,
  { log, limits: given, trustedProxies = [] }: HttpServerOptions,
): Server {
  const limits = { ...HTTP_LIMITS, ...given };
  const server = createNodeServer(limits);
  limitSockets(server, limits, trustedProxies);
  const { answers, proxies } = trackConnections(server, trustedProxies);

  const answer = (req: IncomingMessage, res: ServerResponse): void => {
    nameRequest(res);
    // Upgrades are not supported, but node:http drops what the client sent after such a request. Closing the connection
    // makes that visible.
    if (asksForUpgrade(req)) res.shouldKeepAlive = false;
    const unfinished = answers.get(req.socket);
    if (unfinished) enter(unfinished, res);
    if (proxies.has(req.socket)) keepOpen(req.socket, res, answers, limits);
    if (hasBody(req)) {
      watchBody(req, res, limits.body);
      outlastBody(req, res, limits.body.rest);
    }
    if (req.url!.length > limits.maxTargetBytes) {
      sendError(res, targetTooLong(limits));
      return;
    }
    const fail = (error: unknown) => sendError(res, error, { log });
    try {
      handler(req, res)?.catch(fail);
    } catch (error) {
      fail(error);
    }
  };
  server.on('request', answer);
  // RFC 9110 §10.1.1 lets a server ignore unknown expectations.
  server.on('checkExpectation', answer);
  server.on('clientError', (error: ParseError, socket: Socket) => {
    refuseUnparsed(error, socket, answers.get(socket), limits);
  });
  return server;
}

function createNodeServer(limits: HttpLimits): Server {
  const server = createServer({
    headersTimeout: limits.headersTimeoutMs,
    requestTimeout: 0,
    keepAliveTimeout: limits.keepAliveTimeoutMs,
    connectionsCheckingInterval: limits.checkingIntervalMs,
    maxHeaderSize: limits.maxHeaderBytes,
    // Requests without a Host are passed on to the code that decides which host they are for.
    requireHostHeader: false,
  });
  // Above a maximum count node:http would silently drop headers; their total size is limited instead.
  server.maxHeadersCount = 0;
  server.timeout = limits.idleTimeoutMs;
  return server;
}

/**
 * Limits how many connections a server keeps open, in total and for each client network. Further connections are closed
 * at once.
 *
 * Connections of trusted proxies count only towards the total, because they carry many clients. Source: security T5.
 */
function limitSockets(server: Server, limits: HttpLimits, proxies: TrustedProxies): void {
  const counts = new Map<string, number>();
  server.maxConnections = limits.maxSockets;
  server.on('connection', (socket) => {
    if (isTrusted(socket.remoteAddress, proxies)) return;
    const network = clientNetwork(socket.remoteAddress);
    const count = counts.get(network) ?? 0;
    if (count >= limits.maxSocketsPerAddress) {
      socket.destroy();
      return;
    }
    counts.set(network, count + 1);
    socket.once('close', () => {
      const rest = counts.get(network)! - 1;
      if (rest === 0) counts.delete(network);
      else counts.set(network, rest);
    });
  });
}

function trackConnections(server: Server, trustedProxies: TrustedProxies) {
  const answers: Answers = new Map();
  const proxies = new WeakSet<Socket>();
  connections.set(server, answers);
  server.on('connection', (socket) => {
    answers.set(socket, []);
    if (isTrusted(socket.remoteAddress, trustedProxies)) proxies.add(socket);
    socket.once('close', () => answers.delete(socket));
  });
  return { answers, proxies };
}

/**
 * Keeps the connection of a proxy open for longer. When the answer is finished, node:http has already set its default
 * timeout.
 */
function keepOpen(
  socket: Socket,
  res: ServerResponse,
  answers: Answers,
  { proxyKeepAliveTimeoutMs }: HttpLimits,
): void {
  if (!res.shouldKeepAlive) return;
  res.setHeader('Keep-Alive', `timeout=${Math.floor(proxyKeepAliveTimeoutMs / 1000)}`);
  res.once('finish', () => {
    if (answers.get(socket)?.at(-1) === res) socket.setTimeout(proxyKeepAliveTimeoutMs);
  });
}

/** Answers a request that could not be parsed, or closes its connection if the client cannot receive an answer. */
function refuseUnparsed(
  error: ParseError,
  socket: Socket,
  answers: ServerResponse[] | undefined,
  limits: HttpLimits,
): void {
  if (socket.writableEnded && !socket.destroyed) return;
  const hasGone = error.code === 'ECONNRESET' || error.code === 'EPIPE' || !socket.writable;
  const saidNothing = socket.bytesRead === 0;
  // An earlier request of the connection is still being answered: an error must not be written into that answer, nor
  // be taken for it.
  const isBusy = answers?.some((res) => !res.closed && (res.headersSent || res.req.complete));
  if (hasGone || saidNothing || isBusy) socket.destroy();
  else writeErrorAnswer(socket, refusalOf(error, limits));
}

/**
 * Closes the connections of a server on which no request is being received or answered.
 *
 * Unlike `server.closeIdleConnections`, it also closes connections whose first request never came or whose head is not
 * complete. Once the server accepts no new connections, node:http no longer times these out.
 */
export function closeIdleConnections(server: Server): void {
  for (const [socket, answers] of connections.get(server) ?? []) {
    const latest = answers.at(-1);
    if (!latest || (latest.closed && latest.req.complete)) socket.destroy();
  }
}

/** Removes finished answers and appends the new one, in place. Most often it replaces the only earlier answer. */
function enter(answers: ServerResponse[], answer: ServerResponse): void {
  let openCount = 0;
  for (const earlier of answers) if (!earlier.closed) answers[openCount++] = earlier;
  answers[openCount] = answer;
  answers.length = openCount + 1;
}

function asksForUpgrade({ headers }: IncomingMessage): boolean {
  return headers.upgrade !== undefined && headers.connection !== undefined && /upgrade/i.test(headers.connection);
}

function refusalOf({ code, rawPacket }: ParseError, limits: HttpLimits): ServiceError {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT')
    return new ServiceError('request_timeout', 'The head of the request did not arrive in time.');
  if (code !== 'HPE_HEADER_OVERFLOW')
    return new ServiceError('validation_failed', 'This is not a well-formed HTTP/1.1 request.');
  const requestLine = rawPacket?.toString('latin1').split('\n', 1)[0] ?? '';
  if (/^[A-Z]+ \S/.test(requestLine) && requestLine.length > limits.maxTargetBytes) return targetTooLong(limits);
  return new ServiceError(
    'headers_too_large',
    `Request line and headers must have at most ${limits.maxHeaderBytes} bytes together.`,
  );
}

function targetTooLong({ maxTargetBytes }: HttpLimits): ServiceError {
  return new ServiceError('uri_too_long', `The request target must have at most ${maxTargetBytes} bytes.`);
}
