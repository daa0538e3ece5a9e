import { createHmac } from 'node:crypto';
import type { DomainRecords } from '@berth/contract';
import type { Core } from '../../core.ts';
import type { WantedRecord } from '../../dns/dns.ts';
import type { Account } from '../../entities/index.ts';
import { isApex } from './domain-names.ts';

const PROOF_BYTES = 20;

/** What the records of a domain are made of. */
export type RecordMakers = Pick<Core, 'addresses' | 'keys'>;

/**
 * The records that prove a custom domain to be an account's and lead its visitors here: a CNAME for a subdomain; for an
 * apex, which can have none, addresses and a TXT record. The CNAME target is the account's own, so that a name that merely
 * points at the service proves nothing for anybody else. Of several addresses of one kind any will do. Pure.
 *
 * @param name The normalised name of a custom domain. Source: contract §4; security T28.
 */
export function wantedRecords(
  core: RecordMakers,
  account: Pick<Account, 'id' | 'dnsName'>,
  name: string,
): WantedRecord[] {
  if (!isApex(name))
    return [{ type: 'CNAME', name, values: [`to-${account.dnsName}.${core.addresses.cnameTarget}`], match: 'any' }];
  const addresses = Object.groupBy(core.addresses.apexAddresses, (address) => (address.includes(':') ? 'AAAA' : 'A'));
  return [
    ...(['A', 'AAAA'] as const).flatMap((type): WantedRecord[] =>
      addresses[type] ? [{ type, name, values: addresses[type], match: 'any' }] : [],
    ),
    { type: 'TXT', name: `_berth.${name}`, values: [proofOf(core, account.id, name)], match: 'any' },
  ];
}

/** Those records as people enter them, one value each. */
export function listRecords(wanted: readonly WantedRecord[]): DomainRecords['records'] {
  return wanted.flatMap(({ type, name, values }) => values.map((value) => ({ type, name, value })));
}

/** What the TXT record of an apex holds: nobody can tell it who has no key, and it is another one for each account and name. */
function proofOf({ keys }: RecordMakers, account: string, name: string): string {
  const mac = createHmac('sha256', keys.proof)
    .update(JSON.stringify([account, name]))
    .digest();
  return mac.subarray(0, PROOF_BYTES).toString('hex');
}
