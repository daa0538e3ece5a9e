import { type RawBuilder, sql } from 'kysely';

/** A query for the ids of some sealed packs, from a random one on, so that repeated queries find all of them. */
export const sampledPacks = (limit: number): RawBuilder<{ id: string }> => sql`
  with start as materialized (select gen_random_uuid() as id),
    last as materialized (
      select id from pack where state = 'sealed' and id >= (select id from start) order by id limit ${limit}),
    first as materialized (
      select id from pack where state = 'sealed' order by id limit ${limit} - (select count(*) from last))
  select id from last union select id from first`;
