import type { DomainDns, VerifiedDomain } from '@berth/contract';
import { notFound, ServiceError } from '../../errors.ts';
import type { Scope } from '../../core.ts';
import { claimCheck, checkDomain } from './domain-checks.ts';
import { registrableOf } from './domain-names.ts';
import { getOwnCustomDomain, toDomain } from './domains.ts';
import { toUnixSeconds } from '../timestamps.ts';

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
