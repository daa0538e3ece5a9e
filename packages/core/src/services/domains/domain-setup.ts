import type { Core } from '../../core.ts';
import { stepsOf, wantsWholeNames } from '../../dns/providers.ts';
import { type DnsCheck, Domain, type DomainStatus } from '../../entities/index.ts';
import { claimLook, COOLDOWN_MS, lookAtDomain } from './domain-checks.ts';
import { registrableOf } from './domain-names.ts';
import { wantedRecords } from './domain-records.ts';

/** One record to add, and what the last look said of it. */
export interface SetupRecord {
  type: 'A' | 'AAAA' | 'CNAME' | 'TXT';
  /** The whole name. */
  name: string;
  /** The name as it stands before the domain; `@` for the domain itself. */
  relative: string;
  values: readonly string[];
  /** What the last look said: `unseen` before the first one, `unanswered` when nobody said anything. */
  state: 'found' | 'missing' | 'unanswered' | 'unseen';
  /** Why it was not found. */
  reason: string | null;
}

/** What the public page of a domain shows: no account, no deployment. */
export interface DomainSetup {
  domain: string;
  status: DomainStatus;
  records: SetupRecord[];
  /** The DNS provider; `null` when it is not known. */
  provider: string | null;
  /** Whether its form wants whole names rather than short ones. */
  wholeNames: boolean;
  /** How to add the records there. */
  steps: string[];
  /** When DNS was last looked at, and when it is looked at next unasked. */
  checked: Date | null;
  nextCheck: Date | null;
  /** After how many seconds a look can be asked for; 0 for now. */
  waitSeconds: number;
}

const SHARE_HASH = /^[0-9a-f]{32}$/;

/** What the page behind a share link shows; `null` for a link that leads nowhere. Source: contract §4. */
export async function findDomainSetup(core: Core, hash: string): Promise<DomainSetup | null> {
  const row = await findShared(core, hash);
  if (!row) return null;
  const registrable = registrableOf(row.name);
  const provider = (await core.dns.provider(registrable))?.name ?? null;
  const waitMs = row.checked ? row.checked.getTime() + COOLDOWN_MS - core.now().getTime() : 0;
  return {
    domain: row.name,
    status: row.status,
    records: wantedRecords(core, row.account, row.name).map(({ type, name, values }) => {
      const check = row.checks.find((each) => each.type === type && each.name === name);
      return {
        type,
        name,
        relative: name === registrable ? '@' : name.slice(0, -registrable.length - 1),
        values,
        state: stateOf(check),
        reason: check?.reason ?? null,
      };
    }),
    provider,
    wholeNames: wantsWholeNames(provider),
    steps: stepsOf(provider),
    checked: row.checks.length > 0 ? (row.checked ?? null) : null,
    nextCheck: row.nextCheck ?? null,
    waitSeconds: waitMs > 0 && waitMs <= COOLDOWN_MS ? Math.ceil(waitMs / 1000) : 0,
  };
}

/**
 * Looks at the DNS of a shared domain now, unless that was done within the last 10 s, or its account may not act.
 *
 * @returns Whether the link leads to a domain. Source: contract §4.
 */
export async function checkDomainSetup(core: Core, hash: string): Promise<boolean> {
  const row = await findShared(core, hash);
  if (!row) return false;
  const isDue = row.account.state === 'active' && (await claimLook(core, row.id)) === 0;
  if (isDue) await lookAtDomain(core, row.id, { authMethod: 'system', asked: true });
  return true;
}

function stateOf(check: DnsCheck | undefined): SetupRecord['state'] {
  if (!check) return 'unseen';
  if (check.ok) return 'found';
  return check.failed ? 'unanswered' : 'missing';
}

/** The domains of an account that is terminated are not shared any more. */
async function findShared(core: Core, hash: string): Promise<Domain | null> {
  if (!SHARE_HASH.test(hash)) return null;
  const row = await core.database.em().findOne(Domain, { shareHash: hash }, { populate: ['account'] });
  return row?.account.state === 'terminated' ? null : row;
}
