import { hash } from 'node:crypto';
import type { HttpResponse, TestClient } from '@berth/testing/requests';
import type { Keepsakes } from './fill.ts';

type Json = Record<string, unknown>;

/** Everything that owners and visitors can read of an installation, without times and ports that differ between runs. */
export interface Observation {
  /** What each account reads, by the name of the account and the path. */
  accounts: Record<string, Record<string, unknown>>;
  /** What visitors get, by host, path and accepted encoding. */
  sites: Record<string, Record<string, Visit>>;
}

interface Visit {
  status: number;
  sha256: string;
  encoding?: string;
}

const LISTS = ['deployments', 'domains', 'tokens', 'activities', 'labels'] as const;

/** Reads everything through the API and as a visitor. It changes nothing but the time at which credentials were used. */
export async function observe(
  client: TestClient,
  port: number,
  { keys, protectedSite }: Keepsakes,
): Promise<Observation> {
  const read = async (path: string, key: string) => withoutPort(await client.api(path, { key }), port);
  const accounts: Observation['accounts'] = {};
  const sites: Observation['sites'] = {};
  for (const [name, key] of Object.entries(keys)) {
    const account: Json = { '/account': withoutUse(await read('/account', key)) };
    for (const list of LISTS) account[`/${list}`] = await readPages((path) => read(path, key), `/${list}`, list);
    for (const { domain } of account['/domains'] as { domain?: string }[]) {
      if (domain === undefined) continue;
      account[`/domains/${domain}/versions`] = await read(`/domains/${domain}/versions`, key);
      sites[domain] = await visitFiles(client, `http://${domain}:${port}`, ['/'], {});
    }
    for (const { deployment } of account['/deployments'] as { deployment?: string }[]) {
      if (deployment === undefined) continue;
      const files = await readPages((path) => read(path, key), `/deployments/${deployment}/files`, 'files');
      account[`/deployments/${deployment}/files`] = files;
      const headers: Record<string, string> =
        deployment === protectedSite.deployment ? { Cookie: protectedSite.cookie } : {};
      const paths = (files as { path: string }[]).map(({ path }) => `/${encodeURI(path)}`);
      sites[deployment] = await visitFiles(client, deployment, ['/', '/missing', ...paths], headers);
    }
    accounts[name] = account;
  }
  return { accounts, sites };
}

/** Reads all pages of a list, or the error of an account that may not read it. */
async function readPages(read: (path: string) => Promise<Json>, path: string, list: string): Promise<unknown[]> {
  const entries: unknown[] = [];
  for (let cursor = ''; ;) {
    const page = await read(`${path}?limit=2${cursor}`);
    if (!Array.isArray(page[list])) return [page];
    entries.push(...(page[list] as unknown[]).map((entry) => (list === 'tokens' ? withoutUse(entry as Json) : entry)));
    if (page['nextCursor'] === undefined) return entries;
    cursor = `&cursor=${page['nextCursor'] as string}`;
  }
}

async function visitFiles(
  client: TestClient,
  site: string,
  paths: readonly string[],
  headers: Record<string, string>,
): Promise<Record<string, Visit>> {
  const visits: Record<string, Visit> = {};
  for (const path of paths)
    for (const accepted of ['identity', 'br', 'zstd', 'gzip']) {
      const response = await client.visit(site, path, { headers: { ...headers, 'Accept-Encoding': accepted } });
      const encoding = response.headers['content-encoding'];
      visits[`${path} ${accepted}`] = {
        status: response.status,
        // The texts of the server's own pages may change.
        sha256: response.status === 200 ? hash('sha256', response.bytes) : '',
        ...(typeof encoding === 'string' && response.status === 200 && { encoding }),
      };
    }
  return visits;
}

function withoutPort({ text }: HttpResponse, port: number): Json {
  return JSON.parse(text.replaceAll(`:${port}`, ':PORT')) as Json;
}

/** Removes the time of the last use of a credential, which each request of the observation sets. */
function withoutUse(credential: Json): Json {
  const { used: _, ...rest } = credential;
  return rest;
}
