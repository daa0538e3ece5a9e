import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A TCP proxy between the app and a server that can be cut or stalled. */
export interface TcpProxy {
  /** URL of the server through this proxy. */
  url: string;
  /** Bytes sent to the server so far. */
  sent(): number;
  /** Breaks all connections and refuses new ones. */
  cut(): void;
  /** Accepts connections again, at the same address. */
  restore(): void;
  /** Passes this many more bytes to the server, then stalls without closing. Resolves when it stalls. */
  stallAfter(bytes: number): Promise<void>;
  /** Ends the stall and removes its limit. */
  flow(): void;
  close(): Promise<void>;
}

/** Opens a proxy to a port of this machine. */
export async function openTcpProxy(port: number): Promise<TcpProxy> {
  const pairs = new Set<{ near: Socket; far: Socket }>();
  // A cut proxy keeps listening: otherwise another process could take its port.
  let isCut = false;
  let sent = 0;
  let mayYetSend = Number.POSITIVE_INFINITY;
  let stalled = Promise.withResolvers<void>();
  const held: (() => void)[] = [];

  const server = createServer((near) => {
    if (isCut) return void near.resetAndDestroy();
    const far = connect(port, '127.0.0.1');
    const pair = { near, far };
    pairs.add(pair);
    const end = () => {
      pairs.delete(pair);
      near.destroy();
      far.destroy();
    };
    for (const socket of [near, far]) socket.on('error', end).on('close', end);
    far.pipe(near);
    near.on('data', (chunk: Buffer) => {
      const pass = () => {
        sent += chunk.length;
        mayYetSend -= chunk.length;
        if (!far.write(chunk)) {
          near.pause();
          far.once('drain', () => near.resume());
        }
      };
      if (chunk.length <= mayYetSend) return pass();
      near.pause();
      held.push(() => {
        pass();
        near.resume();
      });
      stalled.resolve();
    });
    near.on('end', () => far.end());
  });

  const cut = () => {
    isCut = true;
    for (const { near, far } of pairs) {
      near.destroy();
      far.destroy();
    }
  };
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://localhost:${(server.address() as AddressInfo).port}`,
    sent: () => sent,
    cut,
    restore: () => void (isCut = false),
    stallAfter(bytes) {
      stalled = Promise.withResolvers();
      mayYetSend = bytes;
      return stalled.promise;
    },
    flow() {
      mayYetSend = Number.POSITIVE_INFINITY;
      for (const go of held.splice(0)) go();
    },
    async close() {
      if (!server.listening) return;
      const closed = once(server, 'close');
      server.close();
      cut();
      await closed;
    },
  };
}
