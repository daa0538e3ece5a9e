import { ACTIVITY_EVENTS, type ActivityFilter, AUTH_METHODS } from '@berth/contract';
import { type RawBuilder, sql } from 'kysely';
import type { Core } from '../../core.ts';
import { db } from '../../database/tables.ts';
import type { Activity } from '../../entities/index.ts';

/** A row of the audit log. */
export type ActivityRow = Omit<Activity, 'account'>;

/** A part of the audit log of an account, between two ids that it excludes. */
interface ActivityRange {
  after?: number | undefined;
  before?: number | undefined;
  /** By id, which is also the order of time. */
  order: 'asc' | 'desc';
  /** How many rows to skip. Default: 0. */
  skip?: number;
  limit: number;
}

/**
 * Reads a part of the audit log of an account. With a filter it reads each combination of an event and a cause by its own range of an
 * index, so that the time does not grow with the activities that do not match.
 */
export async function readActivities(
  core: Core,
  account: string,
  filter: ActivityFilter,
  { after, before, order, skip = 0, limit }: ActivityRange,
): Promise<ActivityRow[]> {
  const inRange = sql`a.account_id = ${account}
    and ${after === undefined ? sql`true` : sql`a.id > ${after}`}
    and ${before === undefined ? sql`true` : sql`a.id < ${before}`}`;
  const ordered = (by: string, rows: number) => sql`order by ${sql.ref(by)} ${sql.raw(order)} limit ${rows}`;
  const matching = sql`
    select found.* from unnest(${eventsOf(filter)}::text[]) as event(name)
    cross join unnest(${causesOf(filter)}::text[]) as cause(name)
    cross join lateral (
      select * from activity a where ${inRange} and a.event = event.name and a.auth_method = cause.name
      ${ordered('a.id', skip + limit)}) as found`;
  const source: RawBuilder<unknown> = isEmpty(filter) ? sql`select * from activity a where ${inRange}` : matching;
  const statement = sql<ActivityRow>`
    select id::float8 as id, event, created, deployment, domain, token, auth_method as "authMethod", meta
    from (${source}) as row ${ordered('row.id', limit)} offset ${skip}`.compile(db(core));
  return core.database.prepared<ActivityRow>(statement.sql, statement.parameters);
}

const isEmpty = ({ event, authMethod }: ActivityFilter) => event === undefined && authMethod === undefined;

/** Replaces each group of events, such as `domain`, by its events. */
function eventsOf({ event }: ActivityFilter): readonly string[] {
  if (event === undefined) return ACTIVITY_EVENTS;
  const names = event.split(',');
  return ACTIVITY_EVENTS.filter((each) => names.some((name) => each === name || each.startsWith(`${name}.`)));
}

function causesOf({ authMethod }: ActivityFilter): readonly string[] {
  return authMethod === undefined ? AUTH_METHODS : [authMethod];
}
