import type { Core } from '../../core.ts';
import type { WantedRecord } from '../../dns/checks.ts';
import { listSetupSteps, expectsFullNames } from '../../dns/providers.ts';
import { type DnsCheck, Domain, type DomainStatus } from '../../entities/index.ts';
import { claimCheck, COOLDOWN_MS, checkDomain } from './domain-checks.ts';
import { registrableOf } from '../domain-names.ts';
import { wantedRecords } from './domain-records.ts';

/** A record to add, and the result of its last check. */
export interface SetupRecord extends WantedRecord {
  /** The name relative to the registrable domain; `@` for the registrable domain itself. */
  relative: string;
  /** The result of the last check: `unseen` before the first check, `unanswered` if no DNS server answered. */
  state: 'found' | 'missing' | 'unanswered' | 'unseen';
  reason: string | null;
}

/** The data for the public page of a domain. Contains no account and no deployment. */
export interface DomainSetup {
  domain: string;
  status: DomainStatus;
  records: SetupRecord[];
  /** The DNS provider; `null` if it is unknown. */
  provider: string | null;
  /** True if the form of the provider expects full names instead of relative ones. */
  wholeNames: boolean;
  steps: string[];
  checked: Date | null;
  nextCheck: Date | null;
  /** The number of seconds after which a check can be requested; 0 for now. */
  waitSeconds: number;
}

const SHARE_HASH = /^[0-9a-f]{32}$/;

/** Returns the data for the page of a share link; `null` if the link is invalid. Source: api §4. */
export async function findDomainSetup(core: Core, hash: string): Promise<DomainSetup | null> {
  const row = await findDomainOfShare(core, hash);
  if (!row) return null;
  const registrable = registrableOf(row.name);
  const provider = (await core.dns.provider(registrable))?.name ?? null;
  const waitMs = row.checked ? row.checked.getTime() + COOLDOWN_MS - core.now().getTime() : 0;
  return {
    domain: row.name,
    status: row.status,
    records: wantedRecords(core, row.account, row.name).map((record) => {
      const { type, name } = record;
      const check = row.checks.find((each) => each.type === type && each.name === name);
      return {
        ...record,
        relative: name === registrable ? '@' : name.slice(0, -registrable.length - 1),
        state: stateOf(check),
        reason: check?.reason ?? null,
      };
    }),
    provider,
    wholeNames: expectsFullNames(provider),
    steps: listSetupSteps(provider),
    checked: row.checks.length > 0 ? (row.checked ?? null) : null,
    nextCheck: row.nextCheck ?? null,
    waitSeconds: waitMs > 0 && waitMs <= COOLDOWN_MS ? Math.ceil(waitMs / 1000) : 0,
  };
}

/**
 * Checks the DNS of a shared domain, unless it was checked within the last 10 s or its account is not active.
 *
 * @returns True if the link is valid. Source: api §4.
 */
export async function checkDomainSetup(core: Core, hash: string): Promise<boolean> {
  const row = await findDomainOfShare(core, hash);
  if (!row) return false;
  const isDue = row.account.state === 'active' && (await claimCheck(core, row.id)) === 0;
  if (isDue) await checkDomain(core, row.id, { authMethod: 'system', isManual: true });
  return true;
}

function stateOf(check: DnsCheck | undefined): SetupRecord['state'] {
  if (!check) return 'unseen';
  if (check.ok) return 'found';
  return check.failed ? 'unanswered' : 'missing';
}

/** Finds the domain of a share link. The links of a terminated account are invalid. */
async function findDomainOfShare(core: Core, hash: string): Promise<Domain | null> {
  if (!SHARE_HASH.test(hash)) return null;
  const row = await core.database.em().findOne(Domain, { shareHash: hash }, { populate: ['account'] });
  return row?.account.state === 'terminated' ? null : row;
}
