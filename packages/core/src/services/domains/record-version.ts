import type { AuthMethod } from '@berth/contract';
import type { EntityManager } from '@mikro-orm/postgresql';
import { Account, DomainVersion } from '../../entities/index.ts';

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
}

/**
 * Adds a deployment to the history of a domain, and ends the version before it. Call it in the transaction that links the
 * domain, which must have locked the account. Source: api §4.
 */
export async function recordVersion(
  em: EntityManager,
  { account, domain, deployment, by, at }: NewLink,
): Promise<void> {
  await endVersion(em, { account, domain, at });
  em.persist(
    em.create(DomainVersion, {
      account: em.getReference(Account, account),
      domain,
      deployment,
      linked: at,
      unlinked: null,
      by,
    }),
  );
}

/** Ends the current version of a domain, if it has one. Call it in the transaction that deletes the domain. */
export async function endVersion(em: EntityManager, { account, domain, at }: LinkChange): Promise<void> {
  await em.nativeUpdate(DomainVersion, { account, domain, unlinked: null }, { unlinked: at });
}
