import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import type { Core } from '../../core.ts';
import { db, type StatementScope } from '../../database/tables.ts';
import { recordActivity } from '../activities/activities.ts';
import { randomSuffix } from '../random.ts';
import { endSessions, lockAccountsOf, selectSessions } from './ended-sessions.ts';

/** A human who signs in. */
export interface KnownPerson {
  id: string;
  email: string;
  passwordHash: string | null;
  verified: Date | null;
}

/** Finds a person by e-mail address, whose case does not matter. */
export function findPerson(scope: StatementScope, email: string): Promise<KnownPerson | undefined> {
  return db(scope)
    .selectFrom('person')
    .select(['id', 'email', 'password_hash as passwordHash', 'verified'])
    .where('email', '=', email.toLowerCase())
    .executeTakeFirst();
}

/** Reads a person. */
export function getPerson(scope: StatementScope, person: string): Promise<KnownPerson> {
  return db(scope)
    .selectFrom('person')
    .select(['id', 'email', 'password_hash as passwordHash', 'verified'])
    .where('id', '=', person)
    .executeTakeFirstOrThrow();
}

/**
 * Returns the person with an e-mail address, after creating them if necessary, not yet verified. Two calls at once create one
 * person.
 */
export async function ensurePerson(em: EntityManager, core: Core, email: string): Promise<KnownPerson> {
  await db(em)
    .insertInto('person')
    .values({
      id: `per-${randomSuffix()}${randomSuffix()}`,
      email: email.toLowerCase(),
      name: null,
      password_hash: null,
      created: core.now(),
      verified: null,
    })
    .onConflict((conflict) => conflict.column('email').doNothing())
    .execute();
  return (await findPerson(em, email))!;
}

/**
 * Records that a person has proved that their e-mail address is theirs. Passkeys, identities, passwords and sessions from before
 * the first such proof are deleted, because someone else could have added them. Source: security T47.
 */
export async function verifyPerson(em: EntityManager, core: Core, { id, email, verified }: KnownPerson): Promise<void> {
  if (verified !== null) return;
  const accounts = await lockAccountsOf(em, id);
  await endSessions(em, core, await selectSessions(em).where('s.person_id', '=', id).execute());
  const passkeys = await db(em).deleteFrom('passkey').where('person_id', '=', id).returning('name').execute();
  await db(em).deleteFrom('identity').where('person_id', '=', id).execute();
  for (const account of accounts)
    for (const { name } of passkeys) {
      const meta = { name, email };
      recordActivity(em, { account, event: 'passkey.delete', authMethod: 'system', created: core.now(), meta });
    }
  await db(em).updateTable('person').set({ verified: core.now(), password_hash: null }).where('id', '=', id).execute();
}

/** Makes a person, whose e-mail address is verified, the member that the operator has added with this address. */
export async function linkMemberships(em: EntityManager, { id, email }: KnownPerson): Promise<void> {
  await db(em)
    .updateTable('member')
    .set({ person_id: id })
    .where('person_id', 'is', null)
    .where(sql<string>`lower(email)`, '=', email)
    .execute();
}

/** Whether an account has a member with an e-mail address, whose case does not matter, or who is that person. */
export async function isMember(scope: StatementScope, email: string, person: string | null = null): Promise<boolean> {
  const found = await db(scope)
    .selectFrom('member')
    .select('id')
    .where(({ or, eb }) => or([eb(sql<string>`lower(email)`, '=', email.toLowerCase()), eb('person_id', '=', person)]))
    .limit(1)
    .executeTakeFirst();
  return found !== undefined;
}

/** Whether a person can sign in without a link: with a password, a passkey or an identity. */
export async function canSignIn(scope: StatementScope, email: string): Promise<boolean> {
  const found = await db(scope)
    .selectFrom('person as p')
    .select('p.id')
    .where('p.email', '=', email.toLowerCase())
    .where(({ or, eb, exists, selectFrom }) =>
      or([
        eb('p.password_hash', 'is not', null),
        exists(selectFrom('passkey').select('passkey.id').whereRef('passkey.person_id', '=', 'p.id')),
        exists(selectFrom('identity').select('identity.id').whereRef('identity.person_id', '=', 'p.id')),
      ]),
    )
    .executeTakeFirst();
  return found !== undefined;
}
