import { CREDENTIAL } from '@berth/contract';
import { sql } from 'kysely';
import type { Caller, Core } from '../core.ts';
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
 * Decides who makes a request.
 *
 * @param header The `Authorization` header; `undefined` when it is absent, the one case that is anonymous.
 * @param address The client's address.
 * @throws `authentication_failed` for a header that is present and opens nothing: unreadable, of another scheme, unknown,
 *   expired or revoked, all alike. `forbidden` for a suspended or terminated account.
 * Source: service-api part 5; contract §1; security T20.
 */
export async function authenticate(core: Core, header: string | undefined, address: string): Promise<Caller> {
  if (header === undefined) return { kind: 'anonymous', address };
  const credential = /^bearer +(\S+)$/i.exec(header.trim())?.[1];
  const row =
    credential !== undefined && CREDENTIAL.test(credential) ? await findCredential(core, credential) : undefined;
  if (!row)
    throw new ServiceError(
      'authentication_failed',
      'The credential is not valid: send "Authorization: Bearer <API key or deploy token>".',
    );
  if (row.state !== 'active') throw new ServiceError('forbidden', `This account is ${row.state}.`);
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

async function findCredential(core: Core, credential: string): Promise<CredentialRow | undefined> {
  const now = core.now();
  const { rows } = await sql<CredentialRow>`
    select t.id::float8 as id, a.id as account, a.plan, a.state, t.token, t.kind,
      (t.used is null or t.used < ${staleBefore(now)}) as stale
    from token t join account a on a.id = t.account_id
    where t.secret_hash = ${secretHash(credential)} and (t.expires is null or t.expires > ${now})`.execute(
    core.database.em().getKysely(),
  );
  return rows[0];
}

/** Asks again whether it is stale, so that of requests at the same time one moves it. */
async function markUsed(core: Core, id: number): Promise<void> {
  const now = core.now();
  await sql`update token set used = ${now} where id = ${id} and (used is null or used < ${staleBefore(now)})`.execute(
    core.database.em().getKysely(),
  );
}

function staleBefore(now: Date): Date {
  return new Date(now.getTime() - USED_PRECISION_SECONDS * 1000);
}
