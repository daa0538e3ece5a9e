import { once } from 'node:events';
import type { IncomingMessage, Server as HttpServer, ServerResponse } from 'node:http';
import { type AddressInfo, createServer, type ListenOptions, type Server } from 'node:net';
import { type Log, unavailable } from '@berth/core';
import type { Config } from '../config/config.ts';
import { parseTrustedProxies } from './client-address.ts';
import { leaveOut } from './count-requests.ts';
import { sendError } from './error-answer.ts';
import type { PlainHandler } from './plain-connections.ts';
import { closeIdleConnections, createHttpServer, type Handler, type HttpServerOptions } from './server.ts';

const IDLE_CHECK_MS = 50;
/** On Linux the kernel distributes connections to the sockets that listen on a port; elsewhere node:cluster does. */
const KERNEL_BALANCES = process.platform === 'linux';
/**
 * How many sockets of a process listen on each address. Node accepts one connection from each in a round of the event loop,
 * so with one socket a few busy clients would delay every new visitor.
 */
const SOCKETS_PER_ADDRESS = KERNEL_BALANCES ? 4 : 1;

/** Accepts requests on one port of each address of `HOST`. */
export class HttpListener {
  readonly #config: Config;
  readonly #options: HttpServerOptions;
  readonly #isShared: boolean;
  readonly #servers: HttpServer[] = [];
  readonly #forwarders: Server[] = [];
  readonly #answersProbe: (req: IncomingMessage, res: ServerResponse) => boolean;
  #handler: Handler = (_req, res) => sendError(res, unavailable('The service is starting.', undefined, 1));
  #plainHandler: PlainHandler | null = null;
  #listening: Promise<number> | null = null;
  #closing: Promise<void> | null = null;

  /**
   * Creates a listener that does not listen yet.
   *
   * @param shared Whether other workers listen on the same port. If not, no other process may listen on the port.
   * @param probes Responds to probes, also before there is a handler; returns false for other requests. Default: no probes.
   */
  constructor(
    config: Config,
    log: Log,
    {
      shared = false,
      probes = () => false,
    }: { shared?: boolean; probes?: (req: IncomingMessage, res: ServerResponse) => boolean } = {},
  ) {
    this.#config = config;
    this.#options = {
      log,
      trustedProxies: parseTrustedProxies(config.trustedProxies),
      counted: true,
      plainHandler: () => this.#plainHandler,
    };
    this.#isShared = shared;
    this.#answersProbe = probes;
  }

  /**
   * Starts to listen. Skips addresses that this machine does not have, unless no address is left. Repeated calls return
   * the same promise.
   *
   * @returns The port.
   * @throws the reason why the listener cannot listen. It then listens on no address.
   */
  listen(): Promise<number> {
    return (this.#listening ??= this.#listen());
  }

  /**
   * Sets the handler of all further requests. Until the first call, the response is 503.
   *
   * @param plainHandler Answers plain requests without node:http. Default: none.
   */
  setHandler(handler: Handler, plainHandler: PlainHandler | null = null): void {
    this.#handler = handler;
    this.#plainHandler = plainHandler;
  }

  /** Stops listening and waits for running requests. Idle connections are closed. Repeated calls are allowed. */
  close(): Promise<void> {
    return (this.#closing ??= this.#close());
  }

  async #listen(): Promise<number> {
    const { hosts } = this.#config;
    let { port } = this.#config;
    try {
      for (const host of hosts) {
        try {
          port = await this.#listenOn(host, port);
        } catch (error) {
          const isAbsent = ['EADDRNOTAVAIL', 'EAFNOSUPPORT'].includes((error as NodeJS.ErrnoException).code ?? '');
          if (!isAbsent || hosts.length === 1) throw error;
        }
      }
    } catch (error) {
      await this.#close();
      throw error;
    }
    if (this.#servers.length === 0)
      throw new Error(`HOST must name an address of this machine; it has none of ${hosts.join(', ')}.`);
    return port;
  }

  async #listenOn(host: string, requestedPort: number): Promise<number> {
    const address = { host, port: requestedPort, ipv6Only: true };
    // Sockets that share a port would also share it with another server.
    if (!this.#isShared && requestedPort !== 0) await requireFree(address);
    const server = createHttpServer((req, res) => {
      if (!this.#answersProbe(req, res)) return this.#handler(req, res);
      leaveOut(res);
    }, this.#options);
    const reusePort = KERNEL_BALANCES;
    const port = await startListening(server, { ...address, reusePort });
    this.#servers.push(server);
    for (let sockets = 1; sockets < SOCKETS_PER_ADDRESS; sockets += 1) {
      const forwarder = createServer({ allowHalfOpen: true, noDelay: true }, (socket) =>
        server.emit('connection', socket),
      );
      await startListening(forwarder, { ...address, port, reusePort });
      this.#forwarders.push(forwarder);
    }
    return port;
  }

  /**
   * Stops listening and waits for running requests. Idle connections are closed; connections with a request are closed
   * once it is answered.
   */
  async #close(): Promise<void> {
    const listening = [...this.#servers, ...this.#forwarders];
    const allClosed = listening.map((server) => new Promise((done) => server.close(done)));
    // The first check for idle connections comes after a delay, so that a request that was just sent can still arrive.
    const checks = setInterval(() => this.#servers.forEach(closeIdleConnections), IDLE_CHECK_MS);
    await Promise.all(allClosed);
    clearInterval(checks);
  }
}

/** Makes a server listen, and returns its port. */
async function startListening(server: Server, options: ListenOptions): Promise<number> {
  await once(server.listen(options), 'listening');
  return (server.address() as AddressInfo).port;
}

/** @throws `EADDRINUSE` if any process listens on the port. */
async function requireFree(address: ListenOptions): Promise<void> {
  const server = createServer();
  await startListening(server, address);
  await new Promise((done) => server.close(done));
}
