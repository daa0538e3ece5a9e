import { sql } from 'kysely';
import type { Core } from '../../core.ts';
import { failpoint } from '../../failpoints.ts';

/** Forgets uploads whose time is over, and with them their claims on packs. @returns How many. Source: contract §9; security P10. */
export async function expireUploads(core: Core, batch: number): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from upload where hash in (
      select hash from upload where expires <= ${core.now()} order by expires limit ${batch} for update skip locked)`.execute(
    core.database.kysely,
  );
  failpoint('sweep.uploads-removed');
  return Number(numAffectedRows);
}
