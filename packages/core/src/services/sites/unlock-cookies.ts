import { createHmac, timingSafeEqual } from 'node:crypto';

/** How long a password need not be entered again. Source: contract §7; serving S62. */
export const UNLOCK_SECONDS = 7 * 24 * 3600;

/** What a cookie opens: one deployment on one host, as long as its password stays the same. */
export interface Opening {
  /** The host name, normalised and without a port. */
  host: string;
  deployment: string;
  passwordVersion: string;
}

const FORMAT = 'v1';
const KEY_ID_LENGTH = 8;
const LONGEST = 1024;

/**
 * Makes the value of an unlock cookie: `v1.<key id>.<payload>.<HMAC-SHA-256>`, of characters that a cookie may have.
 *
 * Source: security §7.
 */
export function sealUnlock(key: Buffer, opening: Opening, now: Date): string {
  const expires = now.getTime() + UNLOCK_SECONDS * 1000;
  const { host, deployment, passwordVersion } = opening;
  const payload = Buffer.from(JSON.stringify([host, deployment, passwordVersion, expires])).toString('base64url');
  const signed = `${FORMAT}.${keyId(key)}.${payload}`;
  return `${signed}.${sign(key, signed)}`;
}

/**
 * Whether the value of a cookie opens this deployment on this host now. A changed byte, another host, deployment or
 * password, and a date that has passed all make it worthless.
 *
 * Source: serving S62; security T16.
 */
export function opens(value: string, key: Buffer, opening: Opening, now: Date): boolean {
  const end = value.lastIndexOf('.');
  const signed = value.slice(0, Math.max(0, end));
  if (value.length > LONGEST || !signed.startsWith(`${FORMAT}.${keyId(key)}.`)) return false;
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

/** Tells which key made a cookie, so that one of another key is not tried. */
function keyId(key: Buffer): string {
  return sign(key, 'key id').slice(0, KEY_ID_LENGTH);
}

function sign(key: Buffer, text: string): string {
  return createHmac('sha256', key).update(text).digest('base64url');
}

/** Compares texts, not the bytes they stand for, of which several texts can stand for the same. */
function areEqual(one: string, other: string): boolean {
  const [bytes, others] = [Buffer.from(one), Buffer.from(other)];
  return bytes.length === others.length && timingSafeEqual(bytes, others);
}
