import type { ActivityEvent, ActivityList, AuthMethod, PageQuery } from '@berth/contract';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { z } from 'zod';
import type { AccountCaller, Core } from '../../core.ts';
import { Account, Activity } from '../../entities/index.ts';
import { type CursorScope, decodeCursor, toPage } from '../cursors.ts';
import { toUnixSeconds } from '../timestamps.ts';

/** An entry for the audit log of an account. `meta` never contains a secret. */
export interface NewActivity {
  account: string;
  event: ActivityEvent;
  authMethod: AuthMethod;
  created: Date;
  deployment?: string | undefined;
  domain?: string;
  token?: string;
  meta?: Record<string, unknown>;
}

/**
 * Adds an activity in the same transaction as the change it records. The transaction must hold the lock of the account row, or
 * create the account, so that the ids of one account become visible in order.
 *
 * Source: api §6, §9.
 */
export function recordActivity(
  em: EntityManager,
  { account, event, authMethod, created, deployment, domain, token, meta }: NewActivity,
): void {
  em.persist(
    em.create(Activity, {
      account: em.getReference(Account, account),
      event,
      authMethod,
      created,
      deployment: deployment ?? null,
      domain: domain ?? null,
      token: token ?? null,
      meta: meta ?? {},
    }),
  );
}

/** `GET /activities`: the audit log, newest first. @throws `validation_failed` for a bad cursor. Source: api §6. */
export async function listActivities(
  { core, caller }: { core: Core; caller: AccountCaller },
  page: PageQuery,
): Promise<z.infer<typeof ActivityList>> {
  const scope: CursorScope = { core, account: caller.account, list: 'activities' };
  const before = page.cursor === undefined ? undefined : Number(decodeCursor(scope, page.cursor)[0]);
  const found = await core.database
    .em()
    .find(
      Activity,
      { account: caller.account, ...(before === undefined ? {} : { id: { $lt: before } }) },
      { orderBy: { id: 'desc' }, limit: page.limit + 1, disableIdentityMap: true },
    );
  const { rows, nextCursor } = toPage(scope, found, page.limit, (row) => [row.id]);
  return { activities: rows.map(toActivity), ...(nextCursor ? { nextCursor } : {}) };
}

/** The wire form of an activity. Source: api §6. */
export function toActivity({
  event,
  created,
  deployment,
  domain,
  token,
  authMethod,
  meta,
}: Activity): z.infer<typeof ActivityList>['activities'][number] {
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
