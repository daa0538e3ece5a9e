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
  PageQuery,
  VerifiedDomain,
} from '@berth/contract';
import { findProvider, verifyDomain } from '../services/domains/domain-verification.ts';
import {
  deleteDomain,
  getDomain,
  getRecords,
  getShare,
  listDomains,
  validateDomain,
} from '../services/domains/domains.ts';
import { putDomain } from '../services/domains/put-domain.ts';
import { accountProcedure, router } from './trpc.ts';

const tags = ['Domains'];

/** Domains and their DNS. Source: api §4. */
export const domains = router({
  put: accountProcedure
    .meta({
      openapi: {
        method: 'PUT',
        path: '/domains/{domain}',
        summary: 'Create a domain, link it to a deployment, or set its labels',
        description: 'Absent fields stay unchanged. The status is 201 for a new domain, otherwise 200.',
        tags,
        successDescription: 'The updated domain.',
        errorResponses: {
          403: 'The plan allows no further domains of this kind.',
          404: 'There is no such deployment, or it belongs to another account.',
          422: 'The name belongs to another account; the deployment expires or is being deleted; or the account has 10,000 domains that are not verified.',
        },
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

  list: accountProcedure
    .meta({
      openapi: {
        method: 'GET',
        path: '/domains',
        summary: 'List domains, newest first',
        tags,
        successDescription: 'One page of domains.',
      },
    })
    .input(PageQuery.prefault({}))
    .output(DomainList)
    .query(({ ctx, input }) => listDomains(ctx, input)),

  get: accountProcedure
    .meta({
      openapi: {
        method: 'GET',
        path: '/domains/{domain}',
        summary: 'Read a domain',
        tags,
        successDescription: 'The domain.',
      },
    })
    .input(DomainPath)
    .output(Domain)
    .query(({ ctx, input }) => getDomain(ctx, input.domain)),

  delete: accountProcedure
    .meta({
      openapi: {
        method: 'DELETE',
        path: '/domains/{domain}',
        summary: 'Delete a domain',
        description: 'The domain is no longer served. The deployment that it pointed at is not deleted.',
        tags,
        successDescription: 'The domain is deleted, and its name is available.',
      },
    })
    .input(DomainPath)
    .output(DeletedDomain)
    .mutation(({ ctx, input }) => deleteDomain(ctx, input.domain)),

  validate: accountProcedure
    .meta({
      openapi: {
        method: 'POST',
        path: '/domains/validate',
        summary: 'Check whether a name can be a domain of the account',
        description: 'An invalid or unavailable name also gets a 200, with the reason.',
        tags,
        successDescription: 'Whether the account can have the name.',
      },
    })
    .input(DomainCandidate)
    .output(DomainValidation)
    .mutation(({ ctx, input }) => validateDomain(ctx, input.domain)),

  validateNamed: accountProcedure
    .meta({
      openapi: {
        method: 'POST',
        path: '/domains/{domain}/validate',
        summary: 'Check whether the name in the path can be a domain of the account',
        description: 'An invalid or unavailable name also gets a 200, with the reason.',
        tags,
        successDescription: 'Whether the account can have the name.',
      },
    })
    .input(DomainPath)
    .output(DomainValidation)
    .mutation(({ ctx, input }) => validateDomain(ctx, input.domain)),

  verify: accountProcedure
    .meta({
      openapi: {
        method: 'POST',
        path: '/domains/{domain}/verify',
        summary: 'Check the DNS records of a domain now',
        description: 'Takes at most 5 seconds. A domain can be checked once every 10 seconds.',
        tags,
        successDescription: 'The domain, and the result for each of its records.',
        errorResponses: {
          422: 'A platform domain needs no DNS records.',
          429: 'A domain can be checked only once every 10 seconds.',
        },
      },
    })
    .input(DomainPath)
    .output(VerifiedDomain)
    .mutation(({ ctx, input }) => verifyDomain(ctx, input.domain)),

  dns: accountProcedure
    .meta({
      openapi: {
        method: 'GET',
        path: '/domains/{domain}/dns',
        summary: 'Find the DNS provider of a domain',
        tags,
        successDescription: 'The provider, or null if it is unknown.',
        errorResponses: {
          422: 'A platform domain needs no DNS records.',
        },
      },
    })
    .input(DomainPath)
    .output(DomainDns)
    .query(({ ctx, input }) => findProvider(ctx, input.domain)),

  records: accountProcedure
    .meta({
      openapi: {
        method: 'GET',
        path: '/domains/{domain}/records',
        summary: 'List the DNS records that a domain needs',
        tags,
        successDescription: 'The records.',
        errorResponses: {
          422: 'A platform domain needs no DNS records.',
        },
      },
    })
    .input(DomainPath)
    .output(DomainRecords)
    .query(({ ctx, input }) => getRecords(ctx, input.domain)),

  share: accountProcedure
    .meta({
      openapi: {
        method: 'GET',
        path: '/domains/{domain}/share',
        summary: 'Get the address of a public set-up page with the DNS records',
        tags,
        successDescription: 'The URL of the page.',
        errorResponses: {
          422: 'A platform domain needs no DNS records.',
        },
      },
    })
    .input(DomainPath)
    .output(DomainShare)
    .query(({ ctx, input }) => getShare(ctx, input.domain)),
});
