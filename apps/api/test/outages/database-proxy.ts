import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import type { TestDatabase } from '@berth/testing/database';

/** A TCP proxy in front of a test database, which can simulate network failures. */
export interface DatabaseProxy {
  /** The database through the proxy, as `DATABASE_URL`. */
  url: string;
  /** How many connections were made to the proxy. */
  accepted(): number;
  /** From now on forwards nothing on any connection; new connections are still accepted. */
  silence(): void;
  /** Forwards nothing on the existing connections, and does not close them. New connections work. */
  swallow(): void;
  /** Closes all connections and refuses new ones, as a server that has ended does. */
  refuse(): Promise<void>;
  /** Works again. Silent connections stay dead. */
  restore(): Promise<void>;
  close(): Promise<void>;
}

export async function createDatabaseProxy({ address }: Pick<TestDatabase, 'address'>): Promise<DatabaseProxy> {
  const pairs = new Map<Socket, Socket>();
  let isSilent = false;
  let accepted = 0;
  const server = createServer((socket) => {
    accepted += 1;
    const upstream = connect(`${address.socketDir}/.s.PGSQL.5432`);
    pairs.set(socket, upstream);
    for (const [from, to] of [
      [socket, upstream],
      [upstream, socket],
    ] as const) {
      from.on('error', () => {});
      from.on('close', () => {
        pairs.delete(socket);
        to.destroy();
      });
      if (!isSilent) from.pipe(to);
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;

  function swallow(): void {
    for (const [socket, upstream] of pairs) {
      socket.unpipe(upstream);
      upstream.unpipe(socket);
      // Paused sockets do not emit `end` either.
      socket.pause();
      upstream.pause();
    }
  }

  async function refuse(): Promise<void> {
    for (const socket of pairs.keys()) socket.destroy();
    if (!server.listening) return;
    server.close();
    await once(server, 'close');
  }

  return {
    url: `postgresql://${address.user}@127.0.0.1:${port}/${address.database}`,
    accepted: () => accepted,
    silence() {
      isSilent = true;
      swallow();
    },
    swallow,
    refuse,
    async restore() {
      isSilent = false;
      if (server.listening) return;
      server.listen(port, '127.0.0.1');
      await once(server, 'listening');
    },
    close: refuse,
  };
}
