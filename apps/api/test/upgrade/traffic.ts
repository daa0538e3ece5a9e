import { randomUUID } from 'node:crypto';
import type { BegunUpload } from '@berth/contract';
import { begin, bodyOf, commit, send } from '@berth/testing/delta';
import type { HttpResponse, TestClient } from '@berth/testing/requests';
import { listOf } from '@berth/testing/uploads';

/** Requests of clients to several servers on one database, until they are stopped. */
export interface Traffic {
  /** The servers that get requests. A test replaces them at any time. */
  servers: readonly TestClient[];
  /** Resolves after a whole round with the servers of this moment. Rejects with the first failed request or unseen change. */
  rounds(): Promise<void>;
  /** Ends the traffic after the running round. Rejects like {@link rounds}. */
  stop(): Promise<void>;
}

/** How long a change made through one server may stay unseen by another one, on a slow machine. */
const MAX_DELAY_MS = 20_000;

/**
 * Starts traffic. Each round changes something through every server, and waits until every other server shows it: deploys,
 * delta uploads over both servers, switches and deletions of domains, deletions of deployments, passwords.
 */
export function startTraffic(servers: readonly TestClient[]): Traffic {
  let isStopped = false;
  let current = Promise.withResolvers<void>();
  const traffic: Traffic = {
    servers,
    async rounds() {
      // The running round may have begun with other servers.
      await current.promise;
      await current.promise;
    },
    async stop() {
      isStopped = true;
      await current.promise;
    },
  };

  async function run(): Promise<void> {
    while (!isStopped) {
      for (const one of traffic.servers) await round(one, traffic.servers.find((each) => each !== one) ?? one);
      const { resolve } = current;
      if (!isStopped) current = Promise.withResolvers();
      resolve();
    }
  }

  run().catch((error: unknown) => {
    current.promise.catch(() => {}); // The next call of `rounds` or `stop` rejects.
    current.reject(error);
  });
  return traffic;
}

async function round(one: TestClient, other: TestClient): Promise<void> {
  const id = randomUUID();
  const domain = `d-${id}.localhost`;
  const address = `http://${domain}`;
  const check = (response: HttpResponse, what: string, ...allowed: number[]): HttpResponse => {
    if (!allowed.includes(response.status))
      throw new Error(`${what} returned ${response.status}: ${response.text.slice(0, 300)}`);
    return response;
  };
  /** Visits a site through both servers until both respond as expected. */
  const seen = async (site: string, status: number, text = '') => {
    for (const server of [one, other])
      for (const deadline = performance.now() + MAX_DELAY_MS; ;) {
        const response = check(await server.visit(site), `visit of ${site}`, 200, 401, 404);
        if (response.status === status && response.text.includes(text)) break;
        if (performance.now() > deadline)
          throw new Error(
            `${site} still responds with ${response.status} instead of ${status}: ${response.text.slice(0, 300)}`,
          );
      }
  };
  const deploy = async (text: string, fields: Record<string, string> = {}) =>
    check(await one.deploy({ 'index.html': text }, { fields }), 'deploy', 201).json<{ deployment: string }>()
      .deployment;
  const api = async (server: TestClient, method: string, path: string, status: number, json?: object) =>
    check(await server.api(path, { method, json }), `${method} ${path}`, status);

  const first = await deploy(`first ${id}`, { domain });
  await seen(first, 200, `first ${id}`);
  await seen(address, 200, `first ${id}`);
  const contents = { 'index.html': `second ${id}` };
  const { upload } = check(await begin(one, { files: listOf(contents) }), 'begin', 201).json<BegunUpload>();
  check(await send(other, upload, bodyOf(Object.values(contents))), 'contents', 200);
  const { deployment: second } = check(await commit(one, upload), 'commit', 201).json<{ deployment: string }>();
  await api(other, 'PUT', `/domains/${domain}`, 200, { deployment: second });
  await seen(address, 200, `second ${id}`);
  await api(one, 'PATCH', `/deployments/${second}`, 200, { password: 'open sesame' });
  await seen(address, 401);
  await api(other, 'DELETE', `/deployments/${first}`, 202);
  await seen(first, 404);
  await api(one, 'DELETE', `/domains/${domain}`, 200);
  await seen(address, 404);
}
