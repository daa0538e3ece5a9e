import { type DnsServer, startDnsServer } from '@berth/core/testing';
import type { CreatedDeployment } from '@berth/contract';
import { closeClean } from '../standing-asserts.ts';
import { type PlanChanges, startWithPlans } from '../start-with-plans.ts';
import { type Answer, type Ask, type Files, formOf, type PublishOptions, type TestServer } from '../test-server.ts';

/** The values of {base_url}, {platform_domain} and {claim_url} in the document. */
export const BASE_URL = 'https://api.berth.test';
export const PLATFORM_DOMAIN = 'sites.test';
export const CLAIM_URL = `${BASE_URL}/claim`;

export const HOME: Files = { 'index.html': '<h1>Home</h1>' };
export const PASSWORD = 'open-sesame';
export const DAY_SECONDS = 86_400;

type TestAccount = Awaited<ReturnType<TestServer['account']>>;

/** A record as `GET /domains/{domain}/records` lists it. */
interface DnsRecord {
  type: string;
  name: string;
  value: string;
}

/** A service behind a proxy that terminates TLS, with a DNS server and two accounts on the Team plan. */
export interface World {
  server: TestServer;
  dns: DnsServer;
  mine: TestAccount;
  theirs: TestAccount;
  /** Sends a request to the API. @param body JSON. The default key is that of `mine`. */
  send(method: string, path: string, body?: unknown, ask?: Ask): Promise<Answer>;
  /** Publishes; the answer may be an error. The default key is that of `mine`. */
  deploy(files?: Files, options?: PublishOptions): Promise<Answer>;
  /** Publishes. @throws when the answer is not 201. */
  publish(files?: Files, options?: PublishOptions): Promise<CreatedDeployment>;
  /** Publishes without a credential. */
  publishAnonymous(): Promise<CreatedDeployment & { claim: string; hash: string }>;
  /** Opens a URL of a site. */
  visit(url: string, ask?: Ask): Promise<Answer>;
  /** Creates a custom domain, adds its DNS records and verifies it. */
  serveAt(name: string, deployment: string, key?: string): Promise<void>;
  /** Runs `work` with the clock of the service moved. */
  later<T>(seconds: number, work: () => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/** @param plans Changes to the built-in plans. @param env Additional variables. */
export async function startWorld(plans: PlanChanges = {}, env: Record<string, string> = {}): Promise<World> {
  const dns = await startDnsServer();
  const server = await startWithPlans(plans, {
    BASE_URL,
    PLATFORM_DOMAIN,
    CNAME_TARGET: 'cname.berth.test',
    APEX_ADDRESSES: '192.0.2.10',
    DNS_SERVERS: dns.address,
    TRUST_PROXY: '127.0.0.1',
    ...env,
  });
  const { core } = server.berth;
  const [mine, theirs] = [await server.account('team'), await server.account('team')];
  const host = new URL(BASE_URL).host;

  const send: World['send'] = (method, path, body, { headers, ...ask } = {}) =>
    server.api(path, {
      method,
      key: mine.key,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...ask,
      headers: { Host: host, ...(body === undefined ? {} : { 'Content-Type': 'application/json' }), ...headers },
    });
  const deploy: World['deploy'] = (files = HOME, { fields = {}, headers, ...ask } = {}) => {
    const { contentType, body } = formOf(files, fields);
    return send('POST', '/deployments', undefined, {
      ...ask,
      body,
      headers: { 'Content-Type': contentType, ...headers },
    });
  };
  const publish: World['publish'] = async (files, options) => {
    const answer = await deploy(files, options);
    if (answer.status !== 201) throw new Error(`Publishing answered ${answer.status}: ${answer.text}`);
    return answer.json<CreatedDeployment>();
  };

  return {
    server,
    dns,
    mine,
    theirs,
    send,
    deploy,
    publish,
    async publishAnonymous() {
      const made = await publish(HOME, { key: null });
      return { ...made, claim: made.claim!, hash: made.claim!.split('/').at(-1)! };
    },
    visit: (url, ask) => server.visit(url, new URL(url).pathname, ask),
    async serveAt(name, deployment, key = mine.key) {
      await send('PUT', `/domains/${name}`, { deployment }, { key });
      const { records } = (await send('GET', `/domains/${name}/records`, undefined, { key })).json<{
        records: DnsRecord[];
      }>();
      for (const { type, name: at, value } of records) dns.zone.set(at, { [type]: type === 'CNAME' ? value : [value] });
      const verified = await send('POST', `/domains/${name}/verify`, undefined, { key });
      if (verified.json()['status'] !== 'success') throw new Error(`${name} was not verified: ${verified.text}`);
    },
    async later(seconds, work) {
      const { now } = core;
      core.now = () => new Date(now().getTime() + seconds * 1_000);
      try {
        return await work();
      } finally {
        core.now = now;
      }
    },
    async close() {
      await closeClean(server, [PASSWORD]);
      await dns.close();
    },
  };
}
