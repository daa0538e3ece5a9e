import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { type Core, type Log, unavailable } from '@berth/core';
import { LiveSiteCache, type LiveSites, VerifiedNames } from '@berth/core/sites';
import type { Config } from '../config/config.ts';
import { closeIdleConnections, createHttpServer } from '../http/server.ts';
import { type AdminParts, createAdminHandler } from './admin-handler.ts';
import { mayHaveCertificate } from './certificate-names.ts';

const NAMES_FILE = 'domain-names';
const IDLE_CHECK_MS = 50;
const SITE_CACHE = { sitesBytes: 4 * 1024 ** 2, linksBytes: 1024 ** 2 };
/** Finds sites until the database is open. */
const NO_SITES_YET: Pick<LiveSites, 'find'> = {
  find: () => Promise.reject(unavailable('The service is starting.', undefined, 1)),
};
/** Few clients use the listener. The limits keep them from using up the sockets for visitors. */
const LIMITS = { maxSockets: 512, maxSocketsPerAddress: 256 };

/** A listener for operators and proxies. */
export interface AdminListener {
  port: number;
  /** Reads names from the database from now on. Until then, `/tls-allowed` knows those of an earlier process. */
  follow(core: Core): void;
  /** Stops listening and waits for running requests. Safe to call again. */
  close(): Promise<void>;
}

/**
 * Opens the listener for operators and proxies, which listens at once. Does nothing without `ADMIN_LISTEN`.
 *
 * @throws Error if it cannot listen. The message names `ADMIN_LISTEN`. Source: api §12; security T42.
 */
export async function openAdminListener(
  config: Config,
  log: Log,
  parts: Omit<AdminParts, 'mayHaveCertificate'>,
): Promise<AdminListener | null> {
  const { adminListen, adminToken } = config;
  if (adminListen === null) return null;
  const verifiedNames = await VerifiedNames.open(join(config.dataDir, NAMES_FILE), log);
  let sites = config.tlsOnDemand === 'all' ? NO_SITES_YET : null;
  const handler = createAdminHandler(
    { ...parts, mayHaveCertificate: (name) => mayHaveCertificate(name, { config, verifiedNames, sites }) },
    adminToken,
  );
  const server = createHttpServer(handler, { log, limits: LIMITS });
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
    await verifiedNames.close();
  };
  const follow = (core: Core) => {
    verifiedNames.follow(core);
    if (sites) sites = new LiveSiteCache(core, SITE_CACHE);
  };
  return { port, follow, close: () => (closing ??= close()) };
}
