import type { LinkTarget } from '@berth/contract';
import type { Browser, Core } from '../../core.ts';
import { db } from '../../database/tables.ts';
import { ServiceError } from '../../errors.ts';
import { randomSecret } from '../random.ts';
import { requireRateLimit } from '../rate-limits.ts';
import { toUnixSeconds } from '../timestamps.ts';
import { canSignIn, ensurePerson, findPerson, getPerson, isMember, verifyPerson } from './persons.ts';
import { createProof, readProof, spendProof } from './proofs.ts';
import { openSession } from './sessions.ts';

/** How long a one-time link works, in seconds. Source: api §13. */
const LINK_SECONDS = 900;

/**
 * Creates a one-time link for a member of any account. It works once, for {@link LINK_SECONDS}. The earlier link of the person no
 * longer works.
 *
 * @param email The e-mail address of the member. Its case does not matter.
 * @throws `not_found` if no account has such a member. Source: api §13; security T44.
 */
export async function createFirstLink(
  core: Core,
  email: string,
): Promise<{ email: string; url: string; expires: Date }> {
  return core.database.transaction(async (em) => {
    const known = await findPerson(em, email);
    if (!known && !(await isMember(core, email)))
      throw new ServiceError(
        'not_found',
        `No account has the member ${email}. Create an account, or add the member to one first.`,
      );
    const person = known ?? (await ensurePerson(em, core, email));
    await db(em).deleteFrom('proof').where('person_id', '=', person.id).where('purpose', '=', 'first').execute();
    const secret = randomSecret();
    const expires = createProof(em, core, { secret, purpose: 'first', person: person.id, ttlSeconds: LINK_SECONDS });
    return { email: person.email, url: core.addresses.firstLink(secret), expires };
  });
}

/** Whether the owner can sign in only by a one-time link. Source: api §13. */
export async function ownerNeedsLink(core: Core): Promise<boolean> {
  return (await isMember(core, core.ownerEmail)) && !(await canSignIn(core, core.ownerEmail));
}

/** Creates a one-time link for the owner. Source: api §13. */
export async function createOwnerLink(core: Core): Promise<string> {
  return (await createFirstLink(core, core.ownerEmail)).url;
}

/** Returns whom a link signs in, without using it. @throws `not_found`; `rate_limit_exceeded`. Source: api §13. */
export async function readLink(core: Core, browser: Browser, secret: string): Promise<LinkTarget> {
  await requireRateLimit(core, 'signin', browser.address);
  const proof = await readProof(core, 'first', secret);
  if (!proof) throw spentLink();
  const { email } = await getPerson(core, proof.person!);
  return { email, expires: toUnixSeconds(proof.expires) };
}

/**
 * Signs in the person of a link. Of many concurrent calls one succeeds.
 *
 * @throws `not_found` if the link was used or has expired; `rate_limit_exceeded`; `forbidden` as {@link openSession}.
 * Source: api §13; security T44.
 */
export async function useLink(core: Core, browser: Browser, secret: string): Promise<void> {
  await requireRateLimit(core, 'signin', browser.address);
  const session = await core.database.transaction(async (em) => {
    const proof = await spendProof(em, core, 'first', secret);
    if (!proof) throw spentLink();
    // The operator gave the link to this person, so the address is theirs.
    await verifyPerson(em, core, await getPerson(em, proof.person!));
    const person = await getPerson(em, proof.person!);
    return openSession(em, core, browser, { person, method: 'link' });
  });
  browser.keepSession(session);
}

function spentLink(): ServiceError {
  return new ServiceError(
    'not_found',
    'This link was used or has expired. Ask the operator of this server for another one.',
  );
}
