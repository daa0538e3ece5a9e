import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import type { TestDatabase } from '@berth/testing/database';

/** A TCP proxy in front of a test database, which can simulate network failures. */
export interface DatabaseProxy {
  /** The database behind the proxy, as a `DATABASE_URL`. */
  url: string;
  /** Returns the number of connections that the proxy has accepted. */
  accepted(): number;
  /** Stops forwarding on all connections. New connections are accepted, but remain silent. */
  silence(): void;
  /** Stops forwarding on the existing connections without closing them. New connections work. */
  swallow(): void;
  /** Closes all connections and refuses new ones, like a server that has stopped. */
  refuse(): Promise<void>;
  /** Makes new connections work again. Silent connections remain silent. */
  restore(): Promise<void>;
  close(): Promise<void>;
}

export async function createDatabaseProxy({ address }: Pick<TestDatabase, 'address'>): Promise<DatabaseProxy> {
  const upstreams = new Map<Socket, Socket>();
  let isSilent = false;
  let acceptedCount = 0;
  const server = createServer((socket) => {
    acceptedCount += 1;
    const upstream = connect(`${address.socketDir}/.s.PGSQL.5432`);
    upstreams.set(socket, upstream);
    for (const [from, to] of [
      [socket, upstream],
      [upstream, socket],
    ] as const) {
      from.on('error', () => {});
      from.on('close', () => {
        upstreams.delete(socket);
        to.destroy();
      });
      if (!isSilent) from.pipe(to);
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;

  function swallowResponses(): void {
    for (const [socket, upstream] of upstreams) {
      socket.unpipe(upstream);
      upstream.unpipe(socket);
      // Only a paused socket does not emit `end`.
      socket.pause();
      upstream.pause();
    }
  }

  async function refuseConnections(): Promise<void> {
    for (const socket of upstreams.keys()) socket.destroy();
    if (!server.listening) return;
    server.close();
    await once(server, 'close');
  }

  return {
    url: `postgresql://${address.user}@127.0.0.1:${port}/${address.database}`,
    accepted: () => acceptedCount,
    silence() {
      isSilent = true;
      swallowResponses();
    },
    swallow: swallowResponses,
    refuse: refuseConnections,
    async restore() {
      isSilent = false;
      if (server.listening) return;
      server.listen(port, '127.0.0.1');
      await once(server, 'listening');
    },
    close: refuseConnections,
  };
}
