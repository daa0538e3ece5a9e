import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import type { TestDatabase } from '@berth/core/testing';

/** A TCP address in front of a test database, which can go wrong in the ways that networks do. */
export interface DatabaseProxy {
  /** The database by way of the proxy, as `DATABASE_URL`. */
  url: string;
  /** How many connections were made to the proxy. */
  accepted(): number;
  /** From now on nothing is forwarded, on no connection; new ones are still accepted. */
  silence(): void;
  /** Forwards nothing on the connections there are, and does not close them. New ones work. */
  swallow(): void;
  /** Cuts all connections and refuses new ones, as a server does that has ended. */
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
      // A socket that nothing reads from must not notice its end either.
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
