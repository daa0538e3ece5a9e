import type { AuthMethod } from '@berth/contract';
import { type EntityManager, LockMode } from '@mikro-orm/postgresql';
import { type RawBuilder, sql } from 'kysely';
import type { Core } from '../../core.ts';
import { type DnsCheck, Domain, type DomainStatus } from '../../entities/index.ts';
import { recordActivity } from '../activities/activities.ts';
import { lockAccount } from '../accounts/account-lock.ts';
import { namesAbove, registrableOf } from './domain-names.ts';
import { wantedRecords } from './domain-records.ts';
import { type DomainState, judgeChecks } from './domain-schedule.ts';

/** How long a domain is left alone after a look, in milliseconds; longer than a look takes. Source: contract §4. */
export const COOLDOWN_MS = 10_000;
/** Beside a hash, so that no other advisory lock is meant. */
const NAME_LOCK = 7_212_020;
const BLOCKED =
  'The record is as it should be, but another account has proved this name, or one above or below it, before.';

/** Who wanted a look. Somebody who asks has just changed the records, so that the next looks follow soon. */
export interface Asker {
  authMethod: AuthMethod;
  asked: boolean;
}

/**
 * SQL that is true of a domain, as `d`, that no process is checking and that was not checked within the cooldown. A last
 * check further ahead than the clocks of two processes differ was written by a clock that was wrong, and does not count.
 */
export function isFree(now: Date): RawBuilder<boolean> {
  const before = new Date(now.getTime() - COOLDOWN_MS);
  const ahead = new Date(now.getTime() + COOLDOWN_MS);
  return sql<boolean>`(d.checked is null or d.checked <= ${before} or d.checked > ${ahead})`;
}

/**
 * Claims the next check of a domain. Checks of one domain never overlap, whichever process makes them.
 *
 * @returns 0, or after how many whole seconds to try again.
 */
export async function claimLook(core: Core, id: number): Promise<number> {
  const now = core.now();
  const db = core.database.kysely;
  const { rows } = await sql<{ id: string }>`
    update domain d set checked = ${now} where d.id = ${id} and ${isFree(now)} returning d.id`.execute(db);
  if (rows.length > 0) return 0;
  const found = await sql<{ passedMs: number }>`
    select (extract(epoch from ${now}::timestamptz - checked) * 1000)::float8 as "passedMs" from domain where id = ${id}`.execute(
    db,
  );
  const passedMs = found.rows[0]?.passedMs ?? 0;
  return Math.min(Math.max(Math.ceil((COOLDOWN_MS - passedMs) / 1000), 1), COOLDOWN_MS / 1000);
}

/**
 * Looks at the DNS of a domain, whose look was claimed, and moves its status. The look is outside of any transaction; what
 * it found is judged by the row as it is then.
 *
 * @returns The row; `null` when the domain is gone. Source: contract §4; security T28.
 */
export async function lookAtDomain(core: Core, id: number, asker: Asker): Promise<Domain | null> {
  const row = await core.database.em().findOne(Domain, { id }, { populate: ['account'] });
  if (!row) return null;
  const account = row.account.id;
  const checks = await core.dns.check(wantedRecords(core, row.account, row.name));
  return core.database.transaction(async (em) => {
    await lockAccount(em, account);
    if (checks.every(({ ok }) => ok)) await lockName(em, row.name);
    const current = await em.findOne(Domain, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE });
    if (current) await settle(em, core, current, checks, asker);
    return current;
  });
}

/** Enters what a look found. The caller holds the locks of the account, of the row and, when all is found, of the name. */
async function settle(em: EntityManager, core: Core, row: Domain, found: DnsCheck[], asker: Asker): Promise<void> {
  const now = core.now();
  const before = row.status;
  const isNew = row.verified === null && row.status !== 'paused' && found.every(({ ok }) => ok);
  const checks = isNew && (await isBlocked(em, row)) ? found.map(block) : found;
  const next: DomainState = judgeChecks(row, checks, { now, asked: asker.asked });
  const isVerified = row.verified === null && next.verified !== null;
  const isLost = row.verified !== null && next.verified === null;
  em.assign(row, { ...next, checks });
  if (isVerified) record(em, row, 'domain.verify', now, asker.authMethod, {});
  else if (isLost) record(em, row, 'domain.update', now, asker.authMethod, { status: row.status, previous: before });
}

/**
 * Waits for whoever proves a related name right now. Names above and below each other end in the same two labels.
 *
 * Source: security T28.
 */
async function lockName(em: EntityManager, name: string): Promise<void> {
  const end = name.split('.').slice(-2).join('.');
  await sql`select pg_advisory_xact_lock(${NAME_LOCK}, hashtext(${end}))`.execute(em.getKysely());
}

/** Whether another account has proved this name, or one above or below it. Source: contract §4; security T28. */
async function isBlocked(em: EntityManager, { name, account }: Domain): Promise<boolean> {
  const names = [name, ...namesAbove({ name, registrable: registrableOf(name) })];
  const { rows } = await sql`
    select 1 from domain
    where verified is not null and account_id <> ${account.id} and kind = 'custom'
      and (name = any(${names}::text[]) or starts_with(reverse(name), reverse(${`.${name}`})))
    limit 1`.execute(em.getKysely());
  return rows.length > 0;
}

function block(check: DnsCheck): DnsCheck {
  return { ...check, ok: false, reason: BLOCKED };
}

function record(
  em: EntityManager,
  { account, name, deployment }: Domain,
  event: 'domain.verify' | 'domain.update',
  created: Date,
  authMethod: AuthMethod,
  meta: { status?: DomainStatus; previous?: DomainStatus },
): void {
  recordActivity(em, {
    account: account.id,
    event,
    authMethod,
    created,
    domain: name,
    ...(deployment ? { deployment: deployment.id } : {}),
    meta,
  });
}
