import type { Server } from 'node:net';
import { clientNetwork, isTrusted, type TrustedProxies } from './client-address.ts';

/**
 * Limits how many connections a server keeps open, in total and for each client network. Further connections are closed
 * at once.
 *
 * Connections of trusted proxies count only towards the total, because they carry many clients. Source: security T5.
 */
export function limitSockets(
  server: Server,
  limits: { maxSockets: number; maxSocketsPerAddress: number },
  proxies: TrustedProxies,
): void {
  const counts = new Map<string, number>();
  server.maxConnections = limits.maxSockets;
  server.on('connection', (socket) => {
    if (isTrusted(socket.remoteAddress, proxies)) return;
    const network = clientNetwork(socket.remoteAddress);
    const count = counts.get(network) ?? 0;
    if (count >= limits.maxSocketsPerAddress) {
      socket.destroy();
      return;
    }
    counts.set(network, count + 1);
    socket.once('close', () => {
      const rest = counts.get(network)! - 1;
      if (rest === 0) counts.delete(network);
      else counts.set(network, rest);
    });
  });
}
