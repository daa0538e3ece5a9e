import type { HttpResponse, RequestOptions } from '@berth/testing/requests';
import { startServer, type TestServer } from '@berth/testing/server';

/** Senders of requests. The credential of `unknown` does not exist. */
export const ACTORS = ['api', 'deploy', 'anonymous', 'unknown'] as const;
export type Actor = (typeof ACTORS)[number];

/**
 * Placeholders of resources, which have different ids on both servers. `$claim`, `$upload`, `$invite`, `$member` and `$cursor` exist as well.
 */
export const RESOURCES = ['$site', '$theirs', '$domain', '$platform', '$token'] as const;

/** One of two servers with the same data. */
export interface TwinServer {
  server: TestServer;
  /** The values of the placeholders on this server. */
  ids: Map<string, string>;
  request(path: string, actor: Actor, options?: RequestOptions): Promise<HttpResponse>;
  /** Replaces the resources that calls have used up. @param list The list that `$cursor` continues. */
  replenish(list: string): Promise<void>;
  /** Advances the fixed time of the server, so that both servers give resources the same times. */
  tick(): void;
}

const SITE = { 'index.html': 'home' };

/** Starts two servers and creates the same accounts, sites, domains and tokens on both. */
export async function startTwins(): Promise<readonly [TwinServer, TwinServer]> {
  const startMs = Date.now();
  return [await startTwin(startMs), await startTwin(startMs)];
}

async function startTwin(startMs: number): Promise<TwinServer> {
  let nowMs = startMs;
  const advanceClock = () => void (nowMs += 1);
  const server = await startServer({ parts: () => ({ now: () => new Date(nowMs) }) });
  const [mine, theirs] = [await server.account('scale'), await server.account('scale')];
  const keys: Record<Actor, string | null> = {
    api: mine.key,
    deploy: mine.deployToken,
    anonymous: null,
    unknown: `ship-${'f'.repeat(32)}`,
  };
  const request: TwinServer['request'] = (path, actor, options) => server.api(path, { ...options, key: keys[actor] });
  const publish = async (key: string | null) => {
    advanceClock();
    return server.publish(SITE, { key });
  };
  const ids = new Map([
    ['$account', mine.account],
    ['$theirs', (await publish(theirs.key)).deployment],
  ]);
  for (let n = 0; n < 3; n += 1) await publish(mine.key);

  let lastNumber = 0;
  async function replenishList(list: string): Promise<void> {
    advanceClock();
    ids.set('$site', (await publish(mine.key)).deployment);
    ids.set('$claim', (await publish(null)).claim!.split('/').at(-1)!);
    lastNumber += 1;
    ids.set('$domain', `www.made-${lastNumber}.dev`).set('$platform', `made-${lastNumber}.localhost`);
    for (const name of ['$domain', '$platform']) await request(`/domains/${ids.get(name)}`, 'api', { method: 'PUT' });
    advanceClock();
    const createdToken = await request('/tokens', 'api', { method: 'POST', json: { kind: 'deploy' } });
    const { token, secret } = createdToken.json<{ token: string; secret: string }>();
    server.secrets.add(secret);
    ids.set('$token', token);
    // An account can have only 100 open invitations.
    await server.database.query('delete from invite');
    const createdInvite = await request('/account/invites', 'api', { method: 'POST', json: {} });
    ids.set('$invite', createdInvite.json<{ invite: string }>().invite);
    const [member] = await server.database.query<{ id: string }>(
      `insert into member (account_id, email, role, created) values ($1, $2, 'member', $3) returning id`,
      [mine.account, `made-${lastNumber}@test`, new Date(nowMs)],
    );
    ids.set('$member', `mem-${member!.id}`);
    // Delete the uploads of earlier inputs, because a credential can have only 20 open uploads.
    await server.database.query('delete from upload where committed is null');
    await server.database.query('update account set storage_exact = false, storage_version = storage_version + 1');
    // The upload changes no file, so no content is missing.
    const begunUpload = await request('/uploads', 'api', {
      method: 'POST',
      json: { base: ids.get('$site'), put: [], remove: [] },
    });
    ids.set('$upload', begunUpload.json<{ upload: string }>().upload);
    const listPage = await request(`/${list}?limit=1`, 'api');
    ids.set('$cursor', listPage.json<{ nextCursor?: string }>().nextCursor ?? 'none');
  }
  return { server, ids, request, replenish: replenishList, tick: advanceClock };
}

export function resolveIds(text: string, { ids }: TwinServer): string {
  return text.replace(/\$[a-z]+/g, (name) => ids.get(name) ?? name);
}

/** Patterns of random ids and secrets, with their replacements. */
const RANDOM_PATTERNS: readonly [RegExp, string][] = [
  [/\b[a-z]{2,16}-[a-z]{2,16}-[a-z0-9]{7}\b/g, '<deployment>'],
  [/"(?:ship|deploy)-[0-9a-f]{32}"/g, '"<secret>"'],
  [/\b[0-9a-f]{40}\b/g, '<proof>'],
  [/\b[0-9a-f]{32}\b/g, '<hash>'],
  [/\bto-[a-z0-9]{7}\b/g, '<target>'],
  [/\binv-[a-z0-9]{7}\b/g, '<invite>'],
  [/\bmem-\d+\b/g, '<member>'],
  [/"(token|hint)":"[a-z0-9]{4,7}"/g, '"$1":"<random>"'],
  [/"nextCursor":"[^"]*"/g, '"nextCursor":"<cursor>"'],
  [/"email":"[^"]*@test"/g, '"email":"<random>"'],
];

/** Replaces all values in a text that differ between the two servers. */
export function anonymise(text: string, { ids, server }: TwinServer): string {
  let anonymous = text.replaceAll(`:${server.port}`, ':<port>');
  for (const [name, id] of ids)
    if (id.length >= 7 && !id.startsWith('made') && !id.startsWith('www'))
      anonymous = anonymous.replaceAll(id, `<${name}>`);
  return RANDOM_PATTERNS.reduce((result, [pattern, value]) => result.replace(pattern, value), anonymous);
}
