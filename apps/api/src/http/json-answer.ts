import type { ServerResponse } from 'node:http';

/** The type of every JSON answer. */
export const JSON_TYPE = 'application/json; charset=utf-8';

const JSON_HEADERS = { 'Content-Type': JSON_TYPE, 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' };

/**
 * Sets the headers that every JSON answer of the API has: its type, no storing, no sniffing.
 *
 * Source: api §2; security T17.
 */
export function setJsonHeaders(res: ServerResponse): void {
  for (const [name, value] of Object.entries(JSON_HEADERS)) res.setHeader(name, value);
}

/** The headers of an answer with this text. */
export function jsonHeaders(text: string): Record<string, string | number> {
  return { ...JSON_HEADERS, 'Content-Length': Buffer.byteLength(text) };
}

/** Answers with JSON text and ends the response. HEAD gets the same headers without the body. */
export function sendJson(res: ServerResponse, status: number, text: string): void {
  res.writeHead(status, jsonHeaders(text)).end(text);
}
