import { CREDENTIAL, DEFAULT_TOKEN_KEEP, type MemberRole } from '@berth/contract';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { AccountCaller, Caller, Core, Scope } from '../core.ts';
import { db, type StatementScope } from '../database/tables.ts';
import { type AccountStanding, type AccountState, Token } from '../entities/index.ts';
import { ServiceError } from '../errors.ts';
import { requireActiveAccount } from './inactive-account.ts';
import { secretHash } from './random.ts';
import { findSession, sessionOf } from './session-credential.ts';

const USED_PRECISION_MS = 60_000;

/**
 * Determines the caller of a request.
 *
 * @param header The `Authorization` header. Only a request without this header is anonymous.
 * @throws `authentication_failed` if the credential cannot be read, is unknown, has expired or was revoked, always with
 *   the same message; `forbidden` for a suspended or terminated account. Source: api §1; security T20.
 */
export async function authenticate(core: Core, header: string | undefined, address: string): Promise<Caller> {
  if (header === undefined) return { kind: 'anonymous', address };
  const now = core.now();
  const credential = readCredential(header);
  const [row] =
    credential === null
      ? []
      : await core.database.prepared<CredentialRow>(FIND_CREDENTIAL, [secretHash(credential), now]);
  return callerOf(core, row, now);
}

/** Reads the credential from an `Authorization` header; `null` if it has none that could be valid. */
export function readCredential(header: string): string | null {
  const credential = /^bearer +(\S+)$/i.exec(header.trim())?.[1];
  return credential !== undefined && CREDENTIAL.test(credential) ? credential : null;
}

/**
 * Returns the caller that a row of {@link FIND_CREDENTIAL} describes, and records that the credential was used.
 *
 * @throws `authentication_failed` without a row; `forbidden` for a suspended or terminated account.
 */
export async function callerOf(core: Core, found: CredentialRow | undefined, now: Date): Promise<AccountCaller> {
  const row = requireActive(found);
  if (row.used === null || row.used < staleBefore(now)) await markUsed(core, row.id);
  return {
    kind: 'account',
    account: row.account,
    plan: row.plan,
    credential: row.kind,
    token: row.token,
    ...(row.domains.length > 0 && { domainAccess: { domains: row.domains, keep: row.keep ?? DEFAULT_TOKEN_KEEP } }),
    member: row.person === null ? null : { person: row.person, role: row.role! },
    authMethod: row.kind === 'api' ? 'api-key' : 'deploy-token',
    used: row.used,
  };
}

/**
 * Determines the caller of a request from a page of the console. The account of a session can be suspended or terminated; the
 * access guard then allows only what needs no active account.
 *
 * @param secret The value of its cookie; `null` if it has none.
 * @returns An anonymous caller if no one is signed in. Source: api §13; security T43.
 */
export async function authenticateSession(core: Core, secret: string | null, address: string): Promise<Caller> {
  const found = secret === null ? undefined : await findSession(core, secret);
  return found ?? { kind: 'anonymous', address };
}

/**
 * Checks the credential of a caller again during a long request, and returns when it expires; `null` for never.
 *
 * @throws `authentication_failed` if it was revoked or has expired; `forbidden` if its account is no longer active.
 * Source: api §5, §9.
 */
export async function checkCredential({ core, caller }: Scope): Promise<Date | null> {
  const row =
    caller.credential === 'session'
      ? await sessionOf(core, core, caller).executeTakeFirst()
      : await credentialOf(core, core, caller).executeTakeFirst();
  return requireActive(row).expires;
}

/**
 * Checks the credential of a caller again and locks it until the transaction ends. A revocation waits for the
 * transaction, so nothing commits after a credential is revoked. The account must be locked before.
 *
 * @throws `authentication_failed` if it was revoked or has expired; `forbidden` if its account is no longer active.
 * Source: api §5.
 */
export async function lockCredential(em: EntityManager, { core, caller }: Scope<Caller>): Promise<void> {
  if (caller.kind !== 'account') return;
  const row =
    caller.credential === 'session'
      ? await sessionOf(em, core, caller).forKeyShare(['s', 'm']).executeTakeFirst()
      : await credentialOf(em, core, caller).forKeyShare('t').executeTakeFirst();
  requireActive(row);
}

function credentialOf(scope: StatementScope, core: Core, { account, token }: AccountCaller) {
  return db(scope)
    .selectFrom('token as t')
    .innerJoin('account as a', 'a.id', 't.account_id')
    .select(['a.state', 'a.state_reason as stateReason', 't.expires'])
    .where('t.account_id', '=', account)
    .where('t.token', '=', token)
    .where(({ eb, or }) => or([eb('t.expires', 'is', null), eb('t.expires', '>', core.now())]));
}

function requireActive<T extends AccountStanding>(row: T | undefined): T {
  if (!row)
    throw new ServiceError(
      'authentication_failed',
      'The credential is not valid: send "Authorization: Bearer <API key or deploy token>".',
    );
  requireActiveAccount(row);
  return row;
}

/** A row of {@link FIND_CREDENTIAL}. */
export interface CredentialRow {
  id: number;
  account: string;
  plan: string;
  state: AccountState;
  stateReason: string | null;
  token: string;
  kind: 'api' | 'deploy';
  /** The domains that a deploy token can publish to. */
  domains: string[];
  keep: number | null;
  /** The member who made it; `null` for the operator. */
  person: string | null;
  role: MemberRole | null;
  used: Date | null;
}

/**
 * The statement that finds a credential by its hash, `$1`, at the time `$2`. `client` is the account that pays for its requests;
 * null if the credential cannot be used.
 */
export const FIND_CREDENTIAL = `
  select t.id::float8 as id, a.id as account, a.plan, a.state, a.state_reason as "stateReason", t.token, t.kind,
    array_to_json(t.domains) as domains, t.keep, t.person_id as person, m.role, t.used,
    case a.state when 'active' then a.id end as client
  from token t join account a on a.id = t.account_id
    left join member m on m.account_id = t.account_id and m.person_id = t.person_id
  where t.secret_hash = $1 and (t.expires is null or t.expires > $2) and (t.person_id is null or m.id is not null)`;

/** Records that a credential was used. Only one of several concurrent requests writes. */
async function markUsed(core: Core, id: number): Promise<void> {
  const usedAt = core.now();
  const em = core.database.em();
  await em.nativeUpdate(Token, { id, $or: [{ used: null }, { used: { $lt: staleBefore(usedAt) } }] }, { used: usedAt });
}

function staleBefore(now: Date): Date {
  return new Date(now.getTime() - USED_PRECISION_MS);
}
