import { sql } from 'kysely';
import type { Core } from '../../core.ts';
import { db } from '../../database/tables.ts';
import { isWorthCompressing, type StoredBytes } from '@berth/serving';
import { hashAtPosition } from '../packs/contents.ts';

/** How long a process may work on a deployment before another process may take it. */
const LEASE_MS = 2 * 60_000;

/**
 * Takes the due deployment that has waited longest. If it is not finished, it becomes due again.
 *
 * Concurrent processes never take the same deployment. If a process crashes or fails, its deployment is due again when the
 * lease ends.
 *
 * @returns `null` if none is due.
 */
export async function takeDueDeployment(core: Core): Promise<string | null> {
  const now = core.now();
  const { rows } = await sql<{ id: string }>`
    update deployment set compress_at = ${new Date(now.getTime() + LEASE_MS)}
    where id = (
      select id from deployment
      where compress_at <= ${now} and status = 'success' and (expires is null or expires > ${now})
      order by compress_at limit 1 for update skip locked)
    returning id`.execute(db(core));
  return rows[0]?.id ?? null;
}

/** The contents of a deployment that are worth compressing and not compressed yet. Source: serving S48. */
export async function findUncompressedContents(core: Core, deployment: string): Promise<StoredBytes[]> {
  const { rows } = await sql<StoredBytes & { path: string }>`
    select f.path, encode(c.hash, 'hex') as sha256, c.pack_id as pack, c."offset"::float8 as "offset", c.length::float8 as length
    from manifest m
    cross join unnest(m.paths) with ordinality as f (path, position)
    join content c on c.hash = ${hashAtPosition(sql.ref('m.hashes'), 'f.position')}
    where m.deployment_id = ${deployment} and not exists (select 1 from compression k where k.content_hash = c.hash)`.execute(
    db(core),
  );
  const left = new Map<string, StoredBytes>();
  for (const { path, ...content } of rows)
    if (isWorthCompressing(path, content.length)) left.set(content.sha256, content);
  return [...left.values()];
}
