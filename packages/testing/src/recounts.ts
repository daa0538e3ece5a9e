/** SQL for the accounts whose number of deployments differs from a recount; no rows if all are right. Source: storage I4. */
export const WRONG_DEPLOYMENT_COUNTS = `
  select id, deployment_count, (select count(*) from deployment where account_id = a.id and status = 'success') as recount from account a
  where deployment_count <> (select count(*) from deployment where account_id = a.id and status = 'success')`;

/**
 * SQL for the accounts whose storage differs from a recount, or is below it where it is known as an upper bound; no rows if
 * all are right. Source: storage I4.
 */
export const WRONG_STORAGE_SIZES = `
  select a.id, storage_bytes, storage_exact, stored.bytes from account a cross join lateral (
    select coalesce(sum(size), 0) as bytes from (
      select substring(h.hashes from (f.position::int - 1) * 32 + 1 for 32), max(f.size) as size
      from (
        select m.hashes, m.sizes from deployment d join manifest m on m.deployment_id = d.id
        where d.account_id = a.id and d.status = 'success'
        union all select hashes, sizes from upload where account_id = a.id and committed is null) h
      cross join unnest(h.sizes) with ordinality as f (size, position) group by 1) contents) stored
  where case when storage_exact then storage_bytes <> stored.bytes else storage_bytes < stored.bytes end`;

/** SQL for the ids of the packs that something needs. After a sweep without grace times, no others exist. Source: storage I3. */
export const PACKS_IN_USE = `
  select pack_id as id from deployment_pack union select pack_id from upload_pack
  union select pack_id from compression where pack_id is not null`;
