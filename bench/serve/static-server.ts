import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import express from 'express';
import sirv from 'sirv';

type Handler = (req: IncomingMessage, res: ServerResponse, next: () => void) => void;

/** A library that serves a folder for each host. The handler of a host is created at its first request. */
const [library = '', tree = ''] = process.argv.slice(2);
const handlers = new Map<string, Handler>();

const server = createServer(library === 'sirv' ? sirvListener() : expressListener());
server.listen(0, '127.0.0.1', () => process.send!({ port: (server.address() as AddressInfo).port }));

/** Creates a listener that opens a file for each response. A `.br` file beside a file is its compressed form. */
function sirvListener(): (req: IncomingMessage, res: ServerResponse) => void {
  const createHandler = (dir: string) => sirv(dir, { dev: false, etag: true, brotli: true }) as Handler;
  return (req, res) =>
    handlerOf(req, createHandler)(req, res, () => {
      res.statusCode = 404;
      res.end();
    });
}

function expressListener(): express.Express {
  const app = express().disable('x-powered-by');
  const createHandler = (dir: string) => express.static(dir) as Handler;
  return app.use((req, res, next) => handlerOf(req, createHandler)(req, res, next));
}

function handlerOf({ headers: { host = '' } }: IncomingMessage, createHandler: (dir: string) => Handler): Handler {
  const knownHandler = handlers.get(host);
  if (knownHandler) return knownHandler;
  const site = createHandler(join(tree, host));
  handlers.set(host, site);
  return site;
}
