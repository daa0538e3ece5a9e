import { scrypt } from 'node:crypto';
import { promisify } from 'node:util';

/**
 * Tells passwords apart without keeping them: equal for equal passwords and salts. It is made slowly: nobody finds the password
 * by trying those that people use.
 *
 * @returns 64 hex digits; `null` for no password.
 */
export async function markOf(password: string | null | undefined, salt: string): Promise<string | null> {
  if (typeof password !== 'string') return null;
  return ((await promisify(scrypt)(password, salt, 32)) as Buffer).toString('hex');
}
