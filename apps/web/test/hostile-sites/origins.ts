import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { request, type IncomingHttpHeaders } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';

/** A request for the console, with the response of the server. */
export interface SeenRequest {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  status: number;
  body: string;
}

/** An https server in front of Berth, as browsers need for real origins. */
export interface Origins {
  port: number;
  /** The requests for the console since the last call. */
  takeRequests(): SeenRequest[];
  close(): Promise<void>;
}

/**
 * Serves all hosts by https with a new certificate of its own. Requests for `foreignHost` get an empty page, all others go to Berth.
 *
 * @param folder An empty folder for the certificate.
 */
export async function serveOrigins(
  berthPort: number,
  folder: string,
  { consoleHost, foreignHost }: { consoleHost: string; foreignHost: string },
): Promise<Origins> {
  const [key, cert] = ['key.pem', 'cert.pem'].map((name) => join(folder, name)) as [string, string];
  const parameters = `-keyout ${key} -out ${cert} -subj /CN=${consoleHost}`;
  execFileSync(
    'openssl',
    `req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 ${parameters}`.split(' '),
    { stdio: 'ignore' },
  );
  let seen: SeenRequest[] = [];
  const server = createServer({ key: readFileSync(key), cert: readFileSync(cert) }, (req, res) => {
    const { method = '', url = '', headers } = req;
    if (headers.host === foreignHost) {
      res.setHeader('Content-Type', 'text/html').end('<!doctype html><title>Foreign</title>');
      return;
    }
    const forwarded = request({ host: '127.0.0.1', port: berthPort, method, path: url, headers, agent: false });
    forwarded.on('error', () => res.destroy());
    forwarded.on('response', (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => {
        const body = Buffer.concat(chunks);
        const status = response.statusCode!;
        if (headers.host === consoleHost) seen.push({ method, path: url, headers, status, body: String(body) });
        res.writeHead(status, response.rawHeaders).end(body);
      });
    });
    req.pipe(forwarded);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    takeRequests() {
      const taken = seen;
      seen = [];
      return taken;
    },
    async close() {
      server.closeAllConnections();
      await once(server.close(), 'close');
    },
  };
}
