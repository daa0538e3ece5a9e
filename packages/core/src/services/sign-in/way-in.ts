import type { EntityManager } from '@mikro-orm/postgresql';
import type { Core } from '../../core.ts';
import { ServiceError } from '../../errors.ts';
import { canReceiveMail } from '../mails.ts';
import { canSignIn } from './persons.ts';

/**
 * Checks that a person can still sign in without the operator, after a way in was removed in the caller's transaction.
 *
 * @throws `business_logic_error` if it was the last one. Source: api §13.
 */
export async function requireWayIn(em: EntityManager, core: Core, email: string): Promise<void> {
  if (core.signIn.mailer !== null && canReceiveMail(email)) return;
  if (await canSignIn(em, email)) return;
  throw new ServiceError(
    'business_logic_error',
    'This is your only way to sign in. Add another one first, such as a passkey or a password.',
    { details: { state: 'last_way_in' } },
  );
}
