import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type NetConnectOpts, type Socket } from 'node:net';

/** How the proxy treats the bytes of new connections. */
interface Trouble {
  /** The share of connections that are reset after some bytes. */
  resets: number;
  /** The share of connections on which nothing moves after some bytes, until the trouble ends. */
  stalls: number;
  random: () => number;
}

/** Which answers are lost. */
interface LostAnswers {
  /** The text in a request whose answer may be lost. */
  to: string;
  share: number;
  random: () => number;
}

/** A TCP proxy between clients and a server, which can cut, stall and silence connections. */
export interface ConnectionProxy {
  port: number;
  /** Resets every connection. @returns Their number. */
  cutAll(): number;
  /** Disturbs connections until it is called with `null`. Stalled connections are then reset. */
  disturb(trouble: Trouble | null): void;
  /** Resets connections after the effect of some requests, before their answers arrive, until it is called with `null`. */
  loseAnswers(lost: LostAnswers | null): void;
  /** Swallows all bytes of all connections, as a network that loses its packets. Ends with `false`, which resets these connections. */
  silence(isSilent: boolean): void;
  close(): Promise<void>;
}

const MAX_BYTES_BEFORE_TROUBLE = 200_000;

/** Starts a proxy in front of a server. @param target Where the server listens. */
export async function startConnectionProxy(target: NetConnectOpts): Promise<ConnectionProxy> {
  const pairs = new Set<readonly [Socket, Socket]>();
  const stalled = new Set<Socket>();
  let current: Trouble | null = null;
  let lost: LostAnswers | null = null;
  let isSilenced = false;

  const server = createServer((socket) => {
    const upstream = connect(target);
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
    socket.on('data', (request: Buffer) => {
      if (lost && request.includes(lost.to) && lost.random() < lost.share) loseAnswer(pair);
    });
    if (isSilenced) stall(pair);
    else if (current) plan(current, socket, upstream);
  });

  function plan({ resets, stalls, random }: Trouble, socket: Socket, upstream: Socket): void {
    const choice = random();
    if (choice >= resets + stalls) return;
    let bytesLeft = Math.floor(random() ** 3 * MAX_BYTES_BEFORE_TROUBLE);
    const watch = (chunk: Buffer) => {
      bytesLeft -= chunk.length;
      if (bytesLeft > 0) return;
      if (choice < resets) {
        reset([socket, upstream]);
        return;
      }
      stall([socket, upstream]);
    };
    socket.on('data', watch);
    upstream.on('data', watch);
  }

  function stall([socket, upstream]: readonly [Socket, Socket]): void {
    stalled.add(socket);
    for (const [from, to] of [
      [socket, upstream],
      [upstream, socket],
    ] as const) {
      from.unpipe(to);
      from.pause();
    }
  }

  function loseAnswer(pair: readonly [Socket, Socket]): void {
    const [socket, upstream] = pair;
    upstream.unpipe(socket);
    upstream.once('data', () => reset(pair)).resume();
  }

  function reset([socket, upstream]: readonly [Socket, Socket]): void {
    socket.resetAndDestroy();
    // Unix sockets cannot be reset.
    if ('path' in target) upstream.destroy();
    else upstream.resetAndDestroy();
  }

  const resetStalled = () => {
    for (const socket of stalled) socket.resetAndDestroy();
  };

  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    cutAll() {
      const count = pairs.size;
      for (const pair of pairs) reset(pair);
      return count;
    },
    disturb(trouble) {
      current = trouble;
      if (!trouble) resetStalled();
    },
    loseAnswers(answers) {
      lost = answers;
    },
    silence(isSilent) {
      isSilenced = isSilent;
      if (isSilent) for (const pair of pairs) stall(pair);
      else resetStalled();
    },
    async close() {
      for (const pair of pairs) for (const socket of pair) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
