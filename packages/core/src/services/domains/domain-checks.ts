import type { AuthMethod } from '@berth/contract';
import { type EntityManager, LockMode } from '@mikro-orm/postgresql';
import { expressionBuilder, sql } from 'kysely';
import type { Core } from '../../core.ts';
import { db, type Tables } from '../../database/tables.ts';
import { type DnsCheck, Domain } from '../../entities/index.ts';
import { recordActivity } from '../activities/activities.ts';
import { lockAccount } from '../accounts/account-lock.ts';
import { namesAbove, registrableOf } from './domain-names.ts';
import { wantedRecords } from './domain-records.ts';
import { applyChecks, type DomainState, MAX_SCHEDULE_MS } from './domain-schedule.ts';
import { attemptTask } from '../worklist.ts';

/**
 * The minimum pause between two checks of one domain, in milliseconds. Longer than a check takes. Source: api §4.
 */
export const COOLDOWN_MS = 10_000;
/** The class of the advisory lock. The hash of a name is the second key, so no other advisory lock can collide. */
const NAME_LOCK = 7_212_020;
const NAME_PROVED_BY_OTHER =
  'The record is correct, but another account has already proved this name, or one above or below it.';

/**
 * Who requested a check. If a person did, they have probably just changed the records, so the next checks follow soon.
 */
export interface CheckRequest {
  authMethod: AuthMethod;
  asked: boolean;
}

/**
 * The condition for a domain that no process is checking and that was not checked within the cooldown. A
 * last check too far in the future was written by a wrong clock and is ignored; small differences between the clocks of
 * processes are allowed for.
 */
function isNotBeingChecked(now: Date) {
  const before = new Date(now.getTime() - COOLDOWN_MS);
  const ahead = new Date(now.getTime() + COOLDOWN_MS);
  const { eb, or } = expressionBuilder<Tables, 'domain'>();
  return or([eb('checked', 'is', null), eb('checked', '<=', before), eb('checked', '>', ahead)]);
}

/**
 * Claims the next check of a domain. Checks of one domain never overlap, in any process.
 *
 * @returns 0 if claimed, or the number of whole seconds after which to retry.
 */
export async function claimCheck(core: Core, id: number): Promise<number> {
  const now = core.now();
  const [claimed] = await db(core)
    .updateTable('domain')
    .set({ checked: now })
    .where('id', '=', id)
    .where(isNotBeingChecked(now))
    .returning('id')
    .execute();
  if (claimed) return 0;
  const found = await core.database.em().findOne(Domain, { id });
  const passedMs = found?.checked ? now.getTime() - found.checked.getTime() : 0;
  return Math.min(Math.max(Math.ceil((COOLDOWN_MS - passedMs) / 1000), 1), COOLDOWN_MS / 1000);
}

/**
 * Checks the DNS of a domain whose check was claimed, and updates its status. The DNS queries run outside of any
 * transaction. Its result is applied to the row as it is afterwards.
 *
 * @returns The row; `null` if the domain was deleted. Source: api §4; security T28.
 */
export async function checkDomain(core: Core, id: number, asker: CheckRequest): Promise<Domain | null> {
  const row = await core.database.em().findOne(Domain, { id }, { populate: ['account'] });
  if (!row) return null;
  const account = row.account.id;
  const checks = await core.dns.check(wantedRecords(core, row.account, row.name));
  return core.database.transaction(async (em) => {
    await lockAccount(em, account);
    if (checks.every(({ ok }) => ok)) await lockName(em, row.name);
    const current = await em.findOne(Domain, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE });
    if (current) await storeCheckResult(em, core, current, checks, asker);
    return current;
  });
}

/**
 * Stores the result of a check. The caller must hold the locks of the account, of the row and, if all records were
 * found, of the name.
 */
async function storeCheckResult(
  em: EntityManager,
  core: Core,
  row: Domain,
  found: DnsCheck[],
  asker: CheckRequest,
): Promise<void> {
  const now = core.now();
  const before = row.status;
  const isNew = row.verified === null && row.status !== 'paused' && found.every(({ ok }) => ok);
  const checks = isNew && (await isBlocked(em, row)) ? found.map(markBlocked) : found;
  const next: DomainState = applyChecks(row, checks, { now, asked: asker.asked });
  const isVerified = row.verified === null && next.verified !== null;
  const isLost = row.verified !== null && next.verified === null;
  em.assign(row, { ...next, checks });
  if (isVerified || isLost)
    recordActivity(em, {
      account: row.account.id,
      event: isVerified ? 'domain.verify' : 'domain.update',
      authMethod: asker.authMethod,
      created: now,
      domain: row.name,
      deployment: row.deployment?.id,
      meta: isVerified ? {} : { status: row.status, previous: before },
    });
}

/**
 * Waits for other transactions that are proving a related name. Names above and below each other share their last two
 * labels.
 *
 * Source: security T28.
 */
async function lockName(em: EntityManager, name: string): Promise<void> {
  const end = name.split('.').slice(-2).join('.');
  await sql`select pg_advisory_xact_lock(${NAME_LOCK}, hashtext(${end}))`.execute(db(em));
}

/** True if another account has proved this name, or a name above or below it. Source: api §4; security T28. */
async function isBlocked(em: EntityManager, { name, account }: Domain): Promise<boolean> {
  const names = [name, ...namesAbove({ name, registrable: registrableOf(name) })];
  const proved = await em.count(Domain, {
    verified: { $ne: null },
    account: { $ne: account.id },
    kind: 'custom',
    $or: [{ name: { $in: names } }, { name: { $like: `%.${name}` } }],
  });
  return proved > 0;
}

function markBlocked(check: DnsCheck): DnsCheck {
  return { ...check, ok: false, reason: NAME_PROVED_BY_OTHER };
}

/** The size of one run. */
export interface RecheckOptions {
  /** The maximum number of domains that are checked concurrently. Default: 16. */
  batch?: number;
  /** The maximum number of batches in a run. Default: 20. */
  batches?: number;
  /** Ends the run after the current batch. */
  signal?: AbortSignal;
}

/** How long a process has to finish a check that it claimed. Then another process may claim it. */
const LEASE_MS = 2 * 60_000;
const DAY_MS = 24 * 60 * 60_000;

/**
 * Checks the DNS of domains that are due: unverified ones after growing pauses, and once a day those that serve, or
 * would serve if they were not paused. Several processes can run this at once; each claims different domains.
 *
 * @returns How many domains were checked. Source: api §4; security T28.
 */
export async function recheckDomains(
  core: Core,
  { batch = 16, batches = 20, signal }: RecheckOptions = {},
): Promise<number> {
  let checkedCount = 0;
  for (let run = 0; run < batches && !signal?.aborted; run += 1) {
    const ids = await claimDue(core, batch);
    await Promise.all(
      ids.map((id) =>
        attemptTask(core, { task: 'check domains', domainId: id }, () =>
          checkDomain(core, id, { authMethod: 'system', asked: false }),
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
  const at = (ms: number) => new Date(now.getTime() + ms);
  // A next check later than any schedule, or a last check in the future, was written by a wrong clock.
  const due = db(core)
    .selectFrom('domain as d')
    .innerJoin('account as a', 'a.id', 'd.account_id')
    .select('d.id')
    .where('d.kind', '=', 'custom')
    .where(({ eb, and, or, fn }) =>
      or([
        eb('d.next_check', '<=', now),
        eb('d.next_check', '>', at(2 * MAX_SCHEDULE_MS)),
        and([
          eb('d.status', '=', 'paused'),
          eb('d.next_check', 'is', null),
          or([eb(fn.coalesce('d.checked', 'd.created'), '<=', at(-DAY_MS)), eb('d.checked', '>', now)]),
        ]),
      ]),
    )
    .where(isNotBeingChecked(now))
    .where(({ eb, and, or }) =>
      or([eb('d.verified', 'is not', null), and([eb('a.state', '=', 'active'), eb('d.status', '<>', 'paused')])]),
    )
    .orderBy('d.next_check')
    .limit(batch)
    .forUpdate('d')
    .skipLocked();
  const claimed = await db(core)
    .updateTable('domain')
    .set({ checked: now, next_check: at(LEASE_MS) })
    .where('id', 'in', due)
    .returning('id')
    .execute();
  return claimed.map(({ id }) => id);
}
