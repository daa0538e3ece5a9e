import { CREDENTIAL } from '@berth/contract';
import type { EntityManager } from '@mikro-orm/postgresql';
import { type QueryExecutorProvider, type RawBuilder, sql } from 'kysely';
import type { AccountCaller, Caller, Core } from '../core.ts';
import { ServiceError } from '../errors.ts';
import { secretHash } from './random.ts';

const USED_PRECISION_SECONDS = 60;

interface CredentialRow {
  id: number;
  account: string;
  plan: string;
  state: 'active' | 'suspended' | 'terminated';
  token: string;
  kind: 'api' | 'deploy';
  stale: boolean;
}

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
export async function checkCredential(core: Core, caller: AccountCaller): Promise<Date | null> {
  const row = await readCredential(core.database.kysely, core, caller, sql``);
  return row.expires === null ? null : new Date(row.expires);
}

/**
 * Checks the credential of a caller again and locks it, so that it cannot be revoked until the transaction ends. So
 * everything that commits was allowed, and nothing commits after a revocation was answered. Call it after the account
 * is locked.
 *
 * @throws `authentication_failed` if it was revoked or has expired; `forbidden` if its account is no longer active.
 * Source: api §5.
 */
export async function lockCredential(em: EntityManager, core: Core, caller: Caller): Promise<void> {
  if (caller.kind === 'account') await readCredential(em.getKysely(), core, caller, sql`for key share of t`);
}

async function readCredential(
  db: QueryExecutorProvider,
  core: Core,
  { account, token }: AccountCaller,
  lock: RawBuilder<unknown>,
): Promise<{ expires: Date | null }> {
  const { rows } = await sql<{ state: CredentialRow['state']; expires: Date | null }>`
    select a.state, t.expires from token t join account a on a.id = t.account_id
    where t.account_id = ${account} and t.token = ${token} and (t.expires is null or t.expires > ${core.now()})
    ${lock}`.execute(db);
  return requireActive(rows[0]);
}

function requireActive<T extends Pick<CredentialRow, 'state'>>(row: T | undefined): T {
  if (!row)
    throw new ServiceError(
      'authentication_failed',
      'The credential is not valid: send "Authorization: Bearer <API key or deploy token>".',
    );
  if (row.state !== 'active') throw new ServiceError('forbidden', `This account is ${row.state}.`);
  return row;
}

async function findCredential(core: Core, credential: string): Promise<CredentialRow | undefined> {
  const now = core.now();
  const { rows } = await sql<CredentialRow>`
    select t.id::float8 as id, a.id as account, a.plan, a.state, t.token, t.kind,
      (t.used is null or t.used < ${staleBefore(now)}) as stale
    from token t join account a on a.id = t.account_id
    where t.secret_hash = ${secretHash(credential)} and (t.expires is null or t.expires > ${now})`.execute(
    core.database.kysely,
  );
  return rows[0];
}

/**
 * Marks a credential as used. The update checks again if the mark is old, so that only one of several concurrent
 * requests writes it.
 */
async function markUsed(core: Core, id: number): Promise<void> {
  const now = core.now();
  await sql`update token set used = ${now} where id = ${id} and (used is null or used < ${staleBefore(now)})`.execute(
    core.database.kysely,
  );
}

function staleBefore(now: Date): Date {
  return new Date(now.getTime() - USED_PRECISION_SECONDS * 1000);
}
