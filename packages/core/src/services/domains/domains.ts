import type {
  Domain as WireDomain,
  DomainDns,
  DomainList,
  DomainRecords,
  DomainShare,
  DomainValidation,
  PageQuery,
  VerifiedDomain,
} from '@berth/contract';
import { type EntityManager, LockMode } from '@mikro-orm/postgresql';
import type { z } from 'zod';
import type { Addresses, Scope } from '../../core.ts';
import { Account, Domain } from '../../entities/index.ts';
import { invalid, notFound, ServiceError } from '../../errors.ts';
import { recordActivity } from '../activities/activities.ts';
import { type CursorScope, decodeCursor, toPage, Values } from '../cursors.ts';
import { lockAccount } from '../accounts/account-lock.ts';
import { type DomainName, isApex, namesAbove, normaliseName, readUsableName, registrableOf } from '../domain-names.ts';
import { requireDomainAccess } from '../domain-access.ts';
import { wantedRecords } from './domain-records.ts';
import { toUnixSeconds } from '../timestamps.ts';
import { checkDomain, claimCheck } from './domain-checks.ts';
import { endVersion } from './record-version.ts';

/** What a domain shows of its row. */
type ShownDomain = Pick<Domain, 'name' | 'status' | 'labels' | 'created' | 'linked' | 'links'> & {
  deployment?: { id: string } | null | undefined;
};

/** The wire form of a domain. Source: api §4. */
export function toDomain(addresses: Addresses, row: ShownDomain): WireDomain {
  return {
    domain: row.name,
    url: addresses.domain(row.name),
    deployment: row.deployment?.id ?? null,
    status: row.status,
    labels: row.labels,
    created: toUnixSeconds(row.created),
    linked: row.linked ? toUnixSeconds(row.linked) : null,
    links: row.links,
  };
}

const SELECT_DOMAINS = `
  select d.id, d.name, d.status, array_to_json(d.labels) as labels, d.created, d.linked, d.links, d.deployment_id as linked_to
  from domain d where d.account_id = $1`;

type DomainRow = Omit<ShownDomain, 'deployment'> & { id: number; linked_to: string | null };

const fromRow = (addresses: Addresses, { linked_to, ...row }: DomainRow) =>
  toDomain(addresses, { ...row, deployment: linked_to === null ? null : { id: linked_to } });

/** `GET /domains`, newest first. @throws `validation_failed` for an invalid cursor. */
export async function listDomains({ core, caller }: Scope, page: PageQuery): Promise<z.infer<typeof DomainList>> {
  const cursorScope: CursorScope = { core, account: caller.account, list: 'domains' };
  const values = new Values(caller.account);
  let after = '';
  if (page.cursor !== undefined) {
    const [created, id] = decodeCursor(cursorScope, page.cursor);
    after = `and (d.created, d.id) < (${values.add(new Date(created!))}, ${values.add(id)})`;
  }
  const text = `${SELECT_DOMAINS} ${after} order by d.created desc, d.id desc limit ${values.add(page.limit + 1)}`;
  const found = await core.database.prepared<DomainRow>(text, values.list);
  const { rows, nextCursor } = toPage(cursorScope, found, page.limit, (row) => [row.created.getTime(), row.id]);
  return { domains: rows.map((row) => fromRow(core.addresses, row)), ...(nextCursor ? { nextCursor } : {}) };
}

/**
 * `GET /domains/{domain}`.
 *
 * @throws `validation_failed` for an invalid name; `not_found`; `forbidden` for a deploy token that is not limited to the
 *   domain.
 */
export async function getDomain({ core, caller }: Scope, reference: string): Promise<WireDomain> {
  requireDomainAccess(caller, reference);
  const name = nameOf(reference);
  const [row] = await core.database.prepared<DomainRow>(`${SELECT_DOMAINS} and d.name = $2`, [caller.account, name]);
  if (!row) throw notFound('domain');
  return fromRow(core.addresses, row);
}

/** Returns the normalised name that a reference means. @throws `validation_failed` for an invalid name. */
function nameOf(reference: string): string {
  const normalised = normaliseName(reference);
  if (!normalised.ok) throw invalid('domain', normalised.reason);
  return normalised.name;
}

/** `DELETE /domains/{domain}`. The name is then available again. @throws `validation_failed`; `not_found`. */
export async function deleteDomain(scope: Scope, reference: string): Promise<{ domain: string }> {
  return scope.core.database.transaction(async (em) => {
    await lockAccount(em, scope.caller.account);
    return { domain: (await removeDomain(em, scope, reference)).name };
  });
}

/** Like {@link deleteDomain}, in the caller's transaction, which must have locked the account. @returns The deleted row. */
export async function removeDomain(em: EntityManager, scope: Scope, reference: string): Promise<Domain> {
  const { core, caller } = scope;
  const row = await getOwnDomain(em, scope, reference, { lock: true });
  em.remove(row);
  const created = core.now();
  await endVersion(em, { account: caller.account, domain: row.name, at: created });
  recordActivity(em, {
    account: caller.account,
    event: 'domain.delete',
    authMethod: caller.authMethod,
    created,
    domain: row.name,
    deployment: row.deployment?.id,
  });
  return row;
}

/** Decides if a name can be a domain of the account. An invalid name is a result, not an error. Source: api §4. */
export async function validateDomain({ core, caller }: Scope, text: string): Promise<DomainValidation> {
  const result = readUsableName(core.addresses, text);
  if (!result.ok) return { valid: false, normalized: result.name, available: false, reason: result.reason };
  const isTaken = await isNameTaken(core.database.em(), caller.account, result);
  return { valid: true, normalized: result.name, available: !isTaken, reason: isTaken ? NAME_TAKEN : null };
}

/**
 * `GET /domains/{domain}/records`: the DNS records that the domain needs.
 *
 * @throws `validation_failed`; `not_found`; `business_logic_error` for a platform domain.
 */
export async function getRecords(scope: Scope, reference: string): Promise<DomainRecords> {
  const em = scope.core.database.em();
  const { name } = await getOwnCustomDomain(em, scope, reference);
  const account = await em.findOneOrFail(Account, { id: scope.caller.account });
  const records = wantedRecords(scope.core, account, name).flatMap(({ values, ...record }) =>
    values.map((value) => ({ ...record, value })),
  );
  return { domain: name, apex: isApex(name), records };
}

/**
 * `GET /domains/{domain}/share`: the public page that lists the DNS records of the domain.
 *
 * @throws `validation_failed`; `not_found`; `business_logic_error` for a platform domain.
 */
export async function getShare(scope: Scope, reference: string): Promise<DomainShare> {
  const { name, shareHash } = await getOwnCustomDomain(scope.core.database.em(), scope, reference);
  return { domain: name, hash: shareHash!, url: scope.core.addresses.share(shareHash!) };
}

/**
 * Returns a domain of the caller.
 *
 * @param lock Locks the row until the transaction ends. The account must be locked before. Source: storage L6.
 * @throws `validation_failed` for an invalid name; `not_found`.
 */
async function getOwnDomain(
  em: EntityManager,
  { caller }: Scope,
  reference: string,
  { lock = false } = {},
): Promise<Domain> {
  const row = await em.findOne(
    Domain,
    { account: caller.account, name: nameOf(reference) },
    lock ? { lockMode: LockMode.PESSIMISTIC_WRITE } : {},
  );
  if (!row) throw notFound('domain');
  return row;
}

/** Like {@link getOwnDomain}, but for custom domains only. @throws `business_logic_error` for a platform domain. */
async function getOwnCustomDomain(em: EntityManager, scope: Scope, reference: string): Promise<Domain> {
  const row = await getOwnDomain(em, scope, reference);
  if (row.kind !== 'custom')
    throw new ServiceError('business_logic_error', 'A platform domain needs no DNS records: it serves at once.', {
      details: { kind: row.kind },
    });
  return row;
}

/** The error message for a name that another account has verified. */
export const NAME_TAKEN = 'this name, or one above it, belongs to another account';

/**
 * True if another account has verified this name or, for a custom name, a name above it. A pending domain does not count.
 *
 * Source: api §4; security T28.
 */
export async function isNameTaken(em: EntityManager, account: string, name: DomainName): Promise<boolean> {
  const names = name.kind === 'custom' ? [name.name, ...namesAbove(name)] : [name.name];
  const holderCount = await em.count(Domain, {
    name: { $in: names },
    verified: { $ne: null },
    account: { $ne: account },
  });
  return holderCount > 0;
}

/**
 * `POST /domains/{domain}/verify`: checks the DNS now, for at most 5 s, and updates the status. If another account has
 * already verified the name, or a name above or below it, the domain stays pending and the checks state the reason.
 *
 * @throws `validation_failed`; `not_found`; `business_logic_error` for a platform domain; `rate_limit_exceeded`
 *   within 10 s after the last check. Source: api §4; security T28, T30.
 */
export async function verifyDomain(scope: Scope, reference: string): Promise<VerifiedDomain> {
  const { core, caller } = scope;
  const { id } = await getOwnCustomDomain(core.database.em(), scope, reference);
  const retryAfter = await claimCheck(core, id);
  if (retryAfter > 0)
    throw new ServiceError(
      'rate_limit_exceeded',
      `The DNS of this domain was checked a moment ago; try again in ${retryAfter} s.`,
      { details: { retryAfter }, retryAfterSeconds: retryAfter },
    );
  const row = await checkDomain(core, id, { authMethod: caller.authMethod, isManual: true });
  if (!row) throw notFound('domain');
  return {
    ...toDomain(core.addresses, row),
    checks: row.checks.map((check) => {
      const { failed: _, ...shown } = check;
      return shown;
    }),
    nextCheck: row.nextCheck ? toUnixSeconds(row.nextCheck) : null,
  };
}

/**
 * `GET /domains/{domain}/dns`: finds the DNS provider by the NS records of the registrable domain.
 *
 * @throws `validation_failed`; `not_found`; `business_logic_error` for a platform domain. Source: api §4.
 */
export async function findProvider(scope: Scope, reference: string): Promise<DomainDns> {
  const { core } = scope;
  const { name } = await getOwnCustomDomain(core.database.em(), scope, reference);
  const provider = await core.dns.provider(registrableOf(name));
  return { domain: name, dns: provider && { provider } };
}
