import { CREDENTIAL } from '@berth/contract';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { AccountCaller, Caller, Core, Scope } from '../core.ts';
import { db, type StatementScope } from '../database/tables.ts';
import { type AccountState, Token } from '../entities/index.ts';
import { ServiceError } from '../errors.ts';
import { secretHash } from './random.ts';

const USED_PRECISION_SECONDS = 60;

/**
 * Determines the caller of a request.
 *
 * @param header The `Authorization` header. Only a request without the header, `undefined`, is anonymous.
 * @param address The client's address.
 * @throws `authentication_failed` if the header is present but invalid: unreadable, of another scheme, unknown,
 *   expired or revoked, with the same message for all. `forbidden` for a suspended or terminated account.
 * Source: api §1; security T20.
 */
export async function authenticate(core: Core, header: string | undefined, address: string): Promise<Caller> {
  if (header === undefined) return { kind: 'anonymous', address };
  const credential = /^bearer +(\S+)$/i.exec(header.trim())?.[1];
  const row = requireActive(
    credential !== undefined && CREDENTIAL.test(credential) ? await findCredential(core, credential) : undefined,
  );
  if (row.stale) await markUsed(core, row.id);
  return {
    kind: 'account',
    account: row.account,
    plan: row.plan,
    credential: row.kind,
    token: row.token,
    authMethod: row.kind === 'api' ? 'api-key' : 'deploy-token',
  };
}

/**
 * Checks the credential of a caller again during a long request.
 *
 * @returns When it expires; `null` for never.
 * @throws `authentication_failed` if it was revoked or has expired; `forbidden` if its account is no longer active.
 * Source: api §5, §9.
 */
export async function checkCredential({ core, caller }: Scope): Promise<Date | null> {
  const { expires } = requireActive(await credentialOf(core, core, caller).executeTakeFirst());
  return expires;
}

/**
 * Checks the credential of a caller again and locks it, so that it cannot be revoked until the transaction ends. So
 * everything that commits was allowed, and nothing commits after a revocation was answered. Call it after the account
 * is locked.
 *
 * @throws `authentication_failed` if it was revoked or has expired; `forbidden` if its account is no longer active.
 * Source: api §5.
 */
export async function lockCredential(em: EntityManager, { core, caller }: Scope<Caller>): Promise<void> {
  if (caller.kind === 'account')
    requireActive(await credentialOf(em, core, caller).forKeyShare('t').executeTakeFirst());
}

function credentialOf(scope: StatementScope, core: Core, { account, token }: AccountCaller) {
  return validCredentials(scope, core.now())
    .select(['a.state', 't.expires'])
    .where('t.account_id', '=', account)
    .where('t.token', '=', token);
}

/** The credentials that have not expired, as `t`, with their account, as `a`. */
function validCredentials(scope: StatementScope, now: Date) {
  return db(scope)
    .selectFrom('token as t')
    .innerJoin('account as a', 'a.id', 't.account_id')
    .where(({ eb, or }) => or([eb('t.expires', 'is', null), eb('t.expires', '>', now)]));
}

function requireActive<T extends { state: AccountState }>(row: T | undefined): T {
  if (!row)
    throw new ServiceError(
      'authentication_failed',
      'The credential is not valid: send "Authorization: Bearer <API key or deploy token>".',
    );
  if (row.state !== 'active') throw new ServiceError('forbidden', `This account is ${row.state}.`);
  return row;
}

async function findCredential(core: Core, credential: string) {
  const now = core.now();
  return validCredentials(core, now)
    .select(['t.id', 'a.id as account', 'a.plan', 'a.state', 't.token', 't.kind'])
    .select(({ eb, or }) => or([eb('t.used', 'is', null), eb('t.used', '<', staleBefore(now))]).as('stale'))
    .where('t.secret_hash', '=', secretHash(credential))
    .executeTakeFirst();
}

/**
 * Marks a credential as used. The update checks again if the mark is old, so that only one of several concurrent
 * requests writes it.
 */
async function markUsed(core: Core, id: number): Promise<void> {
  const now = core.now();
  const stale = { id, $or: [{ used: null }, { used: { $lt: staleBefore(now) } }] };
  await core.database.em().nativeUpdate(Token, stale, { used: now });
}

function staleBefore(now: Date): Date {
  return new Date(now.getTime() - USED_PRECISION_SECONDS * 1000);
}
