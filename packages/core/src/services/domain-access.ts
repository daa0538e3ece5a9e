import type { AccountCaller } from '../core.ts';
import { ServiceError } from '../errors.ts';
import { normaliseName } from './domain-names.ts';

/**
 * Requires a credential that can read a domain and publish to it: an API key, a session, or a deploy token that is limited to the
 * domain.
 *
 * @throws `forbidden`. Source: api §5.
 */
export function requireDomainAccess({ credential, domainAccess }: AccountCaller, reference: string): void {
  if (credential !== 'deploy') return;
  const name = normaliseName(reference);
  if (!name.ok || !domainAccess?.domains.includes(name.name))
    throw new ServiceError(
      'forbidden',
      'This deploy token cannot use this domain; use an API key, or a deploy token that is limited to the domain.',
    );
}
