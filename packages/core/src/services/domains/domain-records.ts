import { createHmac } from 'node:crypto';
import type { Core } from '../../core.ts';
import type { WantedRecord } from '../../dns/checks.ts';
import type { Account } from '../../entities/index.ts';
import { isApex } from '../domain-names.ts';

const PROOF_BYTES = 20;

type RecordInputs = Pick<Core, 'addresses' | 'keys'>;

/**
 * Returns the records that prove that an account owns a custom domain and that route its visitors to this service: a
 * CNAME for a subdomain; addresses and a TXT record for an apex, which cannot have a CNAME. Each account has its own
 * CNAME target, so the record of one account proves nothing for other accounts. If an apex can point at several
 * addresses of a kind, one of them is enough. Pure.
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

/** The value of the TXT record of an apex. Each account and name has its own value, which needs the key to compute. */
function proofOf({ keys }: RecordInputs, account: string, name: string): string {
  const mac = createHmac('sha256', keys.proof)
    .update(JSON.stringify([account, name]))
    .digest();
  return mac.subarray(0, PROOF_BYTES).toString('hex');
}
