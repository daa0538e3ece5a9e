import { type DeploymentChanges, MAX_LISTED_CHANGES } from '@berth/contract';
import { sql } from 'kysely';
import type { Scope } from '../../core.ts';
import { db } from '../../database/tables.ts';
import { getOwnDeployment } from '../own-deployments.ts';
import { hashAtPosition } from '../packs/contents.ts';

/**
 * `GET /deployments/{deployment}/changes`: how the files of a deployment differ from those of an earlier one. The database
 * compares them and sends only the files that are listed.
 *
 * @throws `not_found` if one of the two is missing. Source: api §3.
 */
export async function compareDeployments(
  scope: Scope,
  reference: string,
  earlierReference: string,
): Promise<DeploymentChanges> {
  const em = scope.core.database.em();
  const { id: deployment } = await getOwnDeployment(em, scope, reference);
  const { id: from } = await getOwnDeployment(em, scope, earlierReference);
  const { rows } = await sql<Omit<DeploymentChanges, 'deployment' | 'from'>>`
    with present as (${filesOf(deployment)}), earlier as (${filesOf(from)}),
    change as materialized (
      select path, case when earlier.hash is null then 'added' when present.hash is null then 'removed' else 'changed' end as change
      from present full join earlier using (path)
      where present.hash is distinct from earlier.hash)
    select count(*) filter (where change = 'added')::int as added,
      count(*) filter (where change = 'changed')::int as changed,
      count(*) filter (where change = 'removed')::int as removed,
      (select coalesce(json_agg(json_build_object('path', path, 'change', change) order by path collate "C"), '[]')
        from (select * from change order by path collate "C" limit ${MAX_LISTED_CHANGES}) listed) as files
    from change`.execute(db(scope.core));
  return { deployment, from, ...rows[0]! };
}

const filesOf = (deployment: string) => sql`
  select f.path, ${hashAtPosition(sql.ref('m.hashes'), 'f.position')} as hash
  from manifest m cross join lateral unnest(m.paths) with ordinality as f (path, position)
  where m.deployment_id = ${deployment}`;
