import type pg from 'pg';
import { deploy } from '../serve/publish.ts';

/** Copies a deployment without its bytes, so that every copy is a site that no process has loaded. @returns The ids. */
export async function copyDeployment(client: pg.Client, deployment: string, count: number): Promise<string[]> {
  const ids = Array.from({ length: count }, (_, n) => `${deployment.slice(0, -5)}${String(n).padStart(5, '0')}`);
  await client.query('begin');
  for (const table of ['deployment', 'manifest', 'deployment_pack']) {
    const key = table === 'deployment' ? 'id' : 'deployment_id';
    const { rows } = await client.query<{ name: string }>(
      `select quote_ident(attname) as name from pg_attribute
       where attrelid = $1::regclass and attnum > 0 and not attisdropped and attname <> $2`,
      [table, key],
    );
    const columns = rows.map(({ name }) => name).join(', ');
    await client.query(
      `insert into ${table} (${key}, ${columns}) select copy_id, ${columns} from ${table} cross join unnest($1::text[]) as c (copy_id) where ${key} = $2`,
      [ids, deployment],
    );
  }
  await client.query('commit');
  await client.query('analyze');
  return ids;
}

/** Publishes a site of small pages, each with another text. @returns The id of its deployment. */
export function deployPages(port: number, apiKey: string, count: number, extension: string): Promise<string> {
  const text = (n: number) =>
    Buffer.from(`<!doctype html><title>Page ${n}</title><p>${`Text of page ${n}. `.repeat(60)}`);
  const paths = Array.from({ length: count - 1 }, (_, n) => `docs/section-${n % 20}/page-number-${n}.${extension}`);
  return deploy(port, apiKey, new Map(['index.html', ...paths].map((path, n) => [path, text(n)])));
}

/** Waits until all contents of a deployment are compressed. */
export async function waitForForms(client: pg.Client, deployment: string): Promise<void> {
  const deadline = performance.now() + 120_000;
  for (;;) {
    const { rowCount } = await client.query('select from deployment where id = $1 and compress_at is null', [
      deployment,
    ]);
    if (rowCount === 1) return;
    if (performance.now() > deadline) throw new Error(`The compression of ${deployment} takes longer than two minutes`);
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}
