import { createHmac, timingSafeEqual } from 'node:crypto';
import { Password } from '@berth/contract';
import type { Core } from '../../core.ts';
import { db } from '../../database/tables.ts';
import { rateLimited } from '../../metrics.ts';
import { passwordVersion, renewHash, verifyPassword } from '../passwords.ts';
import { takeFromBucket, takeRateLimit } from '../rate-limits.ts';

/** The rate limit of a site for all addresses together, as a multiple of the limit for one address. */
const SITE_FACTOR = 10;

export interface UnlockAttempt {
  deployment: string;
  password: string;
  /** The client's address. IPv6 is cut to its /64. */
  address: string;
}

/** The result of an attempt. `wrong` includes deployments without a password and deployments that do not exist. */
export type UnlockOutcome =
  | { kind: 'opened'; passwordVersion: string }
  | { kind: 'wrong' }
  | { kind: 'too-many'; retryAfterSeconds: number };

/**
 * Checks a password for a site. Every attempt counts, whether the password is correct or not: against the limit `unlock`
 * of the address and site, and against ten times that limit for the site. A hash with old parameters is renewed.
 *
 * @throws `unavailable` if too many passwords are being hashed, or the database cannot be used.
 * Source: serving S61; api §7; security §7, T16, T27.
 */
export async function unlockSite(core: Core, { deployment, password, address }: UnlockAttempt): Promise<UnlockOutcome> {
  const retryAfterSeconds = await countAttempt(core, deployment, address);
  if (retryAfterSeconds !== null) return { kind: 'too-many', retryAfterSeconds };

  const { data: entered } = Password.safeParse(password);
  const storedHash = entered === undefined ? null : await findHash(core, deployment);
  if (entered === undefined || storedHash === null || !(await verifyPassword(entered, storedHash)))
    return { kind: 'wrong' };
  await renewStoredHash(core, deployment, entered, storedHash);
  return { kind: 'opened', passwordVersion: passwordVersion(storedHash) };
}

/** @returns The number of seconds until another attempt is allowed; `null` if this attempt is allowed. */
async function countAttempt(core: Core, deployment: string, address: string): Promise<number | null> {
  const addressState = await takeRateLimit(core, 'unlock', `${address} ${deployment}`);
  if (!addressState.allowed || !core.rateLimits) return addressState.allowed ? null : addressState.retryAfterSeconds;
  const { count, perSeconds } = core.rateLimits.unlock;
  const siteState = await takeFromBucket(core, `site-unlock:${deployment}`, { count: count * SITE_FACTOR, perSeconds });
  if (siteState.allowed) return null;
  rateLimited.unlock.value += 1;
  return siteState.retryAfterSeconds;
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

/** Renews a stored hash. Only logs a failure, because the next attempt to unlock the site renews the hash. */
async function renewStoredHash(core: Core, deployment: string, password: string, stored: string): Promise<void> {
  try {
    const renewedHash = await renewHash(password, stored);
    if (renewedHash === null) return;
    await db(core)
      .updateTable('deployment')
      .set({ password_hash: renewedHash })
      .where('id', '=', deployment)
      .where('password_hash', '=', stored)
      .execute();
  } catch (err) {
    core.log.warn({ err, deployment }, 'A password hash could not be renewed');
  }
}

/** How long an unlocked site stays unlocked, in seconds. Source: api §7; serving S62. */
export const UNLOCK_SECONDS = 7 * 24 * 3600;

/** A cookie unlocks one deployment on one host, as long as the password stays the same. */
export interface UnlockScope {
  /** The host name, normalised and without a port. */
  host: string;
  deployment: string;
  passwordVersion: string;
}

const FORMAT = 'v1';
const KEY_ID_LENGTH = 8;
const MAX_COOKIE_LENGTH = 1024;

/** Creates the value of an unlock cookie: `v1.<key id>.<payload>.<HMAC-SHA-256>`. Source: security §7. */
export function createUnlockCookie(key: Buffer, { host, deployment, passwordVersion }: UnlockScope, now: Date): string {
  const expires = now.getTime() + UNLOCK_SECONDS * 1000;
  const payload = Buffer.from(JSON.stringify([host, deployment, passwordVersion, expires])).toString('base64url');
  const signed = `${FORMAT}.${keyId(key)}.${payload}`;
  return `${signed}.${signText(key, signed)}`;
}

/** True if a cookie unlocks this host and deployment with this password now. Source: serving S62; security T16. */
export function isUnlockCookieValid(value: string, key: Buffer, wanted: UnlockScope, now: Date): boolean {
  const payloadEnd = value.lastIndexOf('.');
  const signed = value.slice(0, Math.max(0, payloadEnd));
  if (value.length > MAX_COOKIE_LENGTH || !signed.startsWith(`${FORMAT}.${keyId(key)}.`)) return false;
  if (!areEqual(value.slice(payloadEnd + 1), signText(key, signed))) return false;
  const payload = Buffer.from(signed.slice(signed.lastIndexOf('.') + 1), 'base64url').toString();
  const [host, deployment, passwordVersion, expires] = JSON.parse(payload) as [string, string, string, number];
  return (
    host === wanted.host &&
    deployment === wanted.deployment &&
    passwordVersion === wanted.passwordVersion &&
    expires > now.getTime()
  );
}

/** A cookie contains the id of its key, so that cookies of other keys are refused without computing an HMAC. */
function keyId(key: Buffer): string {
  return signText(key, 'key id').slice(0, KEY_ID_LENGTH);
}

function signText(key: Buffer, text: string): string {
  return createHmac('sha256', key).update(text).digest('base64url');
}

/** Compares the texts, not the bytes that they encode, because several texts can encode the same bytes. */
function areEqual(actual: string, expected: string): boolean {
  const [actualBytes, expectedBytes] = [Buffer.from(actual), Buffer.from(expected)];
  return actualBytes.length === expectedBytes.length && timingSafeEqual(actualBytes, expectedBytes);
}
