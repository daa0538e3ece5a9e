import { mkdtemp, rm } from 'node:fs/promises';
import type { IncomingHttpHeaders } from 'node:http2';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePorts } from '@berth/testing/free-ports';
import { createTestDatabase } from '@berth/testing/database';
import { type DnsServer, startDnsServer } from '@berth/testing/dns-server';
import { launchProcess, type LaunchedProcess, whenUp } from '@berth/testing/process';
import { testEnvironment } from '@berth/testing/server';

/** A server in its own process, for a proxy on this machine. */
export interface Backend {
  server: LaunchedProcess;
  dns: DnsServer;
  /** The port of the server. */
  port: number;
  /** The port of the listener for operators and proxies. */
  adminPort: number;
  /** The origin of the API, as clients of the proxy use it. */
  api: string;
  /** The platform domain, with the port of the proxy. */
  platformDomain: string;
  /** Resolves with the line of the access log for a response. */
  accessLine(headers: IncomingHttpHeaders): Promise<Record<string, unknown>>;
  stop(): Promise<void>;
}

/** Starts a server whose URLs contain the https port of a proxy. It trusts the proxy at 127.0.0.1. */
export async function startBackend(httpsPort: number): Promise<Backend> {
  const [port, adminPort] = (await freePorts(2)) as [number, number];
  const [database, dns, dataDir] = await Promise.all([
    createTestDatabase(),
    startDnsServer(),
    mkdtemp(join(tmpdir(), 'berth-proxy-')),
  ]);
  const api = `https://localhost:${httpsPort}`;
  const platformDomain = `sites.localhost:${httpsPort}`;
  const server = launchProcess({
    ...testEnvironment(database, dataDir, {
      PORT: String(port),
      ADMIN_LISTEN: `127.0.0.1:${adminPort}`,
      BASE_URL: api,
      PLATFORM_DOMAIN: platformDomain,
      TRUST_PROXY: '127.0.0.1',
      DNS_SERVERS: dns.address,
      JOBS: 'off',
    }),
    // As `npm start` sets them, so that freed memory is returned.
    MALLOC_ARENA_MAX: '2',
    MALLOC_MMAP_THRESHOLD_: '131072',
  });
  await whenUp(server);
  return {
    server,
    dns,
    port,
    adminPort,
    api,
    platformDomain,
    async accessLine({ 'x-request-id': requestId }) {
      await server.printed(`"requestId":"${String(requestId)}"`);
      const line = server
        .output()
        .split('\n')
        .find((text) => text.includes(`"requestId":"${String(requestId)}"`));
      return JSON.parse(line!) as Record<string, unknown>;
    },
    async stop() {
      server.child.kill('SIGTERM');
      await server.exited;
      await dns.close();
      await database.drop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}
