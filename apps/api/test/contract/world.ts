import { startServer, type TestServer } from '@berth/testing/server';

type Account = Awaited<ReturnType<TestServer['account']>>;

const JSON_TYPE = { 'Content-Type': 'application/json' };

/** A server with one resource of each kind, and accounts of each kind. */
export interface World {
  server: TestServer;
  ownAccount: Account;
  otherAccount: Account;
  /** An account that has reached its caps. */
  full: Account;
  suspended: Account;
  /** See {@link exhaust}. */
  hasty: Account;
  site: string;
  /** The site that a platform domain shows. */
  linkedSite: string;
  deletedSite: string;
  expiringSite: string;
  platformDomain: string;
  customDomain: string;
  /** A domain of another account. */
  theirDomain: string;
  token: string;
  /** Sends JSON with the key of {@link ownAccount}, or another one. @throws for an error status. */
  make(method: string, path: string, body?: object, key?: string): Promise<Record<string, string>>;
  /** Deploys anonymously. @returns The claim URL. */
  abandon(): Promise<string>;
  /** Makes {@link hasty} exceed its rate limit. */
  exhaust(): Promise<void>;
  /** A name that is not used yet. */
  freshName(suffix?: string): string;
}

/** Starts a server with high limits that refill slowly; Free allows one deployment and one domain. */
export async function createWorld(): Promise<World> {
  const server = await startServer({
    plans: { free: { caps: { deployments: 1, platformDomains: 1 }, limits: { maxFileSize: 1_000, maxFilesCount: 2 } } },
    env: {
      RATE_LIMITS: ['global', 'deploy', 'anonymous', 'claim'].map((name) => `${name}=20000/h`).join(','),
      CNAME_TARGET: 'cname.berth.dev',
    },
  });
  const [mine, theirs, full, suspended, hasty] = [
    await server.account('team'),
    await server.account('team'),
    await server.account('free'),
    await server.account('team'),
    await server.account('team'),
  ];
  let serial = 0;
  const freshName = (suffix = 'localhost') => `name-${(serial += 1)}.${suffix}`;
  const make: World['make'] = async (method, path, body, key = mine.key) => {
    const json = body === undefined ? {} : { headers: JSON_TYPE, body: JSON.stringify(body) };
    const answer = await server.api(path, { method, key, ...json });
    if (answer.status >= 300) throw new Error(`${method} ${path} answered ${answer.status}: ${answer.text}`);
    return answer.json<Record<string, string>>();
  };
  const publish = async (key: string | null, fields: Record<string, string> = {}) =>
    server.publish({ 'index.html': `<title>${(serial += 1)}</title>` }, { key, fields });

  const [site, linkedSite, deletedSite, expiringSite] = [
    await publish(mine.key, { labels: '["one"]', password: 'open sesame' }),
    await publish(mine.key),
    await publish(mine.key),
    await publish(mine.key, { ttl: '3600' }),
  ];
  await publish(full.key);
  const [platformDomain, theirDomain, customDomain] = [freshName(), freshName(), freshName('berth-shop.dev')];
  await make('PUT', `/domains/${platformDomain}`, { deployment: linkedSite.deployment, labels: ['two'] });
  await make('PUT', `/domains/${theirDomain}`, {}, theirs.key);
  await make('PUT', `/domains/${freshName()}`, {}, full.key);
  await make('PUT', `/domains/${customDomain}`, { deployment: site.deployment });
  await make('DELETE', `/deployments/${deletedSite.deployment}`);
  const { token } = await make('POST', '/tokens', { labels: ['three'] });
  await server.database.query(`update account set state = 'suspended' where id = $1`, [suspended.account]);
  return {
    server,
    ownAccount: mine,
    otherAccount: theirs,
    full,
    suspended,
    hasty,
    site: site.deployment,
    linkedSite: linkedSite.deployment,
    deletedSite: deletedSite.deployment,
    expiringSite: expiringSite.deployment,
    platformDomain,
    customDomain,
    theirDomain,
    token: token!,
    make,
    freshName,
    async exhaust() {
      await server.api('/ping', { key: hasty.key });
      await server.database.query(
        `update rate_bucket set "full" = now() + interval '2 hours' where key like '%' || $1`,
        [hasty.account],
      );
    },
    abandon: async () => (await publish(null)).claim!,
  };
}

/** Makes every read of credentials fail with an SQLSTATE during `work`. */
export async function withFault<T>(
  { server: { database } }: World,
  sqlState: string,
  work: () => Promise<T>,
): Promise<T> {
  await database.query('alter table token rename to token_away');
  await database.query(
    `create function fault() returns boolean language plpgsql as $$ begin raise exception using errcode = '${sqlState}'; end $$`,
  );
  await database.query('create view token as select * from token_away where fault()');
  try {
    return await work();
  } finally {
    await database.query('drop view token');
    await database.query('drop function fault');
    await database.query('alter table token_away rename to token');
  }
}
