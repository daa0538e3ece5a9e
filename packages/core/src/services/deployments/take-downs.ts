import { parseDeploymentReference } from '@berth/contract';
import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import type { Core } from '../../core.ts';
import { db } from '../../database/tables.ts';
import { notFound } from '../../errors.ts';
import { recordActivity } from '../activities/activities.ts';
import { lockAccount } from '../accounts/account-lock.ts';
import { markStorageInexact } from '../accounts/storage.ts';

/** The result of a take-down or of undoing one. */
export interface TakeDown {
  deployment: string;
  /** `null` for an anonymous deployment. */
  account: string | null;
  takenDown: boolean;
  /** False if nothing changed. */
  changed: boolean;
}

/**
 * Takes a site down, or undoes a take-down. While it is down, visitors of all its names see that it was taken down; its
 * owner keeps everything. Open uploads of the account are dropped, because they may contain its contents.
 *
 * @param reference Its id, its host name or its URL.
 * @param options.reason Shown to the owner among the activities.
 * @throws `not_found`, also for a deployment that is being deleted. Source: api §6.
 */
export async function setTakenDown(
  core: Core,
  reference: string,
  takenDown: boolean,
  { reason }: { reason?: string | undefined } = {},
): Promise<TakeDown> {
  const deployment = parseDeploymentReference(hostOf(reference), core.addresses.platformDomain);
  for (;;) {
    const account = deployment && (await findOwner(core, deployment));
    if (deployment === null || account === undefined) throw notFound('deployment');
    const done = await changeTakeDown(core, { deployment, account, takenDown, reason });
    if (done) return { deployment, account, takenDown, changed: done.changed };
  }
}

interface Change {
  deployment: string;
  account: string | null;
  takenDown: boolean;
  reason: string | undefined;
}

/** @returns `null` if it was deleted or has another owner by now. */
async function changeTakeDown(
  core: Core,
  { deployment, account, takenDown, reason }: Change,
): Promise<{ changed: boolean } | null> {
  return core.database.transaction(async (em) => {
    if (account !== null) await lockAccount(em, account);
    const created = core.now();
    const { rows } = await sql<{ down: boolean }>`
      select taken_down is not null as down from deployment
      where id = ${deployment} and status = 'success' and account_id is not distinct from ${account} for update`.execute(
      db(em),
    );
    if (!rows[0]) return null;
    if (rows[0].down === takenDown) return { changed: false };
    await db(em)
      .updateTable('deployment')
      .set({ taken_down: takenDown ? created : null })
      .where('id', '=', deployment)
      .execute();
    if (account !== null && takenDown) await dropOpenUploads(em, account);
    if (account !== null)
      recordActivity(em, {
        account,
        event: 'deployment.update',
        authMethod: 'operator',
        created,
        deployment,
        meta: { takenDown, ...(reason === undefined ? {} : { reason }) },
      });
    return { changed: true };
  });
}

/**
 * Drops the open uploads of an account: the contents that their clients need not send may come from the deployment. The
 * clients begin again. Source: api §9.
 */
async function dropOpenUploads(em: EntityManager, account: string): Promise<void> {
  await db(em).deleteFrom('upload').where('account_id', '=', account).where('committed', 'is', null).execute();
  await markStorageInexact(em, account);
}

/** @returns The owner; `null` for an anonymous deployment; `undefined` for a missing one. */
async function findOwner(core: Core, deployment: string): Promise<string | null | undefined> {
  const row = await db(core)
    .selectFrom('deployment')
    .select('account_id')
    .where('id', '=', deployment)
    .where('status', '=', 'success')
    .executeTakeFirst();
  return row?.account_id;
}

/** The host of a URL; any other text unchanged. */
function hostOf(reference: string): string {
  return /^https?:\/\/([^/?#]+)/i.exec(reference)?.[1] ?? reference;
}
