import type { EntityManager } from '@mikro-orm/postgresql';
import type { Core } from '../../core.ts';
import { ServiceError } from '../../errors.ts';
import { createAccount } from '../accounts/accounts.ts';
import { ensurePerson, getPerson, isMember, type KnownPerson, verifyPerson } from './persons.ts';

/**
 * Returns the person who has proved that an e-mail address is theirs, in the caller's transaction. Creates the person for a member
 * of an account, and with `SIGN_UP` also the account.
 *
 * @throws `forbidden` if no account has such a member, and `SIGN_UP` is off. Source: api §13; security T47.
 */
export async function provePerson(
  em: EntityManager,
  core: Core,
  { email, name }: { email: string; name: string | null },
): Promise<KnownPerson> {
  const person = await ensurePerson(em, core, email);
  await verifyPerson(em, core, person);
  if (await isMember(em, email, person.id)) return getPerson(em, person.id);
  const { signUp } = core.signIn;
  if (signUp === null)
    throw new ServiceError('forbidden', `${email} has no account here. Ask the owner of an account for an invitation.`);
  createAccount(em, core, { email, name, plan: signUp.plan, authMethod: 'session' });
  await em.flush();
  return getPerson(em, person.id);
}
