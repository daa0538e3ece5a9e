import { hash } from 'node:crypto';
import pg from 'pg';
import { page, PLATFORM_DOMAIN } from './files.ts';

const PAGES_A_DEPLOY = 10_000;

/** Publishes files as one deployment. @returns The id of the deployment. @throws for a status other than 201. */
export async function deploy(port: number, apiKey: string, files: ReadonlyMap<string, Buffer>): Promise<string> {
  const form = new FormData();
  for (const [path, bytes] of files) form.append('files[]', new Blob([new Uint8Array(bytes)]), path);
  form.append('checksums', JSON.stringify([...files.values()].map((bytes) => hash('md5', bytes))));
  // Preparing the next request can take longer than the server keeps a connection open.
  const headers = { Authorization: `Bearer ${apiKey}`, Connection: 'close' };
  const res = await fetch(`http://localhost:${port}/deployments`, { method: 'POST', headers, body: form });
  if (res.status !== 201) throw new Error(`Deploying returned ${res.status}: ${await res.text()}`);
  const { deployment } = (await res.json()) as { deployment: string };
  return deployment;
}

/** Returns the host of the n-th site of `publishSites`, counted from 0. */
export function siteHost(site: number): string {
  return `calm-otter-${String(site).padStart(7, '0')}.${PLATFORM_DOMAIN}`;
}

/**
 * Publishes sites of one page each, all different. The API uploads many pages in one deployment, and the rows of the
 * sites are derived from the rows of that deployment.
 *
 * @param databaseUrl The database of the running Berth.
 */
export async function publishSites(port: number, apiKey: string, databaseUrl: string, count: number): Promise<void> {
  const client = new pg.Client(databaseUrl);
  await client.connect();
  try {
    for (let firstPage = 0; firstPage < count; firstPage += PAGES_A_DEPLOY) {
      const numbers = Array.from({ length: Math.min(PAGES_A_DEPLOY, count - firstPage) }, (_, i) => firstPage + i);
      // Files with this extension are not compressed. The compression job checks the pages again as index.html.
      const deployment = await deploy(port, apiKey, new Map(numbers.map((n) => [`${n}.bin`, page(n)])));
      await insertSites(client, deployment);
    }
    await client.query('analyze');
  } finally {
    await client.end();
  }
}

/** Inserts a site for each file of a deployment, with the file as its front page. */
async function insertSites(client: pg.Client, deployment: string): Promise<void> {
  const id = `'calm-otter-' || lpad(split_part(f.path, '.', 1), 7, '0')`;
  const files = `manifest m cross join unnest(m.paths, m.sizes) with ordinality as f (path, size, position)
    where m.deployment_id = $1`;
  await client.query('begin');
  await client.query(`insert into issued_id (id) select ${id} from ${files}`, [deployment]);
  await client.query(
    `insert into deployment (id, account_id, status, files, size, labels, via, created)
     select n.id, d.account_id, d.status, 1, n.size, '{}', d.via, d.created
     from deployment d cross join (select ${id} as id, f.size from ${files}) n where d.id = $1`,
    [deployment],
  );
  await client.query(
    `insert into manifest (deployment_id, paths, hashes, sizes)
     select ${id}, '{index.html}', substring(m.hashes from (f.position::int - 1) * 32 + 1 for 32), array[f.size]
     from ${files}`,
    [deployment],
  );
  await client.query(
    `insert into deployment_pack (deployment_id, pack_id)
     select n.id, p.pack_id from deployment_pack p cross join (select ${id} as id from ${files}) n where p.deployment_id = $1`,
    [deployment],
  );
  await client.query('commit');
}
