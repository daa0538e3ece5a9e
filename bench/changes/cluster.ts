import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** A proxy in front of a PostgreSQL server, which delays what the server sends. */
export interface DelayingProxy {
  /** The folder of the socket. */
  socketDir: string;
  /** The delay of what the server sends, in milliseconds. */
  delayMs: number;
  close(): Promise<void>;
}

/** Starts a proxy. @param target Returns the folder of the socket of the server, which may start later. */
export async function startDelayingProxy(target: () => string): Promise<DelayingProxy> {
  const socketDir = await mkdtemp(join(tmpdir(), 'berth-delay-'));
  await chmod(socketDir, 0o755);
  const sockets = new Set<Socket>();
  const proxy: DelayingProxy = {
    socketDir,
    delayMs: 0,
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((done) => server.close(done));
      await rm(socketDir, { recursive: true, force: true });
    },
  };
  const server = createServer((client) => {
    const upstream = connect(join(target(), '.s.PGSQL.5432'));
    client.pipe(upstream);
    // One after another, so that a change of the delay does not change the order.
    let sent: Promise<void> = Promise.resolve();
    upstream.on('data', (bytes) => {
      const sendAtMs = performance.now() + proxy.delayMs;
      sent = sent.then(async () => {
        const waitMs = sendAtMs - performance.now();
        if (waitMs > 0) await sleep(waitMs);
        if (!client.destroyed) client.write(bytes);
      });
    });
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(from);
      from.on('error', () => {}).on('close', () => to.destroy());
    }
  });
  const file = join(socketDir, '.s.PGSQL.5432');
  await new Promise<void>((done) => void server.listen(file, done));
  await chmod(file, 0o777);
  return proxy;
}
