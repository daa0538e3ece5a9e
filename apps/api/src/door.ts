import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo, ListenOptions } from 'node:net';
import { type Log, unavailable } from '@berth/core';
import type { Config } from './config.ts';
import { parseTrustedProxies } from './http/client-address.ts';
import { sendError } from './http/error-answer.ts';
import { closeIdleConnections, createHttpServer, type Handler } from './http/server.ts';

/** Where requests come in: one HTTP server for each address of `HOST`, all on one port. */
export interface Door {
  /**
   * Listens. An address that this machine does not have is left out, as long as another one is there. Calling it again is
   * no error.
   *
   * @returns The port.
   * @throws why it could not listen; then it listens nowhere.
   */
  listen(): Promise<number>;
  /** Has requests answered by a handler from now on; until then the answer is 503. */
  lead(handler: Handler): void;
  /** Stops listening and waits for the requests at hand. Other connections are closed. Calling it again is no error. */
  close(): Promise<void>;
}

const IDLE_CHECK_MS = 50;
/** Where each process may listen by itself and the kernel shares connections out; elsewhere node:cluster does. */
const KERNEL_SHARES = process.platform === 'linux';

/**
 * Makes a door that is still shut.
 *
 * @param shared Whether other workers listen on the same port. Default no: a port that anybody listens on is in use.
 */
export function createDoor(config: Config, log: Log, { shared = false } = {}): Door {
  const reusePort = shared && KERNEL_SHARES;
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
      throw new Error(`None of the addresses ${config.hosts.join(', ')} is one of this machine's.`);
    return port;
  }

  return {
    listen: () => (listening ??= listen()),
    lead(handler) {
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

/** Stops listening and waits for the requests at hand. Other connections are closed, those with a request as soon as it is answered. */
async function closeServers(servers: readonly Server[]): Promise<void> {
  const closed = servers.map((server) => new Promise((done) => server.close(done)));
  // The first turn comes after a moment in which a request that has just been sent can arrive.
  const turns = setInterval(() => servers.forEach(closeIdleConnections), IDLE_CHECK_MS);
  await Promise.all(closed);
  clearInterval(turns);
}
