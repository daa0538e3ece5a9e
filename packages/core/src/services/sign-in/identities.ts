import type { Identity as WireIdentity } from '@berth/contract';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { Core } from '../../core.ts';
import { db } from '../../database/tables.ts';
import { Identity, Person } from '../../entities/index.ts';
import { notFound, ServiceError } from '../../errors.ts';
import type { OidcClaims, OidcProvider } from '../../oidc/provider.ts';
import { lockAccount } from '../accounts/account-lock.ts';
import { recordActivity } from '../activities/activities.ts';
import { randomSecret } from '../random.ts';
import { requireRateLimit } from '../rate-limits.ts';
import { toUnixSeconds } from '../timestamps.ts';
import { createProof, PROOF_COOKIE_SECONDS, type SpentProof } from './proofs.ts';
import { requireProvider } from './relying-party.ts';
import { endOtherSessions, lockAccountsOf } from './ended-sessions.ts';
import type { SessionScope } from './session-scope.ts';
import { requireWayIn } from './way-in.ts';

/** The maximum number of identities of a person. */
const MAX_IDENTITIES = 20;
const IDENTITY_ID = /^idn-([1-9]\d{0,14})$/;
/** The page to which the provider sends the person back. */
const ACCOUNT_PATH = '/app/account';

/** Lists the identities of the person, oldest first. Source: api §13. */
export async function listIdentities({ core, caller }: SessionScope): Promise<{ identities: WireIdentity[] }> {
  const rows = await core.database
    .em()
    .find(Identity, { person: caller.member.person }, { orderBy: { id: 'asc' }, disableIdentityMap: true });
  return { identities: rows.map((row) => toIdentity(core, row)) };
}

/**
 * Begins to add an identity to the person. {@link addIdentity} ends it.
 *
 * @returns The URL of the provider to open.
 * @throws `not_found` without a provider; `unavailable` if it cannot be reached; `rate_limit_exceeded`; `business_logic_error` if
 *   the person has {@link MAX_IDENTITIES}. Source: api §13; security T44.
 */
export async function beginIdentity({ core, caller, browser }: SessionScope): Promise<{ url: string }> {
  const provider = requireProvider(core);
  await requireRateLimit(core, 'signin', browser.address);
  const { person } = caller.member;
  refuseTooMany(await core.database.em().count(Identity, { person }));
  const secret = randomSecret();
  const url = await provider.authorizationUrl(secret, true);
  const ttlSeconds = PROOF_COOKIE_SECONDS;
  await core.database.transaction(async (em) =>
    createProof(em, core, { secret, purpose: 'oidc', person, session: caller.token, back: ACCOUNT_PATH, ttlSeconds }),
  );
  browser.keepProof(secret);
  return { url: String(url) };
}

/**
 * Adds the identity with which the provider sent the browser back to the person who began.
 *
 * @throws `authentication_failed` if the session in which the person began has ended; `business_logic_error` if the identity signs in
 *   another person. Source: api §13; security T47.
 */
export async function addIdentity(
  core: Core,
  { issuer, name: provider }: OidcProvider,
  { claims, proof }: { claims: OidcClaims; proof: SpentProof & { person: string } },
): Promise<void> {
  await core.database.transaction(async (em) => {
    const session = await db(em)
      .selectFrom('session as s')
      .innerJoin('person as p', 'p.id', 's.person_id')
      .select(['s.account_id as account', 'p.email'])
      .where('s.id', '=', proof.session)
      .where('s.person_id', '=', proof.person)
      .where('s.expires', '>', core.now())
      .executeTakeFirst();
    if (!session) throw new ServiceError('authentication_failed', 'Your session has ended. Sign in, and try again.');
    await lockAccount(em, session.account);
    const { subject, email } = claims;
    const known = await em.findOne(Identity, { issuer, subject });
    if (known !== null && known.person.id !== proof.person)
      throw new ServiceError('business_logic_error', `This account at ${provider} signs in another person.`, {
        details: { state: 'identity_taken' },
      });
    if (known !== null) return;
    refuseTooMany(await em.count(Identity, { person: proof.person }));
    const created = core.now();
    const person = em.getReference(Person, proof.person);
    em.persist(em.create(Identity, { person, issuer, subject, email, created, used: created }));
    record(em, core, { account: session.account, email: session.email, identity: 'added', provider });
  });
}

/**
 * Removes an identity of the person. All other sessions of the person end.
 *
 * @throws `not_found`; `business_logic_error` if the person could then no longer sign in. Source: api §13; security T46.
 */
export async function deleteIdentity({ core, caller }: SessionScope, identity: string): Promise<{ identity: string }> {
  const [, id] = IDENTITY_ID.exec(identity) ?? [];
  const { person } = caller.member;
  const { email } = caller.session;
  return core.database.transaction(async (em) => {
    await lockAccountsOf(em, person);
    const row = id === undefined ? null : await em.findOne(Identity, { id: Number(id), person });
    if (!row) throw notFound('identity');
    em.remove(row);
    await em.flush();
    await requireWayIn(em, core, email);
    await endOtherSessions(em, core, caller);
    record(em, core, { account: caller.account, email, identity: 'removed', provider: nameOf(core, row.issuer) });
    return { identity };
  });
}

function record(
  em: EntityManager,
  core: Core,
  { account, ...meta }: { account: string; email: string; identity: 'added' | 'removed'; provider: string },
): void {
  recordActivity(em, { account, event: 'account.update', authMethod: 'session', created: core.now(), meta });
}

function refuseTooMany(count: number): void {
  if (count >= MAX_IDENTITIES)
    throw new ServiceError(
      'business_logic_error',
      `A person can have ${MAX_IDENTITIES} identities. Remove one first.`,
      {
        details: { limit: MAX_IDENTITIES },
      },
    );
}

/** Returns the name of a provider. One that is no longer configured has only its host. */
function nameOf({ signIn: { provider } }: Core, issuer: string): string {
  return provider?.issuer === issuer ? provider.name : new URL(issuer).host;
}

function toIdentity(core: Core, { id, issuer, email, created, used }: Identity): WireIdentity {
  return {
    identity: `idn-${id}`,
    provider: nameOf(core, issuer),
    email: email ?? null,
    created: toUnixSeconds(created),
    used: toUnixSeconds(used),
  };
}
