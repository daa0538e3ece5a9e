import { DEVICE_GRANT_SECONDS, DEVICE_POLL_SECONDS } from '@berth/contract';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { Core } from '../../core.ts';
import { db } from '../../database/tables.ts';
import { DeviceGrant } from '../../entities/index.ts';
import { lockAccount } from '../accounts/account-lock.ts';
import { mintToken } from '../accounts/tokens.ts';
import { randomSecret, secretHash } from '../random.ts';
import { requireRateLimit } from '../rate-limits.ts';
import { formatUserCode, randomUserCode, userCodeHash } from './device-codes.ts';

/** A poll may arrive this much too early, because networks delay requests differently. */
const EARLY_MS = 1_000;
/** Added to the interval of a program that polls too often. Source: RFC 8628 §3.5. */
const SLOW_DOWN_SECONDS = 5;

/** The program that asks for a key. */
export interface DeviceProgram {
  /** What the program calls itself, and the device if it named one. */
  client: string;
  /** The address of the program, with IPv6 cut to its /64. */
  address: string;
}

/** The codes of a new device grant. Only their hashes are stored. */
export interface DeviceCodes {
  deviceCode: string;
  /** The code that a person types, such as `BCDF-GHJK`. */
  userCode: string;
  expiresInSeconds: number;
  intervalSeconds: number;
}

/**
 * `POST /oauth/device_authorization`: lets a program ask a person for an API key. The codes are valid for 10 minutes.
 *
 * @throws `rate_limit_exceeded` if the address has asked too often. Source: api §13; RFC 8628 §3.1, §3.2.
 */
export async function beginDeviceGrant(core: Core, { client, address }: DeviceProgram): Promise<DeviceCodes> {
  await requireRateLimit(core, 'signin', `device:${address}`);
  const [deviceCode, userCode] = [randomSecret(), randomUserCode()];
  const created = core.now();
  await core.database.transaction(async (em) => {
    em.persist(
      em.create(DeviceGrant, {
        deviceHash: secretHash(deviceCode),
        codeHash: userCodeHash(core, userCode),
        client,
        address,
        interval: DEVICE_POLL_SECONDS,
        created,
        expires: new Date(created.getTime() + DEVICE_GRANT_SECONDS * 1000),
      }),
    );
  });
  return {
    deviceCode,
    userCode: formatUserCode(userCode),
    expiresInSeconds: DEVICE_GRANT_SECONDS,
    intervalSeconds: DEVICE_POLL_SECONDS,
  };
}

/** What a program gets that asks for its key. The errors have the names of RFC 8628 §3.5 and RFC 6749 §5.2. */
export type DeviceAnswer =
  | { key: string }
  | { error: 'authorization_pending' | 'slow_down' | 'access_denied' | 'expired_token' | 'invalid_grant' };

/**
 * `POST /oauth/token`: gives a program its API key, once, after a person has approved it. The key ends with the membership of
 * that person. Source: api §13; RFC 8628 §3.4, §3.5.
 */
export async function redeemDeviceGrant(core: Core, deviceCode: string): Promise<DeviceAnswer> {
  const deviceHash = secretHash(deviceCode);
  // The account must be locked before the grant, and once it is approved, its account no longer changes.
  const approved = await db(core)
    .selectFrom('device_grant')
    .select('account_id as account')
    .where('device_hash', '=', deviceHash)
    .executeTakeFirst();
  if (!approved) return { error: 'invalid_grant' };
  return core.database.transaction(async (em) => {
    if (approved.account !== null) await lockAccount(em, approved.account);
    const grant = await db(em)
      .selectFrom('device_grant')
      .selectAll()
      .where('device_hash', '=', deviceHash)
      .forUpdate()
      .executeTakeFirst();
    if (!grant) return { error: 'invalid_grant' };
    const now = core.now();
    if (grant.expires <= now) return { error: 'expired_token' };
    const isEarly = grant.polled !== null && now.getTime() - grant.polled.getTime() < grant.interval * 1000 - EARLY_MS;
    await db(em)
      .updateTable('device_grant')
      .set({ polled: now, interval: grant.interval + (isEarly ? SLOW_DOWN_SECONDS : 0) })
      .where('device_hash', '=', deviceHash)
      .execute();
    if (isEarly) return { error: 'slow_down' };
    if (grant.state === 'denied') return { error: 'access_denied' };
    // A grant that was approved after the first read is answered at the next poll, which locks its account.
    if (grant.state !== 'approved' || approved.account === null) return { error: 'authorization_pending' };
    return mintKey(em, core, { deviceHash, client: grant.client, account: approved.account, person: grant.person_id! });
  });
}

async function mintKey(
  em: EntityManager,
  core: Core,
  { deviceHash, client, account, person }: { deviceHash: Buffer; client: string; account: string; person: string },
): Promise<DeviceAnswer> {
  await db(em).deleteFrom('device_grant').where('device_hash', '=', deviceHash).execute();
  const member = await db(em)
    .selectFrom('member as m')
    .innerJoin('account as a', 'a.id', 'm.account_id')
    .select('m.role')
    .where('m.account_id', '=', account)
    .where('m.person_id', '=', person)
    .where('a.state', '=', 'active')
    .executeTakeFirst();
  if (!member) return { error: 'access_denied' };
  const scope = { core, caller: { account, member: { person, role: member.role }, authMethod: 'session' as const } };
  const { secret } = await mintToken(em, scope, { kind: 'api', labels: [labelOf(client)] });
  return { key: secret };
}

const MIN_LABEL_LENGTH = 3;
const MAX_LABEL_LENGTH = 25;

/** Returns the label of the key of a program: `berth on René’s laptop` becomes `berth-on-rene-s-laptop`. */
export function labelOf(client: string): string {
  const words =
    client
      .normalize('NFKD')
      .replace(/\p{M}/gu, '')
      .toLowerCase()
      .match(/[a-z0-9]+/g) ?? [];
  const label = words.join('-').slice(0, MAX_LABEL_LENGTH).replace(/-$/, '');
  return label.length < MIN_LABEL_LENGTH ? 'device' : label;
}
