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
import { type CursorScope, decodeCursor, olderThan, toPage } from '../cursors.ts';
import { lockAccount } from '../accounts/account-lock.ts';
import {
  type DomainName,
  type InvalidDomainName,
  isApex,
  namesAbove,
  normaliseName,
  readDomainName,
  registrableOf,
} from './domain-names.ts';
import { listRecords, wantedRecords } from './domain-records.ts';
import { toUnixSeconds } from '../timestamps.ts';
import { checkDomain, claimCheck } from './domain-checks.ts';

/** The wire form of a domain. Source: api §4. */
export function toDomain(addresses: Addresses, row: Domain): WireDomain {
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

/** `GET /domains`, newest first. @throws `validation_failed` for a bad cursor. */
export async function listDomains(scope: Scope, page: PageQuery): Promise<z.infer<typeof DomainList>> {
  const { core, caller } = scope;
  const cursorScope: CursorScope = { core, account: caller.account, list: 'domains' };
  const [created, id] = page.cursor === undefined ? [] : decodeCursor(cursorScope, page.cursor);
  const after = created === undefined ? {} : olderThan(new Date(created), Number(id));
  const found = await core.database
    .em()
    .find(
      Domain,
      { account: caller.account, ...after },
      { orderBy: { created: 'desc', id: 'desc' }, limit: page.limit + 1, disableIdentityMap: true },
    );
  const { rows, nextCursor } = toPage(cursorScope, found, page.limit, (row) => [row.created.getTime(), row.id]);
  return { domains: rows.map((row) => toDomain(core.addresses, row)), ...(nextCursor ? { nextCursor } : {}) };
}

/** `GET /domains/{domain}`. @throws `validation_failed` for an invalid name; `not_found`. */
export async function getDomain(scope: Scope, reference: string): Promise<WireDomain> {
  return toDomain(scope.core.addresses, await getOwnDomain(scope.core.database.em(), scope, reference));
}

/** `DELETE /domains/{domain}`: the name stops serving and is free again. @throws `validation_failed`; `not_found`. */
export async function deleteDomain(scope: Scope, reference: string): Promise<{ domain: string }> {
  const { core, caller } = scope;
  return core.database.transaction(async (em) => {
    await lockAccount(em, caller.account);
    const row = await getOwnDomain(em, scope, reference, { lock: true });
    em.remove(row);
    recordActivity(em, {
      account: caller.account,
      event: 'domain.delete',
      authMethod: caller.authMethod,
      created: core.now(),
      domain: row.name,
      deployment: row.deployment?.id,
    });
    return { domain: row.name };
  });
}

/**
 * Decides if a name can be a domain of the account. The answer for an invalid name is a result, not an error. Source:
 * api §4.
 */
export async function validateDomain({ core, caller }: Scope, text: string): Promise<DomainValidation> {
  const read = readUsableName(core.addresses, text);
  if (!read.ok) return { valid: false, normalized: read.name, available: false, reason: read.reason };
  const isTaken = await isNameTaken(core.database.em(), caller.account, read);
  return { valid: true, normalized: read.name, available: !isTaken, reason: isTaken ? NAME_TAKEN : null };
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
  return { domain: name, apex: isApex(name), records: listRecords(wantedRecords(scope.core, account, name)) };
}

/**
 * `GET /domains/{domain}/share`: the public page that lists these records.
 *
 * @throws `validation_failed`; `not_found`; `business_logic_error` for a platform domain.
 */
export async function getShare(scope: Scope, reference: string): Promise<DomainShare> {
  const { name, shareHash } = await getOwnCustomDomain(scope.core.database.em(), scope, reference);
  return { domain: name, hash: shareHash, url: scope.core.addresses.share(shareHash) };
}

/**
 * Returns the row of a domain of the caller.
 *
 * @param lock Locks the row until the transaction ends. The account and the deployments must be locked before. Source:
 * storage L6.
 * @throws `validation_failed` for an invalid name; `not_found`.
 */
async function getOwnDomain(
  em: EntityManager,
  { caller }: Scope,
  reference: string,
  { lock = false } = {},
): Promise<Domain> {
  const normal = normaliseName(reference);
  if (!normal.ok) throw invalid('domain', normal.reason);
  const row = await em.findOne(
    Domain,
    { account: caller.account, name: normal.name },
    lock ? { lockMode: LockMode.PESSIMISTIC_WRITE } : {},
  );
  if (!row) throw notFound('domain');
  return row;
}

/** Like {@link getOwnDomain}, for operations that need DNS. @throws `business_logic_error` for a platform domain. */
async function getOwnCustomDomain(
  em: EntityManager,
  scope: Scope,
  reference: string,
): Promise<Domain & { kind: 'custom'; shareHash: string }> {
  const row = await getOwnDomain(em, scope, reference);
  if (!isCustom(row))
    throw new ServiceError('business_logic_error', 'A platform domain needs no DNS records: it serves at once.', {
      details: { kind: row.kind },
    });
  return row;
}

function isCustom(row: Domain): row is Domain & { kind: 'custom'; shareHash: string } {
  return row.kind === 'custom' && row.shareHash !== null;
}

/** The message for a name that belongs to another account. */
export const NAME_TAKEN = 'this name, or one above it, belongs to another account';

/**
 * True if another account has proved this name or, for a custom name, a name above it. Pending domains block nothing.
 *
 * Source: api §4; security T28.
 */
export async function isNameTaken(em: EntityManager, account: string, name: DomainName): Promise<boolean> {
  const names = name.kind === 'custom' ? [name.name, ...namesAbove(name)] : [name.name];
  const holders = await em.count(Domain, {
    name: { $in: names },
    verified: { $ne: null },
    account: { $ne: account },
  });
  return holders > 0;
}

/**
 * Like {@link readDomainName}, but also refuses an apex if the platform has no addresses for one.
 */
export function readUsableName(addresses: Addresses, text: string): DomainName | InvalidDomainName {
  const read = readDomainName(text, addresses);
  if (!read.ok || !read.apex || addresses.apexAddresses.length > 0) return read;
  return {
    ok: false,
    name: read.name,
    reason: `an apex domain needs addresses to point at, and this service has none; use a name below it, such as "www.${read.name}"`,
  };
}

/**
 * `POST /domains/{domain}/verify`: checks the DNS now, for at most 5 s, and updates the status. If another account has
 * proved the name, or one above or below it, the status stays unchanged and the checks say why. If two accounts prove
 * one name at the same time, one of them gets it.
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
  const row = await checkDomain(core, id, { authMethod: caller.authMethod, asked: true });
  if (!row) throw notFound('domain');
  return {
    ...toDomain(core.addresses, row),
    checks: row.checks.map(({ type, name, expected, found, ok, reason }) => ({
      type,
      name,
      expected,
      found,
      ok,
      ...(reason === undefined ? {} : { reason }),
    })),
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
