import { sql } from 'kysely';
import type { Core } from '../../core.ts';
import { db } from '../../database/tables.ts';
import { Deployment } from '../../entities/index.ts';
import { hashAtPosition } from '../packs/contents.ts';
import { type Check, finding } from './checks.ts';

/** A deployment, or a fault of a deployment with the number of affected files and one of their paths. */
interface Row {
  id: string;
  fault: string | null;
  files: number;
  path: string;
}

const DEPLOYMENTS_AT_ONCE = 100;

/** Describes the faults of files in a manifest. Each text is the end of a sentence that starts with "3 of its files". */
const MANIFEST_FAULTS: Record<string, string> = {
  missing: 'are missing in the store',
  'pack-state': 'are in a pack that may be removed',
  unlisted: 'are in a pack that the deployment does not refer to',
  size: 'have a different size than their stored content',
};

/** Checks that every file of every deployment has its content in the store. Source: storage I2. */
export const manifests: Check = {
  name: 'manifests',
  title: 'Files of deployments',
  async *run(core) {
    const deploymentCount = await core.database.em().count(Deployment, { status: 'success' });
    let checkedCount = 0;
    for (let lastId = ''; ;) {
      const ids: string[] = [];
      for (const { id, fault, files, path } of await readPage(core, lastId)) {
        if (fault === null) ids.push(id);
        else if (fault === 'files')
          yield damageFinding(
            id,
            `The manifest of ${id} lists ${files} files, but the deployment has another file count.`,
          );
        else {
          const example = JSON.stringify(path);
          yield damageFinding(
            id,
            `Deployment ${id}: ${files} of its files, such as ${example}, ${MANIFEST_FAULTS[fault]}.`,
          );
        }
      }
      checkedCount += ids.length;
      yield {
        kind: 'progress',
        done: checkedCount,
        total: Math.max(deploymentCount, checkedCount),
        unit: 'deployments',
      };
      if (ids.length < DEPLOYMENTS_AT_ONCE) return;
      lastId = ids.at(-1)!;
    }
  },
};

const damageFinding = (id: string, message: string) => finding('damage', message, { deployments: [id] });

/** Reads the deployments of a page and their faults in a single statement, which reads one consistent snapshot. */
async function readPage(core: Core, last: string): Promise<Row[]> {
  const { rows } = await sql<Row>`
    with page as materialized (
      select d.id, d.files, m.paths, m.hashes, m.sizes
      from deployment d left join manifest m on m.deployment_id = d.id
      where d.status = 'success' and d.id > ${last} order by d.id limit ${DEPLOYMENTS_AT_ONCE}),
    file as (
      select page.id, f.path, case
        when c.hash is null then 'missing'
        when p.state is distinct from 'sealed' then 'pack-state'
        when n.pack_id is null then 'unlisted'
        when c.length <> f.size then 'size' end as fault
      from page cross join unnest(paths, sizes) with ordinality as f (path, size, position)
      left join content c on c.hash = ${hashAtPosition(sql.ref('page.hashes'), 'f.position')}
      left join pack p on p.id = c.pack_id
      left join deployment_pack n on n.deployment_id = page.id and n.pack_id = c.pack_id)
    select id, null as fault, 0 as files, '' as path from page
    union all
    select id, 'files', coalesce(cardinality(paths), 0), '' from page
    where files is distinct from cardinality(paths) or length(hashes) <> 32 * files or cardinality(sizes) <> files
    union all
    select id, fault, count(*)::int, min(path) from file where fault is not null group by id, fault
    order by id`.execute(db(core));
  return rows;
}
