import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo, ListenOptions } from 'node:net';
import { type Log, unavailable } from '@berth/core';
import type { Config } from '../config/config.ts';
import { parseTrustedProxies } from './client-address.ts';
import { sendError } from './error-answer.ts';
import { closeIdleConnections, createHttpServer, type Handler } from './server.ts';

/** Accepts requests: one HTTP server for each address of `HOST`, all on one port. */
export interface HttpListener {
  /**
   * Starts to listen. An address that this machine does not have is skipped, as long as another one works. Repeated
   * calls return the same promise.
   *
   * @returns The port.
   * @throws the reason why it could not listen; then it listens on no address.
   */
  listen(): Promise<number>;
  /** Sets the handler of all further requests; until the first call the answer is 503. */
  setHandler(handler: Handler): void;
  /** Stops listening and waits for running requests. Idle connections are closed. Repeated calls are allowed. */
  close(): Promise<void>;
}

const IDLE_CHECK_MS = 50;
/** On Linux each process can listen on the port and the kernel distributes connections; elsewhere node:cluster does. */
const KERNEL_BALANCES = process.platform === 'linux';

/**
 * Creates a listener that does not listen yet.
 *
 * @param shared Whether other workers listen on the same port. Default false: then a port on which any process listens
 *   is in use.
 */
export function createHttpListener(config: Config, log: Log, { shared = false } = {}): HttpListener {
  const reusePort = shared && KERNEL_BALANCES;
  const trustedProxies = parseTrustedProxies(config.trustedProxies);
  const servers: Server[] = [];
  let listening: Promise<number> | null = null;
  let closing: Promise<void> | null = null;
  let answer: Handler = (_req, res) => sendError(res, unavailable('The service is starting.', undefined, 1));
  const handler = (req: IncomingMessage, res: ServerResponse) => answer(req, res);

  async function listen(): Promise<number> {
    let { port } = config;
    try {
      for (const host of config.hosts) {
        const server = createHttpServer(handler, { log, trustedProxies });
        try {
          await listenOn(server, { host, port, reusePort, ipv6Only: true });
        } catch (error) {
          const absent = ['EADDRNOTAVAIL', 'EAFNOSUPPORT'].includes((error as NodeJS.ErrnoException).code ?? '');
          if (absent && config.hosts.length > 1) continue;
          throw error;
        }
        servers.push(server);
        ({ port } = server.address() as AddressInfo);
      }
    } catch (error) {
      await closeServers(servers.splice(0));
      throw error;
    }
    if (servers.length === 0)
      throw new Error(`HOST must name an address of this machine; it has none of ${config.hosts.join(', ')}.`);
    return port;
  }

  return {
    listen: () => (listening ??= listen()),
    setHandler(handler) {
      answer = handler;
    },
    close: () => (closing ??= closeServers(servers)),
  };
}

function listenOn(server: Server, options: ListenOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject).listen(options, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

/**
 * Stops listening and waits for running requests. Idle connections are closed; connections with a request are closed
 * once it is answered.
 */
async function closeServers(servers: readonly Server[]): Promise<void> {
  const closed = servers.map((server) => new Promise((done) => server.close(done)));
  // The first check comes after a delay, so that a request that was just sent can still arrive.
  const turns = setInterval(() => servers.forEach(closeIdleConnections), IDLE_CHECK_MS);
  await Promise.all(closed);
  clearInterval(turns);
}
