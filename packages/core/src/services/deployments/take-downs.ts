import { parseDeploymentReference } from '@berth/contract';
import { LockMode } from '@mikro-orm/postgresql';
import type { Core } from '../../core.ts';
import { Deployment, Upload } from '../../entities/index.ts';
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
  const id = parseDeploymentReference(hostOf(reference), core.addresses.platformDomain);
  for (;;) {
    const found = id && (await core.database.em().findOne(Deployment, { id, status: 'success' }));
    if (!found) throw notFound('deployment');
    const target = { deployment: found.id, account: found.account?.id ?? null, takenDown };
    const changed = await changeTakeDown(core, target, reason);
    if (changed !== null) return { ...target, changed };
  }
}

/** @returns Whether it changed; `null` if it was deleted or has another owner by now. */
async function changeTakeDown(
  core: Core,
  { deployment, account, takenDown }: Omit<TakeDown, 'changed'>,
  reason: string | undefined,
): Promise<boolean | null> {
  return core.database.transaction(async (em) => {
    if (account !== null) await lockAccount(em, account);
    const expected = { id: deployment, status: 'success', account } as const;
    const row = await em.findOne(Deployment, expected, { lockMode: LockMode.PESSIMISTIC_WRITE });
    if (!row) return null;
    if (Boolean(row.takenDown) === takenDown) return false;
    const created = core.now();
    row.takenDown = takenDown ? created : null;
    if (account === null) return true;
    if (takenDown) {
      // The contents that their clients need not send may come from the deployment. The clients begin again.
      await em.nativeDelete(Upload, { account, committed: null });
      await markStorageInexact(em, account);
    }
    recordActivity(em, {
      account,
      event: 'deployment.update',
      authMethod: 'operator',
      created,
      deployment,
      meta: { takenDown, ...(reason === undefined ? {} : { reason }) },
    });
    return true;
  });
}

function hostOf(reference: string): string {
  return /^https?:\/\/([^/?#]+)/i.exec(reference)?.[1] ?? reference;
}
