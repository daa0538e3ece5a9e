import type { DeploymentFileList, PageQuery } from '@berth/contract';
import { sql } from 'kysely';
import type { Scope } from '../../core.ts';
import { db } from '../../database/tables.ts';
import { type CursorScope, decodeCursor, toPage } from '../cursors.ts';
import { hashAtPosition } from '../packs/contents.ts';
import { getOwnDeployment } from '../own-deployments.ts';

interface FileRow {
  path: string;
  size: number;
  sha256: string;
  /** The position of the file in the manifest, from 1. */
  position: number;
}

/**
 * `GET /deployments/{deployment}/files`: the files of a deployment, sorted by path, in the order of the bytes of their UTF-8.
 * The database sends one page, so memory does not grow with the number of files.
 *
 * @throws `not_found`; `validation_failed` for an invalid cursor. Source: api §3.
 */
export async function listFiles(scope: Scope, reference: string, page: PageQuery): Promise<DeploymentFileList> {
  const { core, caller } = scope;
  const { id } = await getOwnDeployment(core.database.em(), scope, reference);
  const cursorScope: CursorScope = { core, account: caller.account, list: `files of ${id}` };
  const after = page.cursor === undefined ? null : Number(decodeCursor(cursorScope, page.cursor)[0]);
  // A cursor has the position of the last file instead of its path, because it must be shorter than a path can be.
  const { rows: found } = await sql<FileRow>`
    select f.path, f.size, encode(${hashAtPosition(sql.ref('m.hashes'), 'f.position')}, 'hex') as sha256, f.position
    from manifest m cross join lateral (
      select f.path, f.size, f.position
      from unnest(m.paths, m.sizes) with ordinality as f (path, size, position)
      where ${after}::int is null
        or f.path collate "C" > (select paths[${after}::int] from manifest where deployment_id = ${id})
      order by f.path collate "C" limit ${page.limit + 1}) f
    where m.deployment_id = ${id}
    order by f.path collate "C"`.execute(db(core));
  const { rows, nextCursor } = toPage(cursorScope, found, page.limit, ({ position }) => [position]);
  return {
    files: rows.map(({ path, size, sha256 }) => ({ path, size, sha256 })),
    ...(nextCursor ? { nextCursor } : {}),
  };
}
