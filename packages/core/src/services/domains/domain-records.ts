import { createHmac } from 'node:crypto';
import type { DomainRecords } from '@berth/contract';
import type { Core } from '../../core.ts';
import type { WantedRecord } from '../../dns/checks.ts';
import type { Account } from '../../entities/index.ts';
import { isApex } from './domain-names.ts';

const PROOF_BYTES = 20;

/** What the records of a domain are computed from. */
export type RecordInputs = Pick<Core, 'addresses' | 'keys'>;

/**
 * The records that prove that an account owns a custom domain and that route its visitors here: a CNAME for a
 * subdomain; addresses and a TXT record for an apex, which cannot have a CNAME. The CNAME target is specific to the
 * account, so a name that merely points at the service proves nothing for other accounts. If there are several
 * addresses of one kind, one of them is enough. Pure.
 *
 * @param name The normalised name of a custom domain. Source: api §4; security T28.
 */
export function wantedRecords(
  core: RecordInputs,
  account: Pick<Account, 'id' | 'dnsName'>,
  name: string,
): WantedRecord[] {
  if (!isApex(name)) return [{ type: 'CNAME', name, values: [`to-${account.dnsName}.${core.addresses.cnameTarget}`] }];
  const addresses = Object.groupBy(core.addresses.apexAddresses, (address) => (address.includes(':') ? 'AAAA' : 'A'));
  return [
    ...(['A', 'AAAA'] as const).flatMap((type): WantedRecord[] =>
      addresses[type] ? [{ type, name, values: addresses[type] }] : [],
    ),
    { type: 'TXT', name: `_berth.${name}`, values: [proofOf(core, account.id, name)] },
  ];
}

/** The same records as people enter them, one value each. */
export function listRecords(wanted: readonly WantedRecord[]): DomainRecords['records'] {
  return wanted.flatMap(({ type, name, values }) => values.map((value) => ({ type, name, value })));
}

/**
 * The value of the TXT record of an apex. It cannot be computed without the key, and differs for each account and name.
 */
function proofOf({ keys }: RecordInputs, account: string, name: string): string {
  const mac = createHmac('sha256', keys.proof)
    .update(JSON.stringify([account, name]))
    .digest();
  return mac.subarray(0, PROOF_BYTES).toString('hex');
}
