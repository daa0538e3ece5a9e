import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import express, { type Request, type Response, type Router } from 'express';
import { cors } from './cors.ts';
import { only } from './errors.ts';
import { PAGE_HEADERS } from '../pages/frame.ts';
import { sendJson } from '../http/json-answer.ts';

/** All files of the reference, below `/docs/`. */
const FILES = {
  'swagger-ui.css': ['text/css', 'swagger-ui-dist/swagger-ui.css'],
  'swagger-ui-bundle.js': ['text/javascript', 'swagger-ui-dist/swagger-ui-bundle.js'],
  'reference.css': ['text/css', './reference/reference.css'],
  'reference.js': ['text/javascript', './reference/reference.js'],
} as const;

const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

/**
 * The reference of the API: the OpenAPI document at `/openapi.json`, and at `/docs` a page that displays it. `/`
 * redirects to that page. The page loads nothing from other hosts.
 *
 * Source: api §9; security T17, §7.
 */
export function referenceRouter(document: object): Router {
  const reference = express.Router({ strict: true, caseSensitive: true });
  const json = JSON.stringify(document);
  reference
    .route('/openapi.json')
    .all(cors)
    .get((_req, res) => sendJson(res, 200, json))
    .all(only('GET'));
  reference
    .route('/')
    .get((_req, res) => void res.writeHead(302, { Location: '/docs', 'Cache-Control': 'no-store' }).end())
    .all(only('GET'));

  const page = readFileSync(new URL('./reference/index.html', import.meta.url));
  reference
    .route('/docs')
    .get((_req, res) => {
      setPageHeaders(res);
      res
        .writeHead(200, {
          'Content-Type': 'text/html; charset=utf-8',
          'Cache-Control': 'no-store',
          'Content-Length': page.length,
        })
        .end(page);
    })
    .all(only('GET'));
  for (const [name, [type, source]] of Object.entries(FILES)) {
    const bytes = readFileSync(new URL(import.meta.resolve(source)));
    const etag = `"${createHash('sha256').update(bytes).digest('base64url')}"`;
    reference
      .route(`/docs/${name}`)
      .get(sendFile(bytes, etag, type))
      .all(only('GET'));
  }
  return reference;
}

/** Sends a file from memory, or 304 to clients that have it. */
function sendFile(bytes: Buffer, etag: string, type: string) {
  return (req: Request, res: Response): void => {
    setPageHeaders(res);
    res.setHeader('ETag', etag);
    res.setHeader('Cache-Control', 'no-cache');
    if (req.headers['if-none-match'] === etag) res.writeHead(304).end();
    else res.writeHead(200, { 'Content-Type': `${type}; charset=utf-8`, 'Content-Length': bytes.length }).end(bytes);
  };
}

/** Source: security §7. */
function setPageHeaders(res: Response): void {
  res.setHeader('Content-Security-Policy', POLICY);
  for (const [name, value] of Object.entries(PAGE_HEADERS)) res.setHeader(name, value);
}
