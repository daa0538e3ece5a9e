import { createHmac, timingSafeEqual } from 'node:crypto';

/** How long an unlocked site stays unlocked, in seconds. Source: api §7; serving S62. */
export const UNLOCK_SECONDS = 7 * 24 * 3600;

/** What a cookie unlocks: one deployment on one host, as long as its password stays the same. */
export interface UnlockScope {
  /** The host name, normalised and without a port. */
  host: string;
  deployment: string;
  passwordVersion: string;
}

const FORMAT = 'v1';
const KEY_ID_LENGTH = 8;
const MAX_COOKIE_LENGTH = 1024;

/**
 * Creates the value of an unlock cookie: `v1.<key id>.<payload>.<HMAC-SHA-256>`, in characters that are valid in a
 * cookie.
 *
 * Source: security §7.
 */
export function createUnlockCookie(key: Buffer, opening: UnlockScope, now: Date): string {
  const expires = now.getTime() + UNLOCK_SECONDS * 1000;
  const { host, deployment, passwordVersion } = opening;
  const payload = Buffer.from(JSON.stringify([host, deployment, passwordVersion, expires])).toString('base64url');
  const signed = `${FORMAT}.${keyId(key)}.${payload}`;
  return `${signed}.${sign(key, signed)}`;
}

/**
 * True if the value of a cookie unlocks this deployment on this host now. It is invalid after any changed byte, for
 * another host, deployment or password, and after it has expired.
 *
 * Source: serving S62; security T16.
 */
export function isUnlockCookieValid(value: string, key: Buffer, opening: UnlockScope, now: Date): boolean {
  const end = value.lastIndexOf('.');
  const signed = value.slice(0, Math.max(0, end));
  if (value.length > MAX_COOKIE_LENGTH || !signed.startsWith(`${FORMAT}.${keyId(key)}.`)) return false;
  if (!areEqual(value.slice(end + 1), sign(key, signed))) return false;
  const payload = Buffer.from(signed.slice(signed.lastIndexOf('.') + 1), 'base64url').toString();
  const [host, deployment, passwordVersion, expires] = JSON.parse(payload) as [string, string, string, number];
  return (
    host === opening.host &&
    deployment === opening.deployment &&
    passwordVersion === opening.passwordVersion &&
    expires > now.getTime()
  );
}

/** Identifies the key that made a cookie, so that cookies of other keys are refused without computing an HMAC. */
function keyId(key: Buffer): string {
  return sign(key, 'key id').slice(0, KEY_ID_LENGTH);
}

function sign(key: Buffer, text: string): string {
  return createHmac('sha256', key).update(text).digest('base64url');
}

/** Compares the texts, not the decoded bytes: several texts can decode to the same bytes. */
function areEqual(one: string, other: string): boolean {
  const [bytes, others] = [Buffer.from(one), Buffer.from(other)];
  return bytes.length === others.length && timingSafeEqual(bytes, others);
}
