import type { AuthMethod } from '@berth/contract';
import type { EntityManager } from '@mikro-orm/postgresql';
import { db } from '../../database/tables.ts';
import { Account, DomainVersion } from '../../entities/index.ts';

/** The maximum number of versions in the history of a domain. */
const MAX_VERSIONS = 1_000;

/** A domain of an account, and when its link changed. */
interface LinkChange {
  account: string;
  domain: string;
  at: Date;
}

/** A new link of a domain to a deployment. */
interface NewLink extends LinkChange {
  deployment: string;
  by: AuthMethod;
  /** The id of the credential that links the domain. */
  token: string;
}

/**
 * Adds a deployment to the history of a domain, and ends the version before it. Deletes the oldest versions beyond
 * {@link MAX_VERSIONS}. Call it in the transaction that links the domain, which must have locked the account. Source: api §4.
 */
export async function recordVersion(
  em: EntityManager,
  { account, domain, deployment, by, token, at }: NewLink,
): Promise<void> {
  await endVersion(em, { account, domain, at });
  await deleteOldestVersions(em, account, domain);
  em.persist(
    em.create(DomainVersion, {
      account: em.getReference(Account, account),
      domain,
      deployment,
      linked: at,
      unlinked: null,
      by,
      token,
    }),
  );
}

/** Ends the current version of a domain, if it has one. Call it in the transaction that deletes the domain. */
export async function endVersion(em: EntityManager, { account, domain, at }: LinkChange): Promise<void> {
  await em.nativeUpdate(DomainVersion, { account, domain, unlinked: null }, { unlinked: at });
}

/** Deletes the oldest versions, so that there is room for one more. */
async function deleteOldestVersions(em: EntityManager, account: string, domain: string): Promise<void> {
  const versions = db(em).selectFrom('domain_version').where('account_id', '=', account).where('domain', '=', domain);
  await db(em)
    .deleteFrom('domain_version')
    .where('account_id', '=', account)
    .where('domain', '=', domain)
    .where(
      'id',
      '<=',
      versions
        .select('id')
        .orderBy('id', 'desc')
        .offset(MAX_VERSIONS - 1)
        .limit(1),
    )
    .execute();
}
