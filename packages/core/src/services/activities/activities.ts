import type { Activity as WireActivity, ActivityEvent, ActivityList, ActivityQuery, AuthMethod } from '@berth/contract';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { Scope } from '../../core.ts';
import { Account, Activity } from '../../entities/index.ts';
import { type CursorScope, decodeCursor, toPage } from '../cursors.ts';
import { toUnixSeconds } from '../timestamps.ts';
import { type ActivityRow, readActivities } from './activity-rows.ts';

/** A new entry of the audit log of an account. `meta` never contains a secret. */
export interface NewActivity {
  account: string;
  event: ActivityEvent;
  authMethod: AuthMethod;
  created: Date;
  deployment?: string | null | undefined;
  domain?: string | null;
  token?: string | null;
  meta?: Record<string, unknown>;
}

/**
 * Adds an activity in the same transaction as the change that it records. The transaction must have locked or created the
 * account, so that the activities of an account become visible in the order of their ids. Source: api §6, §9.
 */
export function recordActivity(
  em: EntityManager,
  { account, deployment = null, domain = null, token = null, meta = {}, ...fields }: NewActivity,
): void {
  const accountRow = em.getReference(Account, account);
  em.persist(em.create(Activity, { ...fields, account: accountRow, deployment, domain, token, meta }));
}

/**
 * `GET /activities`: the audit log, newest first.
 *
 * @param page Which part of the log, and of which events and causes.
 * @throws `validation_failed` for an invalid cursor. Source: api §6.
 */
export async function listActivities({ core, caller }: Scope, page: ActivityQuery): Promise<ActivityList> {
  const scope: CursorScope = { core, account: caller.account, list: 'activities' };
  const beforeId = page.cursor === undefined ? undefined : Number(decodeCursor(scope, page.cursor)[0]);
  const range = { before: beforeId, order: 'desc' as const, limit: page.limit + 1 };
  const activityRows = await readActivities(core, caller.account, page, range);
  const { rows, nextCursor } = toPage(scope, activityRows, page.limit, (row) => [row.id]);
  return { activities: rows.map(toActivity), ...(nextCursor ? { nextCursor } : {}) };
}

/** Converts a row to the activity that clients receive. Source: api §6. */
export function toActivity({ event, created, deployment, domain, token, authMethod, meta }: ActivityRow): WireActivity {
  return {
    event,
    created: toUnixSeconds(created),
    ...(deployment === null ? {} : { deployment }),
    ...(domain === null ? {} : { domain }),
    ...(token === null ? {} : { token }),
    authMethod,
    meta,
  };
}
