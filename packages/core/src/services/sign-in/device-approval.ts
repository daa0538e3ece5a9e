import type { DeviceRequest } from '@berth/contract';
import { db } from '../../database/tables.ts';
import { notFound } from '../../errors.ts';
import { lockActiveAccount } from '../accounts/account-lock.ts';
import { recordActivity } from '../activities/activities.ts';
import { giveBackRateLimit, requireRateLimit } from '../rate-limits.ts';
import { toUnixSeconds } from '../timestamps.ts';
import { readUserCode, userCodeHash } from './device-codes.ts';
import type { SessionScope } from './session-scope.ts';

/**
 * Finds the program that shows a code and waits for an approval. Only codes that do not exist count against the rate limit.
 *
 * @param text What the person typed.
 * @throws `not_found` if the code is wrong, has expired or was used; `rate_limit_exceeded`. Source: api §13; RFC 8628 §5.1.
 */
export async function readDeviceGrant(scope: SessionScope, text: string): Promise<DeviceRequest> {
  const { core, caller } = scope;
  const bucket = `device:${caller.member.person}`;
  await requireRateLimit(core, 'signin', bucket);
  const code = readUserCode(text);
  const grant =
    code === null
      ? undefined
      : await db(core)
          .selectFrom('device_grant')
          .select(['client', 'address', 'created', 'expires'])
          .where('code_hash', '=', userCodeHash(core, code))
          .where('state', '=', 'pending')
          .where('expires', '>', core.now())
          .executeTakeFirst();
  if (!grant) throw unknownCode();
  await giveBackRateLimit(core, 'signin', bucket);
  return toRequest(grant);
}

/**
 * Approves or denies the program that shows a code. Only one decision counts.
 *
 * @throws Like {@link readDeviceGrant}; `forbidden` if the account is no longer active. Source: api §13.
 */
export async function decideDeviceGrant(
  scope: SessionScope,
  { code: text, decision }: { code: string; decision: 'approved' | 'denied' },
): Promise<DeviceRequest> {
  await readDeviceGrant(scope, text);
  const { core, caller } = scope;
  return core.database.transaction(async (em) => {
    await lockActiveAccount(em, caller.account);
    const grant = await db(em)
      .updateTable('device_grant')
      .set({
        state: decision,
        ...(decision === 'approved' && { person_id: caller.member.person, account_id: caller.account }),
      })
      .where('code_hash', '=', userCodeHash(core, readUserCode(text)!))
      .where('state', '=', 'pending')
      .where('expires', '>', core.now())
      .returning(['client', 'address', 'created', 'expires'])
      .executeTakeFirst();
    if (!grant) throw unknownCode();
    if (decision === 'approved')
      recordActivity(em, {
        account: caller.account,
        event: 'device.approve',
        authMethod: caller.authMethod,
        created: core.now(),
        meta: { client: grant.client, email: caller.session.email },
      });
    return toRequest(grant);
  });
}

function unknownCode() {
  return notFound('code. Check it, or start again on the device: a code works once, for 10 minutes');
}

interface GrantRow {
  client: string;
  address: string;
  created: Date;
  expires: Date;
}

function toRequest({ client, address, created, expires }: GrantRow): DeviceRequest {
  return { client, address, created: toUnixSeconds(created), expires: toUnixSeconds(expires) };
}
