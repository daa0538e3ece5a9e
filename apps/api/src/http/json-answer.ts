import type { ServerResponse } from 'node:http';

export const JSON_TYPE = 'application/json; charset=utf-8';

const JSON_HEADERS = { 'Content-Type': JSON_TYPE, 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' };

/** Sets the headers of every JSON response of the API. Source: api §2; security T17. */
export function setJsonHeaders(res: ServerResponse): void {
  for (const [name, value] of Object.entries(JSON_HEADERS)) res.setHeader(name, value);
}

export function jsonHeaders(text: string): Record<string, string | number> {
  return { ...JSON_HEADERS, 'Content-Length': Buffer.byteLength(text) };
}

export function sendJson(res: ServerResponse, status: number, text: string): void {
  res.writeHead(status, jsonHeaders(text)).end(text);
}
