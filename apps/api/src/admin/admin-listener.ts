import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import type { Log } from '@berth/core';
import type { Config } from '../config/config.ts';
import { closeIdleConnections, createHttpServer } from '../http/server.ts';
import { type AdminParts, createAdminHandler } from './admin-handler.ts';

const IDLE_CHECK_MS = 50;
/** The listener serves a few probes, proxies and scrapers, so that a flood of them cannot take the sockets of visitors. */
const LIMITS = { maxSockets: 512, maxSocketsPerAddress: 256 };

/** A listener for operators and proxies. */
export interface AdminListener {
  port: number;
  /** Stops listening and waits for running requests. Safe to call again. */
  close(): Promise<void>;
}

/**
 * Opens the listener for operators and proxies, which listens at once. Does nothing without `ADMIN_LISTEN`.
 *
 * @throws Error if it cannot listen. The message names `ADMIN_LISTEN`. Source: api §12; security T42.
 */
export async function openAdminListener(
  { adminListen, adminToken }: Pick<Config, 'adminListen' | 'adminToken'>,
  log: Log,
  parts: AdminParts,
): Promise<AdminListener | null> {
  if (adminListen === null) return null;
  const server = createHttpServer(createAdminHandler(parts, adminToken), { log, limits: LIMITS });
  try {
    await once(server.listen({ ...adminListen, ipv6Only: true }), 'listening');
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    const reason = code === 'EADDRINUSE' ? `port ${adminListen.port} is in use` : message;
    throw new Error(`ADMIN_LISTEN cannot be used: ${reason}. Set it to a free port of an address of this machine.`, {
      cause,
    });
  }
  const { port } = server.address() as AddressInfo;
  log.info({ host: adminListen.host, port }, 'Listening for operators and proxies');
  let closing: Promise<void> | null = null;
  const close = async () => {
    const closed = new Promise((done) => server.close(done));
    const checks = setInterval(() => closeIdleConnections(server), IDLE_CHECK_MS);
    await closed;
    clearInterval(checks);
  };
  return { port, close: () => (closing ??= close()) };
}
