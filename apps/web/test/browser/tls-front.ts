import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { request as httpRequest } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** A request as it arrived at the front. */
interface SeenRequest {
  host: string;
  method: string;
  path: string;
  cookie: string;
  site: string;
  status: number;
}

/** A front that ends TLS for all hosts. */
export interface TlsFront {
  port: number;
  seen: SeenRequest[];
  close(): Promise<void>;
}

/** Starts a front that passes requests to a server. @param pages The pages of hosts that are not the server's. */
export async function startTlsFront(
  serverPort: () => number,
  pages: Readonly<Record<string, string>>,
): Promise<TlsFront> {
  const folder = await mkdtemp(join(tmpdir(), 'berth-front-'));
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  const parameters = '-x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 1 -subj /CN=front.test';
  await run('openssl', ['req', ...parameters.split(' '), '-keyout', key, '-out', cert]);
  const seen: SeenRequest[] = [];
  const server = createServer({ key: await readFile(key), cert: await readFile(cert) }, (req, res) => {
    const { host = '', cookie = '', 'sec-fetch-site': site = '' } = req.headers;
    const entry: SeenRequest = { host, method: req.method!, path: req.url!, cookie, site, status: 0 };
    seen.push(entry);
    res.once('close', () => (entry.status = res.statusCode));
    const page = pages[host];
    if (page !== undefined) return void res.writeHead(200, { 'Content-Type': 'text/html' }).end(page);
    const { method, url: path, headers } = req;
    const upstream = httpRequest({ host: '127.0.0.1', port: serverPort(), method, path, headers }, (answer) => {
      res.writeHead(answer.statusCode!, answer.headers);
      answer.pipe(res);
    });
    upstream.once('error', () => res.destroy());
    req.pipe(upstream);
  });
  await rm(folder, { recursive: true });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    seen,
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}
