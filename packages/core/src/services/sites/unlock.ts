import { Password } from '@berth/contract';
import type { Core } from '../../core.ts';
import { db } from '../../database/tables.ts';
import { passwordVersion, renewHash, verifyPassword } from './passwords.ts';
import { takeRateLimit, takeFromBucket } from '../rate-limits.ts';

/** The limit of a site for all addresses together, as a multiple of the limit of one address. */
const SITE_FACTOR = 10;

/** An attempt of a visitor to unlock a site. */
export interface UnlockAttempt {
  deployment: string;
  /** As the visitor entered it. */
  password: string;
  /** The client's address. IPv6 is cut to its /64. */
  address: string;
}

/** The result of an attempt. */
export type UnlockOutcome =
  /** The password is correct. The cookie is made for `passwordVersion`. */
  | { kind: 'opened'; passwordVersion: string }
  /** Also for a deployment that has no password or no longer exists. */
  | { kind: 'wrong' }
  | { kind: 'too-many'; retryAfterSeconds: number };

/**
 * Checks a password for a site. Every attempt counts, correct or not: against the limit `unlock` of the address and
 * site, and against ten times that limit for the site. A hash with old parameters is renewed.
 *
 * @throws `unavailable` if too many passwords are being hashed, or the database cannot be used.
 * Source: serving S61; api §7; security §7, T16, T27.
 */
export async function unlockSite(core: Core, { deployment, password, address }: UnlockAttempt): Promise<UnlockOutcome> {
  const retryAfterSeconds = await countAttempt(core, deployment, address);
  if (retryAfterSeconds !== null) return { kind: 'too-many', retryAfterSeconds };

  const { data: entered } = Password.safeParse(password);
  const stored = entered === undefined ? null : await findHash(core, deployment);
  if (entered === undefined || stored === null || !(await verifyPassword(entered, stored))) return { kind: 'wrong' };
  await renew(core, deployment, entered, stored);
  return { kind: 'opened', passwordVersion: passwordVersion(stored) };
}

/** @returns The number of seconds until another attempt is allowed; `null` if this attempt is allowed. */
async function countAttempt(core: Core, deployment: string, address: string): Promise<number | null> {
  const ofAddress = await takeRateLimit(core, 'unlock', `${address} ${deployment}`);
  if (!ofAddress.allowed || !core.rateLimits) return ofAddress.allowed ? null : ofAddress.retryAfterSeconds;
  const { count, perSeconds } = core.rateLimits.unlock;
  const ofSite = await takeFromBucket(core, `site-unlock:${deployment}`, { count: count * SITE_FACTOR, perSeconds });
  return ofSite.allowed ? null : ofSite.retryAfterSeconds;
}

async function findHash(core: Core, deployment: string): Promise<string | null> {
  const row = await db(core)
    .selectFrom('deployment')
    .select('password_hash')
    .where('id', '=', deployment)
    .where('status', '=', 'success')
    .executeTakeFirst();
  return row?.password_hash ?? null;
}

/** Renews a hash. A failure is ignored, because it must not affect the visitor; the next attempt renews the hash. */
async function renew(core: Core, deployment: string, password: string, stored: string): Promise<void> {
  try {
    const renewed = await renewHash(password, stored);
    if (renewed === null) return;
    await db(core)
      .updateTable('deployment')
      .set({ password_hash: renewed })
      .where('id', '=', deployment)
      .where('password_hash', '=', stored)
      .execute();
  } catch (err) {
    core.log.warn({ err, deployment }, 'A password hash could not be renewed');
  }
}
