import { hash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { pipeline } from 'node:stream/promises';
import express, { type Request, type Response, type Router } from 'express';
import { cors } from './cors.ts';
import { allowOnly } from './errors.ts';
import { PAGE_HEADERS } from '../pages/frame.ts';
import { sendJson } from '../http/json-answer.ts';

const { resolve } = createRequire(import.meta.url);

/** The files below `/docs/`, each with its media type and its source. */
const FILES = {
  'swagger-ui.css': ['text/css', resolve('swagger-ui-dist/swagger-ui.css')],
  'swagger-ui-bundle.js': ['text/javascript', resolve('swagger-ui-dist/swagger-ui-bundle.js')],
  'reference.css': ['text/css', new URL('./reference/reference.css', import.meta.url)],
  'reference.js': ['text/javascript', new URL('./reference/reference.js', import.meta.url)],
} as const;

/** The headers of the page and of its files. Source: security §7. */
const HEADERS = {
  ...PAGE_HEADERS,
  'Content-Security-Policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
};

/**
 * Serves the OpenAPI documents, and at `/docs` a page that displays `/openapi.json` and loads nothing from other hosts.
 *
 * @param documents Create the documents, by path. Each is created for its first request, because most starts need none of
 *   them. Source: api §9; security T17, §7.
 */
export function referenceRouter(documents: Record<'/openapi.json' | '/openapi-3.0.json', () => object>): Router {
  const reference = express.Router({ strict: true, caseSensitive: true });
  for (const [path, createDocument] of Object.entries(documents)) {
    let json: string | undefined;
    reference
      .route(path)
      .all(cors)
      .get((_req, res) => sendJson(res, 200, (json ??= JSON.stringify(createDocument()))))
      .all(allowOnly('GET'));
  }

  const page = new URL('./reference/index.html', import.meta.url);
  reference
    .route('/docs')
    .get(sendFile(page, { 'Content-Type': 'text/html; charset=utf-8', 'Cache-Control': 'no-store' }))
    .all(allowOnly('GET'));
  for (const [name, [type, source]] of Object.entries(FILES))
    reference
      .route(`/docs/${name}`)
      .get(sendFile(source, { 'Content-Type': `${type}; charset=utf-8`, 'Cache-Control': 'no-cache' }))
      .all(allowOnly('GET'));
  return reference;
}

/**
 * Creates a handler that sends a file, or 304 to clients that already have it. Streams the file for each request: few people open the page,
 * and its largest file would take 1.7 MB of every process.
 */
function sendFile(source: string | URL, headers: { 'Content-Type': string; 'Cache-Control': string }) {
  const { 'Content-Type': _, ...unchangedHeaders } = { ...HEADERS, ...headers };
  let described: Awaited<ReturnType<typeof describeFile>> | undefined;
  return async (req: Request, res: Response): Promise<void> => {
    const { ETag, 'Content-Length': length } = (described ??= await describeFile(source));
    const validator = headers['Cache-Control'] === 'no-store' ? {} : { ETag };
    if (req.headers['if-none-match'] === ETag) {
      res.writeHead(304, { ...unchangedHeaders, ...validator }).end();
      return;
    }
    res.writeHead(200, { ...HEADERS, ...headers, ...validator, 'Content-Length': length });
    // A client that leaves is not an error.
    await pipeline(createReadStream(source), res).catch(() => res.destroy());
  };
}

async function describeFile(source: string | URL) {
  const bytes = await readFile(source);
  return { ETag: `"${hash('sha256', bytes, 'base64url')}"`, 'Content-Length': bytes.length };
}
