import type { Server } from 'node:http';
import type { AddressInfo, ListenOptions } from 'node:net';
import { type Log, unavailable } from '@berth/core';
import type { Config } from '../config/config.ts';
import { parseTrustedProxies } from './client-address.ts';
import { sendError } from './error-answer.ts';
import { closeIdleConnections, createHttpServer, type Handler, type HttpServerOptions } from './server.ts';

const IDLE_CHECK_MS = 50;
/** On Linux each process can listen on the port and the kernel distributes connections; elsewhere node:cluster does. */
const KERNEL_BALANCES = process.platform === 'linux';

/** Accepts requests: one HTTP server for each address of `HOST`, all on one port. */
export class HttpListener {
  readonly #config: Config;
  readonly #options: HttpServerOptions;
  readonly #reusePort: boolean;
  readonly #servers: Server[] = [];
  #handler: Handler = (_req, res) => sendError(res, unavailable('The service is starting.', undefined, 1));
  #listening: Promise<number> | null = null;
  #closing: Promise<void> | null = null;

  /**
   * Creates a listener that does not listen yet.
   *
   * @param shared Whether other workers listen on the same port. Default false: then a port on which any process listens
   *   is in use.
   */
  constructor(config: Config, log: Log, { shared = false } = {}) {
    this.#config = config;
    this.#options = { log, trustedProxies: parseTrustedProxies(config.trustedProxies) };
    this.#reusePort = shared && KERNEL_BALANCES;
  }

  /**
   * Starts to listen. An address that this machine does not have is skipped, as long as another one works. Repeated
   * calls return the same promise.
   *
   * @returns The port.
   * @throws the reason why it could not listen; then it listens on no address.
   */
  listen(): Promise<number> {
    return (this.#listening ??= this.#listen());
  }

  /** Sets the handler of all further requests; until the first call the answer is 503. */
  setHandler(handler: Handler): void {
    this.#handler = handler;
  }

  /** Stops listening and waits for running requests. Idle connections are closed. Repeated calls are allowed. */
  close(): Promise<void> {
    return (this.#closing ??= closeServers(this.#servers));
  }

  async #listen(): Promise<number> {
    const { hosts } = this.#config;
    let { port } = this.#config;
    try {
      for (const host of hosts) {
        const server = createHttpServer((req, res) => this.#handler(req, res), this.#options);
        try {
          await listenOn(server, { host, port, reusePort: this.#reusePort, ipv6Only: true });
        } catch (error) {
          const absent = ['EADDRNOTAVAIL', 'EAFNOSUPPORT'].includes((error as NodeJS.ErrnoException).code ?? '');
          if (absent && hosts.length > 1) continue;
          throw error;
        }
        this.#servers.push(server);
        ({ port } = server.address() as AddressInfo);
      }
    } catch (error) {
      await closeServers(this.#servers.splice(0));
      throw error;
    }
    if (this.#servers.length === 0)
      throw new Error(`HOST must name an address of this machine; it has none of ${hosts.join(', ')}.`);
    return port;
  }
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
