import { Password } from '@berth/contract';
import { sql } from 'kysely';
import type { Core } from '../../core.ts';
import { passwordVersion, renewHash, verifyPassword } from './passwords.ts';
import { takeFrom, takeFromBucket } from '../rate-limits.ts';

/** How many times as often as one address all addresses together may try a site. */
const SITE_FACTOR = 10;

/** A password that a visitor entered. */
export interface UnlockAttempt {
  deployment: string;
  /** As it was entered. */
  password: string;
  /** The client's address; IPv6 cut to its /64. */
  address: string;
}

/** What came of it. */
export type UnlockOutcome =
  /** The right password. `passwordVersion` is what the cookie is made for. */
  | { kind: 'opened'; passwordVersion: string }
  /** Also for a deployment that has no password, or has gone meanwhile. */
  | { kind: 'wrong' }
  | { kind: 'too-many'; retryAfterSeconds: number };

/**
 * Tries a password on a site. Every attempt counts, right or wrong: against the limit `unlock` of the address and site, and
 * against ten times that limit of the site. A hash with old parameters is renewed on the way.
 *
 * @throws `unavailable` when too many passwords are being hashed, or the database is away.
 * Source: serving S61; contract §7; security §7, T16, T27.
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

/** @returns When there is room again, in seconds; `null` when the attempt may be made. */
async function countAttempt(core: Core, deployment: string, address: string): Promise<number | null> {
  const ofAddress = await takeFrom(core, 'unlock', `${address} ${deployment}`);
  if (!ofAddress.allowed || !core.rateLimits) return ofAddress.allowed ? null : ofAddress.retryAfterSeconds;
  const { count, perSeconds } = core.rateLimits.unlock;
  const ofSite = await takeFromBucket(core, `site-unlock:${deployment}`, { count: count * SITE_FACTOR, perSeconds });
  return ofSite.allowed ? null : ofSite.retryAfterSeconds;
}

async function findHash(core: Core, deployment: string): Promise<string | null> {
  const { rows } = await sql<{ stored: string | null }>`
    select password_hash as stored from deployment where id = ${deployment} and status = 'success'`.execute(
    core.database.kysely,
  );
  return rows[0]?.stored ?? null;
}

/** A hash that cannot be renewed now is renewed the next time: the visitor has nothing to do with it. */
async function renew(core: Core, deployment: string, password: string, stored: string): Promise<void> {
  try {
    const renewed = await renewHash(password, stored);
    if (renewed === null) return;
    await sql`update deployment set password_hash = ${renewed} where id = ${deployment} and password_hash = ${stored}`.execute(
      core.database.kysely,
    );
  } catch (err) {
    core.log.warn({ err, deployment }, 'A password could not be hashed anew.');
  }
}
