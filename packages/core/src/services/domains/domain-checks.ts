import type { AuthMethod } from '@berth/contract';
import { type EntityManager, LockMode } from '@mikro-orm/postgresql';
import { expressionBuilder, sql } from 'kysely';
import type { Core } from '../../core.ts';
import { db, type Tables } from '../../database/tables.ts';
import { type DnsCheck, Domain } from '../../entities/index.ts';
import { recordActivity } from '../activities/activities.ts';
import { lockAccount } from '../accounts/account-lock.ts';
import { namesAbove, registrableOf } from '../domain-names.ts';
import { wantedRecords } from './domain-records.ts';
import { applyChecks, CHECK_INTERVAL_MS } from './domain-schedule.ts';
import { attemptTask } from '../worklist.ts';

/** Minimum pause between two checks of a domain, in milliseconds; longer than a check takes. Source: api §4. */
export const COOLDOWN_MS = 10_000;
/** First key of the advisory locks on names, so that they cannot collide with other locks. The second key is a hash. */
const NAME_LOCK = 7_212_020;
const NAME_PROVED_BY_OTHER =
  'The record is correct, but another account has already verified this name, or one above or below it.';

interface CheckRequest {
  authMethod: AuthMethod;
  /** True if a person requested the check. */
  isManual: boolean;
}

/**
 * Selects domains that were not checked within the cooldown, so that no process is checking them now. Ignores a last
 * check that is further in the future than the cooldown, because a wrong clock wrote it.
 */
function isNotBeingChecked(now: Date) {
  const cooldownStart = new Date(now.getTime() - COOLDOWN_MS);
  const cooldownEnd = new Date(now.getTime() + COOLDOWN_MS);
  const { eb, or } = expressionBuilder<Tables, 'domain'>();
  return or([eb('checked', 'is', null), eb('checked', '<=', cooldownStart), eb('checked', '>', cooldownEnd)]);
}

/** Claims the next check of a domain for this process. @returns 0, or the number of seconds after which to retry. */
export async function claimCheck(core: Core, id: number): Promise<number> {
  const now = core.now();
  const claim = db(core).updateTable('domain').set({ checked: now }).where('id', '=', id);
  const { numUpdatedRows } = await claim.where(isNotBeingChecked(now)).executeTakeFirstOrThrow();
  if (numUpdatedRows > 0n) return 0;
  const domain = await core.database.em().findOne(Domain, { id });
  const passedMs = domain?.checked ? now.getTime() - domain.checked.getTime() : 0;
  return Math.min(Math.max(Math.ceil((COOLDOWN_MS - passedMs) / 1000), 1), COOLDOWN_MS / 1000);
}

/**
 * Checks the DNS of a domain and updates its status. The caller must have claimed the check. The DNS queries run before
 * the transaction that reads the row again and applies the result.
 *
 * @returns The updated row; `null` if the domain was deleted. Source: api §4; security T28.
 */
export async function checkDomain(core: Core, id: number, request: CheckRequest): Promise<Domain | null> {
  const row = await core.database.em().findOne(Domain, { id }, { populate: ['account'] });
  if (!row) return null;
  const account = row.account.id;
  const checks = await core.dns.check(wantedRecords(core, row.account, row.name));
  return core.database.transaction(async (em) => {
    await lockAccount(em, account);
    if (checks.every(({ ok }) => ok)) await lockName(em, row.name);
    const currentRow = await em.findOne(Domain, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE });
    if (currentRow) await storeCheckResult(em, core, currentRow, checks, request);
    return currentRow;
  });
}

/** Stores the result of a check. The account, the row and, if all records were found, the name must be locked. */
async function storeCheckResult(
  em: EntityManager,
  core: Core,
  row: Domain,
  found: DnsCheck[],
  { authMethod, isManual }: CheckRequest,
): Promise<void> {
  const now = core.now();
  const previous = row.status;
  const wasVerified = row.verified !== null;
  const isProved = !wasVerified && previous !== 'paused' && found.every(({ ok }) => ok);
  const checks =
    isProved && (await isBlocked(em, row))
      ? found.map((check) => ({ ...check, ok: false, reason: NAME_PROVED_BY_OTHER }))
      : found;
  em.assign(row, { ...applyChecks(row, checks, { now, isManual }), checks });
  const isVerified = row.verified !== null;
  if (isVerified !== wasVerified)
    recordActivity(em, {
      account: row.account.id,
      event: isVerified ? 'domain.verify' : 'domain.update',
      authMethod,
      created: now,
      domain: row.name,
      deployment: row.deployment?.id,
      meta: isVerified ? {} : { status: row.status, previous },
    });
}

/** Waits for transactions that verify names above or below a name, which share its last two labels. Source: security T28. */
async function lockName(em: EntityManager, name: string): Promise<void> {
  const lastLabels = name.split('.').slice(-2).join('.');
  await sql`select pg_advisory_xact_lock(${NAME_LOCK}, hashtext(${lastLabels}))`.execute(db(em));
}

/** True if another account has verified this name, or a name above or below it. Source: api §4; security T28. */
async function isBlocked(em: EntityManager, { name, account }: Domain): Promise<boolean> {
  const names = [name, ...namesAbove({ name, registrable: registrableOf(name) })];
  const provedCount = await em.count(Domain, {
    verified: { $ne: null },
    account: { $ne: account.id },
    kind: 'custom',
    $or: [{ name: { $in: names } }, { name: { $like: `%.${name}` } }],
  });
  return provedCount > 0;
}

/** How long a process has to finish a check that it claimed. After this time another process may claim the check. */
const LEASE_MS = 2 * 60_000;

/**
 * Checks the DNS of the domains whose next check is due. Several processes can run this at the same time; each claims
 * other domains.
 *
 * @param batch The maximum number of domains that are checked concurrently.
 * @param batches The maximum number of batches in a run.
 * @param signal Ends the run after the current batch.
 * @returns How many domains were checked. Source: api §4; security T28.
 */
export async function recheckDomains(
  core: Core,
  { batch = 16, batches = 20, signal }: { batch?: number; batches?: number; signal?: AbortSignal } = {},
): Promise<number> {
  let checkedCount = 0;
  for (let run = 0; run < batches && !signal?.aborted; run += 1) {
    const ids = await claimDue(core, batch);
    await Promise.all(
      ids.map((id) =>
        attemptTask(core, { task: 'check domains', domainId: id }, () =>
          checkDomain(core, id, { authMethod: 'system', isManual: false }),
        ),
      ),
    );
    checkedCount += ids.length;
    if (ids.length < batch) break;
  }
  return checkedCount;
}

async function claimDue(core: Core, batch: number): Promise<number[]> {
  const now = core.now();
  const afterMs = (ms: number) => new Date(now.getTime() + ms);
  // A wrong clock may have set a next check that is later than any schedule, or a last check in the future.
  const dueDomains = db(core)
    .selectFrom('domain as d')
    .innerJoin('account as a', 'a.id', 'd.account_id')
    .select('d.id')
    .where('d.kind', '=', 'custom')
    .where(({ eb, and, or, fn }) =>
      or([
        eb('d.next_check', '<=', now),
        eb('d.next_check', '>', afterMs(2 * CHECK_INTERVAL_MS)),
        and([
          eb('d.status', '=', 'paused'),
          eb('d.next_check', 'is', null),
          or([eb(fn.coalesce('d.checked', 'd.created'), '<=', afterMs(-CHECK_INTERVAL_MS)), eb('d.checked', '>', now)]),
        ]),
      ]),
    )
    .where(isNotBeingChecked(now))
    .where(({ eb, and, or }) =>
      or([eb('d.verified', 'is not', null), and([eb('a.state', '=', 'active'), eb('d.status', '<>', 'paused')])]),
    )
    .orderBy('d.next_check')
    .limit(batch);
  // Most runs find nothing. A prepared statement costs them a fraction of an update.
  const { sql: findDue, parameters } = dueDomains.compile();
  if ((await core.database.prepared(findDue, parameters)).length === 0) return [];
  const claimedRows = await db(core)
    .updateTable('domain')
    .set({ checked: now, next_check: afterMs(LEASE_MS) })
    // An array is computed once. PostgreSQL may run a subquery of `in` several times, each time for other rows.
    .where('id', '=', sql<number>`any(array(${dueDomains.forUpdate('d').skipLocked()}))`)
    .returning('id')
    .execute();
  return claimedRows.map(({ id }) => id);
}
