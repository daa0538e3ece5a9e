import type { ServerResponse } from 'node:http';

/** The type of every JSON answer. */
export const JSON_TYPE = 'application/json; charset=utf-8';

/**
 * Sets what every JSON answer of the API carries: its type, not to be stored, not to be sniffed.
 *
 * Source: contract §2; security T17.
 */
export function setJsonHeaders(res: ServerResponse): void {
  res.setHeader('Content-Type', JSON_TYPE);
  res.setHeader('Cache-Control', 'no-store');
  res.setHeader('X-Content-Type-Options', 'nosniff');
}

/** Answers with JSON text and ends the response. To HEAD the same headers go out, without the body. */
export function sendJson(res: ServerResponse, status: number, text: string): void {
  setJsonHeaders(res);
  res.statusCode = status;
  res.setHeader('Content-Length', Buffer.byteLength(text));
  res.end(text);
}
