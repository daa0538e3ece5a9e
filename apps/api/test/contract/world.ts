import type { Plan } from '@berth/contract';
import { actForAccount, addMember, setTakenDown } from '@berth/core/operator';
import { startServer } from '@berth/testing/server';

export type World = Awaited<ReturnType<typeof createWorld>>;

/** Plans with small caps and limits. They are not listed, so that recorded examples show the real plans. */
const SMALL_PLANS: Record<string, Pick<Plan, 'caps' | 'limits'>> = {
  free: {
    caps: { deployments: 1, platformDomains: 1, customDomains: 0, seats: 1, storage: 1_000_000 },
    limits: { maxFileSize: 1_000, maxFilesCount: 2, maxTotalSize: 1_000_000 },
  },
  thrifty: {
    caps: { deployments: 100, platformDomains: 5, customDomains: 0, seats: 1, storage: 3 },
    limits: { maxFileSize: 1_000, maxFilesCount: 2, maxTotalSize: 1_000_000 },
  },
};

/** Starts a server with high rate limits, {@link SMALL_PLANS}, and one resource and account of each kind. */
export async function createWorld() {
  const server = await startServer({
    env: {
      RATE_LIMITS: ['global', 'deploy', 'anonymous', 'claim'].map((name) => `${name}=20000/h`).join(','),
      CNAME_TARGET: 'cname.example.com',
    },
    parts: ({ plans }) => ({
      plans: {
        ...plans,
        anonymous: { ...plans.anonymous, ...SMALL_PLANS['free'] },
        get: (plan) => ({ ...plans.get(plan), ...SMALL_PLANS[plan] }),
      },
    }),
  });
  const [mine, theirs, full, thrifty, suspended, hasty] = [
    await server.account('team'),
    await server.account('team'),
    await server.account('free'),
    await server.account('thrifty'),
    await server.account('team'),
    await server.account('team'),
  ];
  let lastNumber = 0;
  const freshName = (suffix = 'localhost') => `name-${(lastNumber += 1)}.${suffix}`;
  /** Sends JSON and returns the JSON of the response. @throws for an error status. */
  const send = async (method: string, path: string, body?: object, key = mine.key) => {
    const response = await server.api(path, { method, key, json: body });
    if (response.status >= 300) throw new Error(`${method} ${path} returned ${response.status}: ${response.text}`);
    return response.json<Record<string, string>>();
  };
  const publish = async (key: string | null, fields: Record<string, string> = {}) =>
    server.publish({ 'index.html': `<title>${(lastNumber += 1)}</title>` }, { key, fields });

  const [site, linkedSite, deletedSite, expiringSite, takenDownSite] = [
    await publish(mine.key, { labels: '["us-east-1"]', password: 'open sesame' }),
    await publish(mine.key),
    await publish(mine.key),
    await publish(mine.key, { ttl: '3600' }),
    await publish(mine.key),
  ];
  await setTakenDown(server.berth.core, takenDownSite.deployment, true, { reason: 'Phishing, reported 3 May' });
  await publish(full.key);
  const [platformDomain, theirDomain, customDomain] = [freshName(), freshName(), freshName('example.com')];
  await send('PUT', `/domains/${platformDomain}`, { deployment: linkedSite.deployment, labels: ['shop'] });
  await send('PUT', `/domains/${theirDomain}`, {}, theirs.key);
  await send('PUT', `/domains/${freshName()}`, {}, full.key);
  await send('PUT', `/domains/${customDomain}`, { deployment: site.deployment });
  await send('DELETE', `/deployments/${deletedSite.deployment}`);
  const { token, secret } = await send('POST', '/tokens', { labels: ['ci-main'], domains: [platformDomain] });
  server.secrets.add(secret!);
  const mineScope = await actForAccount(server.berth.core, mine.account);
  const freshMember = async (email = `member-${(lastNumber += 1)}@example.com`) =>
    (await addMember(mineScope, email)).member;
  await freshMember('member@example.com');
  const memberToken = await send('POST', '/tokens', { kind: 'api' });
  server.secrets.add(memberToken['secret']!);
  await server.database.query(`insert into person (id, email, created) values ('per-1', 'member@example.com', now())`);
  await server.database.query(`update member set person_id = 'per-1' where email = 'member@example.com'`);
  await server.database.query(`update token set person_id = 'per-1' where token = $1`, [memberToken['token']]);
  await server.database.query(`update account set state = 'suspended' where id = $1`, [suspended.account]);
  return {
    server,
    ownAccount: mine,
    otherAccount: theirs,
    /** An account that has reached its caps. */
    full,
    /** An account whose plan has almost no storage. */
    thrifty,
    suspended,
    /** An account whose rate limit `exhaust` uses up. */
    hasty,
    site: site.deployment,
    /** A site that a platform domain shows. */
    linkedSite: linkedSite.deployment,
    deletedSite: deletedSite.deployment,
    expiringSite: expiringSite.deployment,
    takenDownSite: takenDownSite.deployment,
    platformDomain,
    customDomain,
    /** A domain of another account. */
    theirDomain,
    token: token!,
    /** The secret of `token`, a deploy token that can publish to `platformDomain`. */
    deployToken: secret!,
    /** An API key that a member who is not the owner made. */
    memberKey: memberToken['secret']!,
    /** Adds a member to the account. @returns The id of the member. */
    freshMember,
    send,
    freshName,
    async exhaust() {
      await server.api('/ping', { key: hasty.key });
      await server.database.query(
        `update rate_bucket set "full" = now() + interval '2 hours' where key like '%' || $1`,
        [hasty.account],
      );
    },
    /** Deploys without a credential. @returns The claim URL. */
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
