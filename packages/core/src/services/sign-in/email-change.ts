import type { EmailChange, EmailChangeRequest, RequestedEmailChange } from '@berth/contract';
import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import type { z } from 'zod';
import type { Core } from '../../core.ts';
import { db } from '../../database/tables.ts';
import { invalid, ServiceError } from '../../errors.ts';
import { recordActivity } from '../activities/activities.ts';
import { canReceiveMail, sendMail } from '../mails.ts';
import { randomSecret } from '../random.ts';
import { requireRateLimit } from '../rate-limits.ts';
import { countMail, hashCode, randomCode, useCode } from './codes.ts';
import { createProof, PROOF_COOKIE_SECONDS } from './proofs.ts';
import { endOtherSessions, lockAccountsOf } from './ended-sessions.ts';
import type { SessionScope } from './session-scope.ts';

/**
 * Begins to change the e-mail address of the person. Both addresses get a code, which only this browser can use. An address that
 * cannot receive e-mail, such as `owner@localhost`, gets none.
 *
 * Without a mail server the address changes at once. It is then not verified: a person who proves later that it is theirs gets the
 * account, without the passkeys, identities and the password from before.
 *
 * @returns Whether the address is changed, and whether the present address also got a code.
 * @throws `validation_failed` for the same address, and for one that cannot receive e-mail; `business_logic_error` if a new address
 *   that is not confirmed belongs to another person, member or account; `unavailable` if an e-mail could not be sent;
 *   `rate_limit_exceeded`. Source: api §13; security T44, T47.
 */
export async function requestEmailChange(
  scope: SessionScope,
  request: z.output<typeof EmailChangeRequest>,
): Promise<z.infer<typeof RequestedEmailChange>> {
  const { core, browser, caller } = scope;
  const from = caller.session.email;
  const to = request.email.toLowerCase();
  if (to === from) throw invalid('email', 'the new e-mail address must differ from your present one');
  if (!canReceiveMail(to)) throw invalid('email', 'e-mail cannot be sent to this address');
  await requireRateLimit(core, 'signin', browser.address);
  if (core.signIn.mailer === null) {
    await replaceAddress(scope, { to, isProved: false });
    return { changed: true, confirmsPresent: false };
  }
  const confirmsPresent = canReceiveMail(from);
  await countMail(core, to);
  if (confirmsPresent) await countMail(core, from);
  const [secret, newCode, presentCode] = [randomSecret(), randomCode(), confirmsPresent ? randomCode() : ''];
  await sendMail(core, { to, ...messageToNew(core, from, newCode) });
  if (confirmsPresent) await sendMail(core, { to: from, ...messageToPresent(core, to, presentCode) });
  const { person } = caller.member;
  const codeHash = hashCode(core, secret, newCode + presentCode);
  const ttlSeconds = PROOF_COOKIE_SECONDS;
  await core.database.transaction(async (em) =>
    createProof(em, core, { secret, purpose: 'email', person, session: caller.token, email: to, codeHash, ttlSeconds }),
  );
  browser.keepProof(secret);
  return { changed: false, confirmsPresent };
}

function messageToNew({ addresses }: Core, from: string, code: string): { subject: string; text: string } {
  const { host } = new URL(addresses.console);
  const text = [
    `Your code for ${host} is ${code}.`,
    '',
    `It confirms that the person who signs in as ${from} uses this e-mail address from now on.`,
    'Enter it in the browser in which you asked for it, within 10 minutes.',
    'If you did not ask for it, ignore this message. Give the code to no one.',
    '',
  ];
  return { subject: `Your code for ${host}: ${code}`, text: text.join('\n') };
}

function messageToPresent({ addresses }: Core, to: string, code: string): { subject: string; text: string } {
  const { host } = new URL(addresses.console);
  const text = [
    `You asked to sign in to ${host} as ${to} instead of with this address.`,
    '',
    `Your code is ${code}. Enter it in the browser in which you asked for it, within 10 minutes.`,
    'If you did not ask for this, someone else is signed in as you: sign out of all other browsers, and change your password.',
    'Give the code to no one.',
    '',
  ];
  return { subject: `Confirm your new e-mail address for ${host}`, text: text.join('\n') };
}

/**
 * Changes the e-mail address of the person, also as a member, and that of the account that they own with it. All other sessions of
 * the person end.
 *
 * @throws `authentication_failed` for a wrong code, of which there are 5 tries; `business_logic_error` if the new address belongs to
 *   another person or account; `rate_limit_exceeded`. Source: api §13; security T44, T46, T47.
 */
export async function changeEmail(
  scope: SessionScope,
  { code, presentCode = '' }: z.output<typeof EmailChange>,
): Promise<void> {
  const { core, browser, caller } = scope;
  const { person } = caller.member;
  const { email: to, person: asker } = await useCode(core, browser, code + presentCode, 'email');
  if (asker !== person)
    throw new ServiceError('authentication_failed', 'Another person asked for these codes. Ask for new ones.');
  await replaceAddress(scope, { to, isProved: true });
}

/** The new address, and whether the person has proved that it is theirs. */
interface NewAddress {
  to: string;
  isProved: boolean;
}

async function replaceAddress({ core, caller }: SessionScope, { to, isProved }: NewAddress): Promise<void> {
  const { person } = caller.member;
  await core.database.transaction(async (em) => {
    const accounts = await lockAccountsOf(em, person);
    const { email: from } = await db(em)
      .selectFrom('person')
      .select('email')
      .where('id', '=', person)
      .forUpdate()
      .executeTakeFirstOrThrow();
    await refuseTaken(em, { person, to, accounts: isProved ? accounts : null });
    await moveAddress(em, { person, from, to, verified: isProved ? core.now() : null });
    await endOtherSessions(em, core, caller);
    const meta = { email: { from, to } };
    for (const account of accounts)
      recordActivity(em, { account, event: 'account.update', authMethod: 'session', created: core.now(), meta });
  });
}

/**
 * Refuses an address that another person, account or member has. A person who has proved that the address is theirs may have been added
 * to other accounts with it.
 *
 * @param of.accounts The accounts whose members count; `null` for all.
 */
async function refuseTaken(
  em: EntityManager,
  { person, to, accounts }: { person: string; to: string; accounts: string[] | null },
): Promise<void> {
  const { rows } = await sql<{ taken: boolean }>`
    select exists (select from person where email = ${to})
      or exists (select from account a where lower(a.email) = ${to})
      or exists (select from member m where lower(m.email) = ${to} and (${accounts}::text[] is null or m.account_id = any(${accounts}::text[]))
        and m.person_id is distinct from ${person}) as taken`.execute(db(em));
  if (!rows[0]!.taken) return;
  throw new ServiceError(
    'business_logic_error',
    `Another person or account here has the address ${to}. Use another one.`,
    {
      details: { state: 'email_taken' },
    },
  );
}

async function moveAddress(
  em: EntityManager,
  { person, from, to, verified }: { person: string; from: string; to: string; verified: Date | null },
): Promise<void> {
  await db(em).updateTable('person').set({ email: to, verified }).where('id', '=', person).execute();
  await db(em)
    .updateTable('account')
    .set({ email: to })
    .where(sql<string>`lower(email)`, '=', from)
    .where('id', 'in', (owned) =>
      owned.selectFrom('member').select('account_id').where('person_id', '=', person).where('role', '=', 'owner'),
    )
    .execute();
  await db(em).updateTable('member').set({ email: to }).where('person_id', '=', person).execute();
}
