import type { Answer, Ask } from '@berth/testing/requests';
import { startServer, type TestServer } from '@berth/testing/server';

/** Who sends the request: an account with either credential, an anonymous client, or a client with an unknown key. */
export const ACTORS = ['api', 'deploy', 'anonymous', 'unknown'] as const;
export type Actor = (typeof ACTORS)[number];

/**
 * Placeholders for resources in inputs. Each stands for a resource of this kind, which both servers have, with their
 * own ids. In addition there are `$claim` and `$upload`, secrets that belong into bodies and paths, and `$cursor`,
 * which differs between the servers.
 */
export const RESOURCES = ['$site', '$theirs', '$domain', '$platform', '$token'] as const;

/** One of two servers with the same data. */
export interface Twin {
  server: TestServer;
  /** The values of the placeholders on this server. */
  ids: Map<string, string>;
  ask(path: string, actor: Actor, ask?: Ask): Promise<Answer>;
  /** Creates the resources again that calls use up. @param list The list that `$cursor` continues. */
  replenish(list: string): Promise<void>;
  /** Advances its clock, which is stopped otherwise, so that resources have the same order and age on both servers. */
  tick(): void;
}

const SITE = { 'index.html': 'home' };

/** Starts two servers and creates the same accounts, sites, domains and tokens on both. */
export async function startTwins(): Promise<readonly [Twin, Twin]> {
  const begin = Date.now();
  return [await startTwin(begin), await startTwin(begin)];
}

async function startTwin(begin: number): Promise<Twin> {
  let now = begin;
  const tick = () => void (now += 1);
  const server = await startServer({ parts: () => ({ now: () => new Date(now) }) });
  const [mine, theirs] = [await server.account('scale'), await server.account('scale')];
  const keys: Record<Actor, string | null> = {
    api: mine.key,
    deploy: mine.deployToken,
    anonymous: null,
    unknown: `ship-${'f'.repeat(32)}`,
  };
  const ask: Twin['ask'] = (path, actor, options) => server.api(path, { ...options, key: keys[actor] });
  const publish = async (key: string | null) => {
    tick();
    return server.publish(SITE, { key });
  };
  const ids = new Map([
    ['$account', mine.account],
    ['$theirs', (await publish(theirs.key)).deployment],
  ]);
  for (let n = 0; n < 3; n += 1) await publish(mine.key);

  let serial = 0;
  async function replenish(list: string): Promise<void> {
    tick();
    ids.set('$site', (await publish(mine.key)).deployment);
    ids.set('$claim', (await publish(null)).claim!.split('/').at(-1)!);
    serial += 1;
    ids.set('$domain', `www.made-${serial}.dev`).set('$platform', `made-${serial}.localhost`);
    for (const name of ['$domain', '$platform']) await ask(`/domains/${ids.get(name)}`, 'api', { method: 'PUT' });
    tick();
    const made = await ask('/tokens', 'api', { method: 'POST', json: { kind: 'deploy' } });
    const { token, secret } = made.json<{ token: string; secret: string }>();
    server.secrets.add(secret);
    ids.set('$token', token);
    // The inputs have begun other uploads, and a credential may have only few open uploads.
    await server.database.query('delete from upload where committed is null');
    await server.database.query('update account set storage_exact = false, storage_version = storage_version + 1');
    // An upload that has all its contents.
    const begun = await ask('/uploads', 'api', {
      method: 'POST',
      json: { base: ids.get('$site'), put: [], remove: [] },
    });
    ids.set('$upload', begun.json<{ upload: string }>().upload);
    const page = await ask(`/${list}?limit=1`, 'api');
    ids.set('$cursor', page.json<{ nextCursor?: string }>().nextCursor ?? 'none');
  }
  return { server, ids, ask, replenish, tick };
}

/** Replaces the placeholders in a text. */
export function resolve(text: string, { ids }: Twin): string {
  return text.replace(/\$[a-z]+/g, (name) => ids.get(name) ?? name);
}

/** Random ids and secrets, recognised by their context. */
const RANDOM: readonly [RegExp, string][] = [
  [/\b[a-z]{2,16}-[a-z]{2,16}-[a-z0-9]{7}\b/g, '<deployment>'],
  [/"(?:ship|deploy)-[0-9a-f]{32}"/g, '"<secret>"'],
  [/\b[0-9a-f]{40}\b/g, '<proof>'],
  [/\b[0-9a-f]{32}\b/g, '<hash>'],
  [/\bto-[a-z0-9]{7}\b/g, '<target>'],
  [/"(token|hint)":"[a-z0-9]{4,7}"/g, '"$1":"<random>"'],
  [/"nextCursor":"[^"]*"/g, '"nextCursor":"<cursor>"'],
  [/"email":"[^"]*@test"/g, '"email":"<random>"'],
];

/** Replaces what differs between the two servers in a text. */
export function anonymise(text: string, { ids, server }: Twin): string {
  let same = text.replaceAll(`:${server.port}`, ':<port>');
  for (const [name, id] of ids)
    if (id.length >= 7 && !id.startsWith('made') && !id.startsWith('www')) same = same.replaceAll(id, `<${name}>`);
  return RANDOM.reduce((all, [pattern, stand]) => all.replace(pattern, stand), same);
}
