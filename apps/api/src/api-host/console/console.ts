import { notFound } from '@berth/core';
import express, { type Request, type Response, type Router } from 'express';
import { sendError } from '../../http/error-answer.ts';
import { sendJson } from '../../http/json-answer.ts';
import { writePage } from '../../pages/frame.ts';
import { type Html, html } from '../../pages/html.ts';
import { allowOnly } from '../errors.ts';
import { type ConsoleFile, readConsoleFiles } from './console-files.ts';
import { consoleHeaders } from './console-headers.ts';

/** A file whose name contains a hash of its content never changes. */
const IMMUTABLE = 'public, max-age=31536000, immutable';
/** The compressed forms, the smallest first. */
const ENCODINGS = ['br', 'gzip'] as const;
const MISSING_TITLE = 'The console is not built';

interface ConsoleOptions {
  baseUrl: URL;
  /** The folder of the built console; `null` for none. */
  folder: string | null;
}

/** The console of a server. */
export interface ServedConsole {
  /** Serves the documents and files of the console, and the links of the API at `/`. */
  router: Router;
  /**
   * Sends the document of every page of the console, for further paths. It needs no session, because it contains no data but
   * `notice`, which browsers without JavaScript show. `null` if the console is not built.
   */
  sendShell: SendShell | null;
}

/** Sends the document of a page of the console. @param notice What a browser without JavaScript shows. Default: that it is needed. */
export type SendShell = (req: Request, res: Response, notice?: Html | null) => void;

/**
 * Serves the console: its document at `/`, `/app/…` and `/device`, and its files at `/assets/…`. They are kept in memory, with
 * compressed forms. Clients that prefer JSON get the links of the API at `/`. Without a built console, its pages say so.
 * Source: api §13; security §7.
 */
export function createConsole({ baseUrl, folder }: ConsoleOptions): ServedConsole {
  const files = readConsoleFiles(folder);
  const headers = consoleHeaders(baseUrl);
  const sendShell = files && createShellSender(files.shell, headers.shell);
  const sendPage = (req: Request, res: Response) => (sendShell ? sendShell(req, res) : sendMissing(res));

  const router = express.Router({ strict: true, caseSensitive: true });
  const links = JSON.stringify({ openapi: `${baseUrl.origin}/openapi.json`, docs: `${baseUrl.origin}/docs` });
  router
    .route('/')
    .get((req, res) => {
      res.setHeader('Vary', 'Accept');
      if (req.accepts(['json', 'html']) === 'html') return sendPage(req, res);
      return sendJson(res, 200, links);
    })
    .all(allowOnly('GET'));
  router.route(['/app', '/app/*path', '/device']).get(sendPage).all(allowOnly('GET'));
  router
    .route('/assets/:name')
    .get((req, res) => {
      const { name } = req.params;
      const file = files?.assets.get(name);
      if (!file) return sendError(res, notFound('file'));
      const isWorker = name.startsWith('worker-');
      sendFile(req, res, file, { ...(isWorker ? headers.worker : headers.asset), 'Cache-Control': IMMUTABLE });
    })
    .all(allowOnly('GET'));
  return { router, sendShell };
}

function createShellSender(shell: ConsoleFile, headers: Readonly<Record<string, string>>): SendShell {
  const [before = '', rest = ''] = shell.bytes.toString().split('<noscript>');
  const after = rest.slice(rest.indexOf('</noscript>'));
  return (req, res, notice = null) => {
    if (notice === null || rest === '') return sendFile(req, res, shell, { ...headers, 'Cache-Control': 'no-cache' });
    const body = `${before}<noscript>${notice.markup}${after}`;
    const own = { 'Content-Type': shell.type, 'Content-Length': Buffer.byteLength(body), 'Cache-Control': 'no-store' };
    res.writeHead(200, { ...headers, ...own }).end(body);
  };
}

/** Sends a file in the smallest form that the client accepts, or 304 if the client has it. */
function sendFile(req: Request, res: Response, file: ConsoleFile, headers: Readonly<Record<string, string>>): void {
  const encoding = ENCODINGS.find((name) => file.encoded[name] && req.acceptsEncodings(name));
  res.vary('Accept-Encoding');
  for (const [name, value] of Object.entries(headers)) res.setHeader(name, value);
  res.setHeader('ETag', file.etag);
  if (req.headers['if-none-match'] === file.etag) return void res.writeHead(304).end();
  if (encoding) res.setHeader('Content-Encoding', encoding);
  const body = encoding ? file.encoded[encoding]! : file.bytes;
  res.writeHead(200, { 'Content-Type': file.type, 'Content-Length': body.length }).end(body);
}

function sendMissing(res: Response): void {
  writePage(res, {
    status: 404,
    title: MISSING_TITLE,
    indexed: false,
    parts: [
      html`<p>This server has no console in the browser. Its operator can build it with <code>npm run build:web</code> and restart the server. <code>npm start</code> builds it too.</p>`,
      html`<p>The API works without it: see its <a href="/docs">reference</a>.</p>`,
    ],
  });
}
