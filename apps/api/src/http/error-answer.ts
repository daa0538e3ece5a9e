import { STATUS_CODES, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { type ServiceError, toErrorBody } from '@berth/core';
import { requestId } from './request-id.ts';

const LINGER_MS = 1_000;

/** Answers a request that no handler shall see with the error body of the contract. Source: contract §2. */
export function sendErrorAnswer(res: ServerResponse, error: ServiceError, { close = false } = {}): void {
  const body = errorText(error, String(res.getHeader('X-Request-Id')));
  res.writeHead(error.status, { ...headersOf(body), ...(close ? { Connection: 'close' } : {}) }).end(body);
}

/**
 * Answers on a socket whose request could not be parsed, and closes it. What the client still sends is taken for a moment,
 * so that the answer reaches it.
 *
 * Source: contract §2; security T5.
 */
export function writeErrorAnswer(socket: Socket, error: ServiceError): void {
  const id = requestId();
  const body = errorText(error, id);
  const headers = Object.entries({
    ...headersOf(body),
    'X-Request-Id': id,
    Date: new Date().toUTCString(),
    Connection: 'close',
  });
  const head = [
    `HTTP/1.1 ${error.status} ${STATUS_CODES[error.status]}`,
    ...headers.map(([name, value]) => `${name}: ${value}`),
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
  const timer = setTimeout(() => socket.destroy(), LINGER_MS);
  socket.once('close', () => clearTimeout(timer));
}

function errorText(error: ServiceError, id: string): string {
  return JSON.stringify(toErrorBody(error, id));
}

function headersOf(body: string): Record<string, string | number> {
  return {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(body),
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
  };
}
