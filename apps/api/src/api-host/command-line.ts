import { hash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { createGzip } from 'node:zlib';
import { ServiceError } from '@berth/core';
import express, { type Request, type Response, type Router } from 'express';
import { pack } from 'tar-stream';
import { COMMAND_LINE_FOLDER } from '../built-folders.ts';
import { sendError } from '../http/error-answer.ts';
import { cors } from './cors.ts';
import { allowOnly } from './errors.ts';

/** The time of all files in the tarball, so that equal files give equal bytes. The same time as in packages of npm. */
const MODIFIED = new Date('1985-10-26T08:15:00Z');

const MISSING = 'This server does not have the command line. Its operator can run "npm run build:cli".';

/** A tarball that npm can install, and its entity tag. */
interface Tarball {
  bytes: Buffer;
  etag: string;
}

/**
 * Serves the command line at `/cli.tgz`, so that `npx {BASE_URL}/cli.tgz ./dist` publishes to this server. The tarball is packed
 * at the first request and kept. Source: api §9.
 *
 * @param server The origin of this server, which is the default server of the program.
 * @param folder The folder of the package.
 */
export function commandLineRouter(server: string, folder: string = COMMAND_LINE_FOLDER): Router {
  const router = express.Router({ strict: true, caseSensitive: true });
  let packing: Promise<Tarball> | null = null;
  router
    .route('/cli.tgz')
    .all(cors)
    .get((req, res) => {
      packing ??= packCommandLine(folder, server);
      packing.then(
        (tarball) => sendTarball(req, res, tarball),
        (cause: unknown) => {
          packing = null;
          sendError(res, new ServiceError('not_found', MISSING, { cause }));
        },
      );
    })
    .all(allowOnly('GET'));
  return router;
}

function sendTarball({ headers }: Request, res: Response, { bytes, etag }: Tarball): void {
  const caching = { ETag: etag, 'Cache-Control': 'no-cache' };
  if (headers['if-none-match'] === etag) res.writeHead(304, caching).end();
  else
    res
      .writeHead(200, {
        ...caching,
        'Content-Type': 'application/gzip',
        'Content-Length': bytes.length,
        'X-Content-Type-Options': 'nosniff',
      })
      .end(bytes);
}

/** Packs the files of the package that are not hidden, and a file that names the server. */
async function packCommandLine(folder: string, server: string): Promise<Tarball> {
  const archive = pack();
  const packed = buffer(archive.pipe(createGzip({ level: 9 })));
  const add = (name: string, content: Buffer | string) =>
    archive.entry({ name: `package/${name}`, mode: 0o755, mtime: MODIFIED }, content);
  const names = (await readdir(folder)).filter((name) => !name.startsWith('.')).toSorted();
  for (const name of names) add(name, await readFile(join(folder, name)));
  add('server.json', JSON.stringify({ server }));
  archive.finalize();
  const bytes = await packed;
  return { bytes, etag: `"${hash('sha256', bytes, 'base64url')}"` };
}
