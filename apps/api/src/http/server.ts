import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { type Log, ServiceError } from '@berth/core';
import { clientNetwork, isTrusted, type TrustedProxies } from './client-address.ts';
import { countRequest, countUnparsed, openSockets, refusedSockets } from './count-requests.ts';
import { sendError, writeErrorAnswer } from './error-answer.ts';
import { AnswerWriter } from './plain-answer.ts';
import { PlainConnections, type PlainHandler } from './plain-connections.ts';
import { BODY_LIMITS, hasBody, outlastBody, watchBody } from './request-body.ts';
import { nameRequest } from './request-id.ts';

/** The limits for clients. Source: security T5, F10. */
const HTTP_LIMITS = {
  /** The maximum time until the head of a request is complete. */
  headersTimeoutMs: 10_000,
  /** How long a connection is kept open for the next request. */
  keepAliveTimeoutMs: 5_000,
  /**
   * How long the connection of a trusted proxy is kept open for the next request. It must be longer than the timeout of
   * the proxy, commonly 60 s. Otherwise the proxy may use a connection that is being closed, and respond with 502.
   */
  proxyKeepAliveTimeoutMs: 75_000,
  /** How often the timeouts of connections are checked. */
  checkingIntervalMs: 2_000,
  /** A connection without traffic in either direction is closed after this time. */
  idleTimeoutMs: 120_000,
  /** Maximum size of the request line and the headers together. */
  maxHeaderBytes: 16 * 1024,
  maxTargetBytes: 8 * 1024,
  maxSockets: 12_000,
  /** Maximum number of connections of one IPv4 address, or of one /64 of IPv6. */
  maxSocketsPerAddress: 2_000,
  body: BODY_LIMITS,
};
export type HttpLimits = typeof HTTP_LIMITS;

/** Responds to a request to which {@link nameRequest} has assigned an id. */
export type Handler = (req: IncomingMessage, res: ServerResponse) => void | Promise<void>;

/** For each connection, the responses that were unfinished when the latest request came, and the response to it. */
type OpenResponses = Map<Socket, ServerResponse[]>;

/** The connections of a server. */
interface Connections {
  openResponses: OpenResponses;
  /** The connections that are not yet with node:http; `null` if all are. */
  plain: PlainConnections | null;
}

/** The error of node:http for a request that cannot be parsed, with the received bytes. */
type ParseError = NodeJS.ErrnoException & { rawPacket?: Buffer };

const connections = new WeakMap<Server, Connections>();

export interface HttpServerOptions {
  log: Log;
  /** The limits that differ from {@link HTTP_LIMITS}. Default: none. */
  limits?: Partial<HttpLimits>;
  /** The proxies whose forwarding headers are trusted. Default: none. */
  trustedProxies?: TrustedProxies;
  /** Whether requests and connections are counted in the metrics. Default: false. */
  counted?: boolean;
  /** Returns what answers plain requests without node:http; `null` until the server is ready. Default: node:http reads all requests. */
  plainHandler?: () => PlainHandler | null;
}

/**
 * Creates an HTTP server that does not listen yet. A request that cannot be parsed gets an error body. Every request
 * body has a timeout. A response that is sent before the end of the request body reaches the client. An error in the
 * handler affects only one request. Source: api §2; security T4, T5, F9, F10.
 */
export function createHttpServer(
  handler: Handler,
  { log, limits: changedLimits, trustedProxies = [], counted = false, plainHandler }: HttpServerOptions,
): Server {
  const limits = { ...HTTP_LIMITS, ...changedLimits };
  const server = createNodeServer(limits);
  limitSockets(server, limits, trustedProxies, counted);
  const { openResponses, proxies } = trackConnections(server, trustedProxies);
  const plain = plainHandler ? servePlainRequests(server, plainHandler, limits, proxies) : null;
  connections.set(server, { openResponses, plain });

  const handleRequest = (req: IncomingMessage, res: ServerResponse): void => {
    nameRequest(res);
    if (counted) countRequest(res);
    // Upgrades are not supported. Because node:http drops the bytes after an upgrade request, the connection is closed.
    if (isUpgrade(req)) res.shouldKeepAlive = false;
    const responses = openResponses.get(req.socket);
    if (responses) replaceFinished(responses, res);
    if (proxies.has(req.socket)) keepOpen(req.socket, res, openResponses, limits);
    if (hasBody(req)) {
      watchBody(req, res, limits.body);
      outlastBody(req, res, limits.body.rest);
    }
    if (req.url!.length > limits.maxTargetBytes) {
      sendError(res, targetTooLong(limits));
      return;
    }
    const answerError = (error: unknown) => sendError(res, error, { log });
    try {
      handler(req, res)?.catch(answerError);
    } catch (error) {
      answerError(error);
    }
  };
  server.on('request', handleRequest);
  // RFC 9110 §10.1.1 lets a server ignore unknown expectations.
  server.on('checkExpectation', handleRequest);
  server.on('clientError', (error: ParseError, socket: Socket) => {
    const status = refuseUnparsed(error, socket, openResponses.get(socket), limits);
    if (counted && status !== null) countUnparsed(status);
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
    // The handler reports a missing Host header.
    requireHostHeader: false,
  });
  // With a maximum count, node:http would silently drop headers. Their total size is limited instead.
  server.maxHeadersCount = 0;
  server.timeout = limits.idleTimeoutMs;
  return server;
}

/**
 * Limits how many connections are open in total and for each client network, and closes further ones at once.
 * Connections of trusted proxies count only towards the total, because they carry the requests of many clients. Source:
 * security T5.
 */
function limitSockets(server: Server, limits: HttpLimits, proxies: TrustedProxies, isCounted: boolean): void {
  const connectionCounts = new Map<string, number>();
  let total = 0;
  function refuse(socket: Socket, limit: keyof typeof refusedSockets): void {
    if (isCounted) refusedSockets[limit].value += 1;
    socket.destroy();
  }
  server.on('connection', (socket) => {
    if (total >= limits.maxSockets) return refuse(socket, 'total');
    total += 1;
    if (isCounted) openSockets.value += 1;
    socket.once('close', () => {
      total -= 1;
      if (isCounted) openSockets.value -= 1;
    });
    if (isTrusted(socket.remoteAddress, proxies)) return;
    const network = clientNetwork(socket.remoteAddress);
    const count = connectionCounts.get(network) ?? 0;
    if (count >= limits.maxSocketsPerAddress) return refuse(socket, 'address');
    connectionCounts.set(network, count + 1);
    socket.once('close', () => {
      const remainingConnections = connectionCounts.get(network)! - 1;
      if (remainingConnections === 0) connectionCounts.delete(network);
      else connectionCounts.set(network, remainingConnections);
    });
  });
}

function trackConnections(server: Server, trustedProxies: TrustedProxies) {
  const openResponses: OpenResponses = new Map();
  const proxies = new WeakSet<Socket>();
  server.on('connection', (socket) => {
    openResponses.set(socket, []);
    if (isTrusted(socket.remoteAddress, trustedProxies)) proxies.add(socket);
    socket.once('close', () => openResponses.delete(socket));
  });
  return { openResponses, proxies };
}

/** Reads all connections before node:http does, as long as they send plain requests. */
function servePlainRequests(
  server: Server,
  handler: () => PlainHandler | null,
  limits: HttpLimits,
  proxies: WeakSet<Socket>,
): PlainConnections {
  const listeners = server.listeners('connection') as ((socket: Socket) => void)[];
  const readByNode = listeners[0]!;
  server.off('connection', readByNode);
  const plain = new PlainConnections({
    handler,
    handOver: (socket) => readByNode.call(server, socket),
    maxTargetBytes: limits.maxTargetBytes,
    maxHeadBytes: limits.maxHeaderBytes,
    firstRequestTimeoutMs: limits.headersTimeoutMs,
    idleTimeoutMs: limits.idleTimeoutMs,
  });
  const patienceOf = (timeoutMs: number) => ({ timeoutMs, writer: new AnswerWriter(Math.floor(timeoutMs / 1000)) });
  const clientPatience = patienceOf(limits.keepAliveTimeoutMs);
  const proxyPatience = patienceOf(limits.proxyKeepAliveTimeoutMs);
  server.on('connection', (socket) => {
    if (!socket.destroyed) plain.accept(socket, proxies.has(socket) ? proxyPatience : clientPatience);
  });
  return plain;
}

/** Sets the timeout of a proxy after each response, because node:http then resets it to the default. */
function keepOpen(
  socket: Socket,
  res: ServerResponse,
  openResponses: OpenResponses,
  { proxyKeepAliveTimeoutMs }: HttpLimits,
): void {
  if (!res.shouldKeepAlive) return;
  res.setHeader('Keep-Alive', `timeout=${Math.floor(proxyKeepAliveTimeoutMs / 1000)}`);
  res.once('finish', () => {
    if (openResponses.get(socket)?.at(-1) === res) socket.setTimeout(proxyKeepAliveTimeoutMs);
  });
}

/**
 * Responds to a request that could not be parsed, or closes the connection if the client cannot receive a response.
 *
 * @returns The status of the response; `null` if no response was sent.
 */
function refuseUnparsed(
  error: ParseError,
  socket: Socket,
  responses: ServerResponse[] | undefined,
  limits: HttpLimits,
): number | null {
  if (socket.writableEnded && !socket.destroyed) return null;
  const hasLeft = error.code === 'ECONNRESET' || error.code === 'EPIPE' || !socket.writable;
  const hasSentNothing = socket.bytesRead === 0;
  // While an earlier response is unfinished, the client would take the error for a part of that response.
  const isBusy = responses?.some((res) => !res.closed && (res.headersSent || res.req.complete));
  if (hasLeft || hasSentNothing || isBusy) {
    socket.destroy();
    return null;
  }
  const refusal = refusalOf(error, limits);
  writeErrorAnswer(socket, refusal);
  return refusal.status;
}

/**
 * Closes the connections of a server without a running request. Unlike `server.closeIdleConnections`, it also closes
 * connections without a complete head of a first request. Once the server accepts no new connections, node:http would
 * keep those open forever.
 */
export function closeIdleConnections(server: Server): void {
  const { openResponses, plain } = connections.get(server)!;
  for (const [socket, responses] of openResponses) {
    if (plain?.isBusy(socket)) continue;
    const latestResponse = responses.at(-1);
    if (!latestResponse || (latestResponse.closed && latestResponse.req.complete)) socket.destroy();
  }
}

/** Removes finished responses from a list and appends a new one. Works in place, because it runs for every request. */
function replaceFinished(responses: ServerResponse[], added: ServerResponse): void {
  let openCount = 0;
  for (const response of responses) if (!response.closed) responses[openCount++] = response;
  responses[openCount] = added;
  responses.length = openCount + 1;
}

function isUpgrade({ headers }: IncomingMessage): boolean {
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
