import {
  DeletedDomain,
  Domain,
  DomainCandidate,
  DomainDns,
  DomainList,
  DomainPath,
  DomainPut,
  DomainRecords,
  DomainShare,
  DomainValidation,
  DomainVersionList,
  DomainVersionQuery,
  PageQuery,
  VerifiedDomain,
} from '@berth/contract';
import {
  deleteDomain,
  findProvider,
  getDomain,
  getRecords,
  getShare,
  listDomains,
  validateDomain,
  verifyDomain,
} from '../services/domains/domains.ts';
import { listVersions } from '../services/domains/list-versions.ts';
import { putDomain } from '../services/domains/put-domain.ts';
import { accountProcedure, operations, router } from './trpc.ts';

const op = operations('Domains', accountProcedure);

/** The procedures for domains and their DNS records. Source: api §4. */
export const domains = router({
  put: op('PUT /domains/{domain}', 'Create a domain, link it to a deployment, or set its labels', {
    success: 'The updated domain.',
    description: 'Absent fields stay unchanged. The status is 201 for a new domain, otherwise 200.',
    errorResponses: {
      403: 'The plan allows no further domains of this kind.',
      404: 'There is no such deployment, or it belongs to another account.',
      422: 'The name belongs to another account; the deployment expires or is being deleted; or the account has 10,000 domains that are not verified.',
    },
    creates: true,
  })
    .input(DomainPut)
    .output(Domain)
    .mutation(async ({ ctx, input: { domain: name, ...change } }) => {
      const { domain, created } = await putDomain(ctx, name, change);
      if (created) ctx.onCreated?.();
      return domain;
    }),

  list: op('GET /domains', 'List domains, newest first', {
    success: 'One page of domains.',
    description: 'All domains of the account, also those that do not serve a site yet.',
  })
    .input(PageQuery.prefault({}))
    .output(DomainList)
    .query(({ ctx, input }) => listDomains(ctx, input)),

  get: op('GET /domains/{domain}', 'Read a domain', {
    success: 'The domain.',
    description: 'The status is that of the last DNS check. To check now, verify the domain.',
  })
    .input(DomainPath)
    .output(Domain)
    .query(({ ctx, input }) => getDomain(ctx, input.domain)),

  versions: op('GET /domains/{domain}/versions', 'List the deployments that a domain was linked to, newest first', {
    success: 'One page of versions.',
    description:
      'To roll back, link the domain to the deployment of an earlier version, if it is `available`. Versions stay in the list when their deployment is deleted.',
  })
    .input(DomainVersionQuery)
    .output(DomainVersionList)
    .query(({ ctx, input: { domain, ...page } }) => listVersions(ctx, domain, page)),

  delete: op('DELETE /domains/{domain}', 'Delete a domain', {
    success: 'The domain is deleted, and its name is available.',
    description: 'The domain is no longer served. The deployment that it pointed at is not deleted.',
  })
    .input(DomainPath)
    .output(DeletedDomain)
    .mutation(({ ctx, input }) => deleteDomain(ctx, input.domain)),

  validate: op('POST /domains/validate', 'Check whether a name can be a domain of the account', {
    success: 'Whether the account can have the name.',
    description: 'An invalid or unavailable name also gets a 200, with the reason.',
  })
    .input(DomainCandidate)
    .output(DomainValidation)
    .mutation(({ ctx, input }) => validateDomain(ctx, input.domain)),

  validateNamed: op(
    'POST /domains/{domain}/validate',
    'Check whether the name in the path can be a domain of the account',
    {
      success: 'Whether the account can have the name.',
      description: 'An invalid or unavailable name also gets a 200, with the reason.',
    },
  )
    .input(DomainPath)
    .output(DomainValidation)
    .mutation(({ ctx, input }) => validateDomain(ctx, input.domain)),

  verify: op('POST /domains/{domain}/verify', 'Check the DNS records of a domain now', {
    success: 'The domain, and the result for each of its records.',
    description: 'A check takes at most 5 seconds. A domain can be checked once every 10 seconds.',
    errorResponses: {
      422: 'A platform domain needs no DNS records.',
      429: 'A domain can be checked only once every 10 seconds.',
    },
  })
    .input(DomainPath)
    .output(VerifiedDomain)
    .mutation(({ ctx, input }) => verifyDomain(ctx, input.domain)),

  dns: op('GET /domains/{domain}/dns', 'Find the DNS provider of a domain', {
    success: 'The provider, or null if it is unknown.',
    description:
      'The provider is recognised by the name servers of the domain. It is where the DNS records must be added.',
    errorResponses: { 422: 'A platform domain needs no DNS records.' },
  })
    .input(DomainPath)
    .output(DomainDns)
    .query(({ ctx, input }) => findProvider(ctx, input.domain)),

  records: op('GET /domains/{domain}/records', 'List the DNS records that a domain needs', {
    success: 'The records.',
    description: 'Add these records at the DNS provider, then verify the domain.',
    errorResponses: { 422: 'A platform domain needs no DNS records.' },
  })
    .input(DomainPath)
    .output(DomainRecords)
    .query(({ ctx, input }) => getRecords(ctx, input.domain)),

  share: op('GET /domains/{domain}/share', 'Get the address of a public set-up page with the DNS records', {
    success: 'The URL of the page.',
    description:
      'Send the address to the person who manages the DNS of the domain. The page needs no credential, and shows nothing else of the account.',
    errorResponses: { 422: 'A platform domain needs no DNS records.' },
  })
    .input(DomainPath)
    .output(DomainShare)
    .query(({ ctx, input }) => getShare(ctx, input.domain)),
});
