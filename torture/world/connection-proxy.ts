import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** How the proxy treats the bytes of new connections. */
interface Trouble {
  /** The share of connections that are reset after some bytes. */
  resets: number;
  /** The share of connections on which nothing moves after some bytes, until the trouble ends. */
  stalls: number;
  random: () => number;
}

/** A TCP proxy between the clients and the server, which can cut and stall connections. */
export interface ConnectionProxy {
  port: number;
  /** Resets every connection. @returns Their number. */
  cutAll(): number;
  /** Disturbs connections until it is called with `null`. Stalled connections are then reset. */
  disturb(trouble: Trouble | null): void;
  close(): Promise<void>;
}

const MAX_BYTES_BEFORE_TROUBLE = 200_000;

export async function startConnectionProxy(portOfServer: () => number): Promise<ConnectionProxy> {
  const pairs = new Set<readonly [Socket, Socket]>();
  const stalled = new Set<Socket>();
  let current: Trouble | null = null;

  const server = createServer((socket) => {
    const upstream = connect({ port: portOfServer(), host: '127.0.0.1' });
    const pair = [socket, upstream] as const;
    pairs.add(pair);
    for (const [from, to] of [pair, [upstream, socket]] as const) {
      from.on('error', () => {});
      from.on('close', () => {
        pairs.delete(pair);
        stalled.delete(socket);
        to.destroy();
      });
      from.pipe(to);
    }
    if (current) plan(current, socket, upstream);
  });

  function plan({ resets, stalls, random }: Trouble, socket: Socket, upstream: Socket): void {
    const choice = random();
    if (choice >= resets + stalls) return;
    let bytesLeft = Math.floor(random() ** 3 * MAX_BYTES_BEFORE_TROUBLE);
    const watch = (chunk: Buffer) => {
      bytesLeft -= chunk.length;
      if (bytesLeft > 0) return;
      if (choice < resets) {
        socket.resetAndDestroy();
        upstream.resetAndDestroy();
        return;
      }
      stalled.add(socket);
      for (const [from, to] of [
        [socket, upstream],
        [upstream, socket],
      ] as const) {
        from.unpipe(to);
        from.pause();
      }
    };
    socket.on('data', watch);
    upstream.on('data', watch);
  }

  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    cutAll() {
      const count = pairs.size;
      for (const pair of pairs) for (const socket of pair) socket.resetAndDestroy();
      return count;
    },
    disturb(trouble) {
      current = trouble;
      if (!trouble) for (const socket of stalled) socket.resetAndDestroy();
    },
    async close() {
      for (const pair of pairs) for (const socket of pair) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
