import { CLAIM_HASH, type ClaimedSite, type Deployment as WireDeployment } from '@berth/contract';
import { type EntityManager, LockMode } from '@mikro-orm/postgresql';
import type { Addresses, Caller, Scope } from '../../core.ts';
import { db } from '../../database/tables.ts';
import { Account, Deployment } from '../../entities/index.ts';
import { invalid, notFound } from '../../errors.ts';
import { incrementDeploymentCount } from '../accounts/accounts.ts';
import { recordActivity } from '../activities/activities.ts';
import { lockAccount, lockActiveAccount } from '../accounts/account-lock.ts';
import { type ContentLengths, joinNumbers, lengthsOf } from '../packs/contents.ts';
import { countAccountStorage } from './deploy-storage.ts';
import { withDomains } from './deployments.ts';
import { secretHash } from '../random.ts';
import { requireRateLimit } from '../rate-limits.ts';
import { toUnixSeconds } from '../timestamps.ts';

/**
 * Parses a claim: a claim hash, or a claim URL with or without a trailing slash, a query and a fragment. Ignores white
 * space around the claim.
 *
 * @throws `validation_failed` for any other text, such as the claim URL of another service. Source: api §1, §6.
 */
export function readClaim(addresses: Pick<Addresses, 'claim'>, claim: string): string {
  const text = claim.trim();
  if (CLAIM_HASH.test(text)) return text;
  const url = URL.parse(text);
  const page = new URL(addresses.claim(''));
  const hash = url?.pathname.startsWith(page.pathname)
    ? url.pathname.slice(page.pathname.length).replace(/\/$/, '')
    : '';
  const isOurs = url?.origin === page.origin && url.username === '' && url.password === '';
  if (!isOurs || !CLAIM_HASH.test(hash))
    throw invalid('claim', `the claim must be 32 lower-case hex digits, or like ${addresses.claim('<claim hash>')}`);
  return hash;
}

/**
 * Returns the site of a claim link to a client that has the link, without claiming it.
 *
 * @throws `validation_failed` for an invalid claim; `not_found` if the claim is unknown, expired or another account's.
 * Source: api §13; security T24.
 */
export async function readClaimedSite({ core, caller }: Scope<Caller>, claim: string): Promise<ClaimedSite> {
  const row = await db(core)
    .selectFrom('deployment as d')
    .leftJoin('front_page as f', 'f.deployment_id', 'd.id')
    .select(['d.id', 'd.account_id as account', 'd.claimed', 'd.files', 'd.size', 'd.password_hash as password'])
    .select(['d.created', 'd.expires', 'f.title'])
    .where('d.claim_hash', '=', secretHash(readClaim(core.addresses, claim)))
    .where('d.status', '=', 'success')
    .where(({ or, eb }) => or([eb('d.expires', 'is', null), eb('d.expires', '>', core.now())]))
    .executeTakeFirst();
  const isMine =
    row !== undefined && row.claimed !== null && caller.kind === 'account' && row.account === caller.account;
  if (!row || (row.account !== null && !isMine)) throw notFound('claim');
  return {
    deployment: row.id,
    url: core.addresses.site(row.id),
    title: row.title,
    files: row.files,
    size: row.size,
    password: row.password !== null,
    created: toUnixSeconds(row.created),
    expires: row.expires && toUnixSeconds(row.expires),
  };
}

/**
 * `POST /account/claim`: gives an anonymous deployment to the caller's account, and makes it permanent.
 *
 * If several accounts claim a deployment at once, exactly one gets it, and may repeat the claim, so that a client whose
 * response was lost can retry. Every valid claim counts against the account's rate limit on claims.
 *
 * @throws `validation_failed` for an invalid claim; `not_found` if the claim is unknown, expired or another account's;
 *   `forbidden`, with `details`, at a cap of the plan, and the deployment can still be claimed; `rate_limit_exceeded`.
 * Source: api §6; security T24.
 */
export async function claimDeployment({ core, caller }: Scope, claim: string): Promise<WireDeployment> {
  const { account, authMethod } = caller;
  const claimHash = secretHash(readClaim(core.addresses, claim));
  await requireRateLimit(core, 'claim', account);
  return core.database.transaction(async (em) => {
    await lockAccount(em, account);
    const row = await em.findOne(Deployment, { claimHash }, { lockMode: LockMode.PESSIMISTIC_WRITE });
    const now = core.now();
    if (row?.claimed && row.account?.id === account) return withDomains(em, core.addresses, row);
    if (!row || row.account || row.status !== 'success' || (row.expires && row.expires <= now)) throw notFound('claim');
    const locked = await lockActiveAccount(em, account);
    await incrementDeploymentCount(em, core, locked);
    await countAccountStorage(em, core, locked, await contentsOf(em, row.id), new Map());
    row.account = em.getReference(Account, account);
    row.address = null;
    row.claimed = now;
    row.expires = null;
    const meta = { files: row.files, size: row.size, via: row.via };
    recordActivity(em, { account, event: 'deployment.claim', authMethod, created: now, deployment: row.id, meta });
    return withDomains(em, core.addresses, row);
  });
}

async function contentsOf(em: EntityManager, deployment: string): Promise<ContentLengths> {
  const { hashes, sizes } = await db(em)
    .selectFrom('manifest')
    .select(({ ref }) => ['hashes', joinNumbers(ref('sizes')).as('sizes')])
    .where('deployment_id', '=', deployment)
    .executeTakeFirstOrThrow();
  return lengthsOf(hashes, sizes);
}
