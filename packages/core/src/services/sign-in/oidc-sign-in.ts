import type { EntityManager } from '@mikro-orm/postgresql';
import type { Browser, Caller, Core } from '../../core.ts';
import { db } from '../../database/tables.ts';
import { Identity, Person } from '../../entities/index.ts';
import { ServiceError } from '../../errors.ts';
import type { OidcClaims, OidcProvider } from '../../oidc/provider.ts';
import { randomSecret } from '../random.ts';
import { giveBackRateLimit, requireRateLimit } from '../rate-limits.ts';
import { getPerson, type KnownPerson } from './persons.ts';
import { createProof, PROOF_COOKIE_SECONDS, type SpentProof, spendProof } from './proofs.ts';
import { addIdentity } from './identities.ts';
import { requireProvider } from './relying-party.ts';
import { openSession, renewSession } from './sessions.ts';
import { provePerson } from './sign-up.ts';

/**
 * Begins a sign-in at the OpenID Connect provider. A browser that is signed in proves its person again.
 *
 * @param back The path of the console to return to; `null` for the default.
 * @returns The URL of the provider to open.
 * @throws `not_found` without a provider; `unavailable` if it cannot be reached; `rate_limit_exceeded`; `forbidden` if the
 *   browser cannot keep a session. Source: api §13; security T44.
 */
export async function beginOidc(core: Core, browser: Browser, caller: Caller, back: string | null): Promise<URL> {
  const provider = requireProvider(core);
  if (browser.refusal !== null) throw new ServiceError('forbidden', browser.refusal);
  await requireRateLimit(core, 'signin', browser.address);
  const session = caller.kind === 'account' && caller.session !== undefined ? caller.token : null;
  const secret = randomSecret();
  const url = await provider.authorizationUrl(secret, session !== null);
  await core.database.transaction(async (em) =>
    createProof(em, core, { secret, purpose: 'oidc', session, back, ttlSeconds: PROOF_COOKIE_SECONDS }),
  );
  browser.keepProof(secret);
  return url;
}

/** Where a browser goes that the provider has sent back. */
export interface OidcOutcome {
  /** The path of the console; `null` for the default. */
  back: string | null;
  /** What was thrown when an identity was to be added to a person who is signed in; otherwise `null`. */
  failure: unknown;
}

/**
 * Signs in the person with whom the provider sent the browser back, or adds the identity to the person who is signed in. Of many
 * concurrent calls one succeeds.
 *
 * @param callback The URL that the browser opened.
 * @throws `authentication_failed` if this browser has begun no sign-in, or the provider refuses; `forbidden` if the person has no
 *   account here; `unavailable`. Source: api §13; security T44, T47.
 */
export async function finishOidc(core: Core, browser: Browser, callback: URL): Promise<OidcOutcome> {
  const provider = requireProvider(core);
  const secret = browser.proof;
  const proof = secret === null ? undefined : await spendProof(core, core, 'oidc', secret);
  if (secret === null || proof === undefined)
    throw new ServiceError('authentication_failed', 'This sign-in has expired. Begin again.');
  browser.keepProof(null);
  const { person, session, back } = proof;
  const askedSeconds =
    session === null ? undefined : Math.ceil((core.now().getTime() - proof.created.getTime()) / 1000);
  if (person !== null) {
    const adding = provider
      .identify(callback, secret, askedSeconds)
      .then((claims) => addIdentity(core, provider, { claims, proof: { ...proof, person } }));
    return {
      back,
      failure: await adding.then(
        () => null,
        (error: unknown) => error,
      ),
    };
  }
  const claims = await provider.identify(callback, secret, askedSeconds);
  browser.keepSession(await openFor(core, browser, provider, { claims, proof }));
  await giveBackRateLimit(core, 'signin', browser.address);
  return { back, failure: null };
}

/** Proves the person of the session in which the sign-in began, or signs the person in. @returns The secret of the session. */
async function openFor(
  core: Core,
  browser: Browser,
  provider: OidcProvider,
  { claims, proof }: { claims: OidcClaims; proof: SpentProof },
): Promise<string> {
  return core.database.transaction(async (em) => {
    const person = await personOf(em, core, provider, claims);
    if (proof.session !== null) {
      const same = await db(em)
        .selectFrom('session')
        .select('id')
        .where('id', '=', proof.session)
        .where('person_id', '=', person.id)
        .where('expires', '>', core.now())
        .executeTakeFirst();
      if (same) return renewSession(core, same.id, em);
    }
    const proved = provedBy(core, claims);
    return openSession(em, core, browser, { person, method: 'oidc', proved, replaces: proof.session });
  });
}

/**
 * Returns when a person has proved who they are. A provider that has kept a person signed in proves nothing new; one that does not
 * say when the person signed in is believed.
 */
function provedBy(core: Core, { signedIn }: OidcClaims): Date {
  const now = core.now().getTime();
  return new Date(signedIn === null ? now : Math.min(now, signedIn * 1000));
}

/** Finds the person by the identity, or by a verified e-mail address, which then gets the identity. Source: security T47. */
async function personOf(
  em: EntityManager,
  core: Core,
  { issuer, name: provider }: OidcProvider,
  { subject, verifiedEmail, email, name }: OidcClaims,
): Promise<KnownPerson> {
  const now = core.now();
  const known = await db(em)
    .updateTable('identity')
    .set({ used: now, email })
    .where('issuer', '=', issuer)
    .where('subject', '=', subject)
    .returning('person_id as person')
    .executeTakeFirst();
  if (known) return getPerson(em, known.person);
  if (verifiedEmail === null)
    throw new ServiceError(
      'forbidden',
      `${provider} has not verified your e-mail address, so it cannot sign you in here.`,
    );
  const person = await provePerson(em, core, { email: verifiedEmail, name });
  if ((await em.count(Identity, { person: person.id, issuer })) > 0)
    throw new ServiceError('forbidden', `${verifiedEmail} belongs to another person at ${provider}.`);
  em.persist(
    em.create(Identity, {
      person: em.getReference(Person, person.id),
      issuer,
      subject,
      email,
      created: now,
      used: now,
    }),
  );
  return person;
}
