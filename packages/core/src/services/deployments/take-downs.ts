import { parseDeploymentReference } from '@berth/contract';
import { LockMode } from '@mikro-orm/postgresql';
import type { Core } from '../../core.ts';
import { Deployment, Upload } from '../../entities/index.ts';
import { notFound } from '../../errors.ts';
import { recordActivity } from '../activities/activities.ts';
import { lockAccount } from '../accounts/account-lock.ts';
import { markStorageInexact } from '../accounts/storage.ts';

/** The result of a take-down or of its reversal. */
interface TakeDown {
  deployment: string;
  /** The account that owns the deployment; `null` if it is anonymous. */
  account: string | null;
  takenDown: boolean;
  /** False if the deployment already had the requested state. */
  changed: boolean;
}

/**
 * Takes a deployment down, or reverses a take-down. While a deployment is taken down, its visitors see a page that says so.
 * The owner keeps everything except open uploads, which are dropped because they may contain the same contents.
 *
 * @param reference The id, the host name or the URL of the deployment.
 * @param options.reason The reason that the owner sees in the deployment and in the activities.
 * @throws `not_found` for a deployment that is missing or being deleted. Source: api §6.
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

/** Returns whether anything changed; `null` if the deployment was deleted or got another owner in the meantime. */
async function changeTakeDown(
  core: Core,
  { deployment, account, takenDown }: Omit<TakeDown, 'changed'>,
  reason: string | undefined,
): Promise<boolean | null> {
  return core.database.transaction(async (em) => {
    if (account !== null) await lockAccount(em, account);
    const lockMode = LockMode.PESSIMISTIC_WRITE;
    const row = await em.findOne(Deployment, { id: deployment, status: 'success', account }, { lockMode });
    if (!row) return null;
    if (Boolean(row.takenDown) === takenDown) return false;
    const created = core.now();
    row.takenDown = takenDown ? created : null;
    row.takeDownReason = (takenDown ? reason : null) ?? null;
    if (account === null) return true;
    if (takenDown) {
      // Open uploads may rely on contents of the deployment, so their clients must begin again.
      await em.nativeDelete(Upload, { account, committed: null });
      await markStorageInexact(em, account);
    }
    const meta = { takenDown, ...(reason === undefined ? {} : { reason }) };
    recordActivity(em, { account, event: 'deployment.update', authMethod: 'operator', created, deployment, meta });
    return true;
  });
}

function hostOf(reference: string): string {
  return /^https?:\/\/([^/?#]+)/i.exec(reference)?.[1] ?? reference;
}
