import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import type { Core } from '../../core.ts';
import { db, type StatementScope } from '../../database/tables.ts';
import { Person, Proof, type ProofPurpose } from '../../entities/index.ts';
import { secretHash } from '../random.ts';

/** A secret that opens one thing once. */
export interface NewProof {
  secret: string;
  purpose: ProofPurpose;
  ttlSeconds: number;
  person?: string | null;
  session?: string | null;
  email?: string | null;
  codeHash?: Buffer | null;
  back?: string | null;
}

/** Stores a proof in the caller's transaction. Only the hash of its secret is stored. @returns When it expires. */
export function createProof(
  em: EntityManager,
  core: Core,
  { secret, ttlSeconds, purpose, person = null, session = null, email = null, codeHash = null, back = null }: NewProof,
): Date {
  const created = core.now();
  const expires = new Date(created.getTime() + ttlSeconds * 1000);
  em.persist(
    em.create(Proof, {
      secretHash: secretHash(secret),
      purpose,
      person: person === null ? null : em.getReference(Person, person),
      session,
      email,
      codeHash,
      back,
      created,
      expires,
    }),
  );
  return expires;
}

/** What a proof was created with. */
export interface SpentProof {
  person: string | null;
  session: string | null;
  email: string | null;
  back: string | null;
  created: Date;
  expires: Date;
}

/**
 * Deletes a proof and returns it; `undefined` if it is unknown, spent or has expired. Of many concurrent calls one gets it.
 * Source: security T44.
 */
export async function spendProof(
  scope: StatementScope,
  core: Core,
  purpose: ProofPurpose,
  secret: string,
): Promise<SpentProof | undefined> {
  return db(scope)
    .deleteFrom('proof')
    .where('secret_hash', '=', secretHash(secret))
    .where('purpose', '=', purpose)
    .where('expires', '>', core.now())
    .returning(['person_id as person', 'session', 'email', 'back', 'created', 'expires'])
    .executeTakeFirst();
}

/** Reads a proof without spending it. */
export async function readProof(core: Core, purpose: ProofPurpose, secret: string): Promise<SpentProof | undefined> {
  return db(core)
    .selectFrom('proof')
    .select(['person_id as person', 'session', 'email', 'back', 'created', 'expires'])
    .where('secret_hash', '=', secretHash(secret))
    .where('purpose', '=', purpose)
    .where('expires', '>', core.now())
    .executeTakeFirst();
}

/** The lifetime of the cookie of a sign-in that a browser has begun, in seconds. */
export const PROOF_COOKIE_SECONDS = 600;

/** A person who is no member any more is deleted after this time at the earliest. */
const STRANGER_MS = 24 * 3600 * 1000;

/**
 * Deletes sessions, proofs, invitations and device grants that have expired, and persons who are members of no account. Runs one statement,
 * because an idle server runs it every minute.
 */
export async function deleteExpiredSignIns(core: Core): Promise<void> {
  const now = core.now();
  const isExpired = sql`expires <= ${now}`;
  await sql`
    with
      expired_sessions as (delete from session where ${isExpired}),
      expired_proofs as (delete from proof where ${isExpired}),
      expired_invites as (delete from invite where ${isExpired}),
      expired_device_grants as (delete from device_grant where ${isExpired})
    delete from person p where p.created < ${new Date(now.getTime() - STRANGER_MS)}
      and not exists (select from member m where m.person_id = p.id)
      and not exists (select from member m where lower(m.email) = p.email)`.execute(db(core));
}
