import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { armFailpoint, beat, type Core, createLiveSites, ensureOwner, type Log, unavailable } from '@berth/core';
import { sendError } from './http/error-answer.ts';
import { type Config, readConfig } from './config.ts';
import { createFrontDoor } from './front-door.ts';
import { parseTrustedProxies } from './http/client-address.ts';
import { closeIdleConnections, createHttpServer } from './http/server.ts';
import { type Jobs, startJobs } from './jobs.ts';
import { openCore } from './open-core.ts';

/** A running server. */
export interface Berth {
  /** What it runs with; the port is the one it listens on. */
  config: Config;
  core: Core;
  /** The owner's API key, when this start minted it. */
  ownerKey: string | null;
  /** Finishes running requests, takes no new ones, and lets everything go. Calling it again is no error. */
  close(): Promise<void>;
}

const IDLE_CHECK_MS = 50;

/**
 * Starts a server from its environment: listens at once, answering 503 until the database is migrated and the owner's
 * account is there. Any start may follow any crash.
 *
 * @throws ConfigError; or why it could not listen or reach its database, with everything let go again.
 * Source: contract §8, §10.
 */
export async function startBerth(env: Readonly<Record<string, string | undefined>>, log: Log): Promise<Berth> {
  const asked = readConfig(env);
  armFailpoint(asked.failpoint);
  let answer = (_req: IncomingMessage, res: ServerResponse): void | Promise<void> =>
    sendError(res, unavailable('The service is starting.', undefined, 1));
  const servers = await listen(asked, log, (req, res) => answer(req, res));
  const resources = new AsyncDisposableStack();
  let endStreams = () => {};
  const close = async () => {
    endStreams();
    await closeServers(servers);
    await resources.disposeAsync();
  };
  try {
    const config =
      asked.port === 0 ? readConfig({ ...env, PORT: String((servers[0]!.address() as AddressInfo).port) }) : asked;
    const core = await openCore(config, { log, resources });
    endStreams = () => core.activityFeed.end();
    await beat(core);
    const ownerKey = await ensureOwner(core, {
      email: config.ownerEmail,
      plan: config.ownerPlan,
      apiKey: config.ownerApiKey ?? undefined,
    });
    const jobs: Jobs = startJobs(core, config.sweep);
    resources.defer(() => jobs.stop());
    if (config.allowInsecure && config.publicScheme === 'http')
      log.warn({}, 'ALLOW_INSECURE is on: site passwords and unlock cookies travel over plain http.');
    answer = createFrontDoor({ core, config, sites: createLiveSites(core), log });
    return { config, core, ownerKey, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** One server an address. An address that this machine does not have is left out, as long as another one is there. */
async function listen(
  config: Config,
  log: Log,
  handler: (req: IncomingMessage, res: ServerResponse) => void | Promise<void>,
): Promise<Server[]> {
  const servers: Server[] = [];
  let { port } = config;
  try {
    for (const host of config.hosts) {
      const server = createHttpServer(handler, { log, trustedProxies: parseTrustedProxies(config.trustedProxies) });
      try {
        await listenOn(server, host, port);
      } catch (error) {
        const absent = ['EADDRNOTAVAIL', 'EAFNOSUPPORT'].includes((error as NodeJS.ErrnoException).code ?? '');
        if (absent && config.hosts.length > 1) continue;
        throw error;
      }
      servers.push(server);
      ({ port } = server.address() as AddressInfo);
    }
    if (servers.length === 0)
      throw new Error(`None of the addresses ${config.hosts.join(', ')} is one of this machine's.`);
    return servers;
  } catch (error) {
    await closeServers(servers);
    throw error;
  }
}

function listenOn(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject).listen({ host, port, ipv6Only: true }, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

/** Stops listening and waits for the requests at hand. Other connections are closed, those with a request as soon as it is answered. */
async function closeServers(servers: readonly Server[]): Promise<void> {
  const listening = servers.filter((server) => server.listening);
  const closed = listening.map((server) => new Promise((done) => server.close(done)));
  // The first turn comes after a moment in which a request that has just been sent can arrive.
  const turns = setInterval(() => listening.forEach(closeIdleConnections), IDLE_CHECK_MS);
  await Promise.all(closed);
  clearInterval(turns);
}
