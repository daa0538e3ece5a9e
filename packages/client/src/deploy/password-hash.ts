import { scrypt } from 'node:crypto';
import { promisify } from 'node:util';

/**
 * Hashes a password, so that two passwords can be compared without storing them: equal passwords and salts give equal hashes.
 * The hash is slow, so that common passwords cannot be found by trying them.
 *
 * @returns 64 hex digits; `null` if there is no password.
 */
export async function hashPassword(password: string | null | undefined, salt: string): Promise<string | null> {
  if (typeof password !== 'string') return null;
  return ((await promisify(scrypt)(password, salt, 32)) as Buffer).toString('hex');
}
