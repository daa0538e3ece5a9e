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
import { accountProcedure, describeAs, router } from './trpc.ts';

const op = describeAs('Domains');

/** Domains and their DNS. Source: api §4. */
export const domains = router({
  put: accountProcedure
    .meta(
      op('PUT /domains/{domain}', 'Create a domain, link it to a deployment, or set its labels', {
        answer: 'The updated domain.',
        description: 'Absent fields stay unchanged. The status is 201 for a new domain, otherwise 200.',
        creates: true,
        errors: {
          403: 'The plan allows no further domains of this kind.',
          404: 'There is no such deployment, or it belongs to another account.',
          422: 'The name belongs to another account; the deployment expires or is being deleted; or the account has 10,000 domains that are not verified.',
        },
      }),
    )
    .input(DomainPut)
    .output(Domain)
    .mutation(async ({ ctx, input: { domain: name, ...change } }) => {
      const { domain, created } = await putDomain(ctx, name, change);
      if (created) ctx.onCreated?.();
      return domain;
    }),

  list: accountProcedure
    .meta(op('GET /domains', 'List domains, newest first', { answer: 'One page of domains.' }))
    .input(PageQuery.prefault({}))
    .output(DomainList)
    .query(({ ctx, input }) => listDomains(ctx, input)),

  get: accountProcedure
    .meta(op('GET /domains/{domain}', 'Read a domain', { answer: 'The domain.' }))
    .input(DomainPath)
    .output(Domain)
    .query(({ ctx, input }) => getDomain(ctx, input.domain)),

  delete: accountProcedure
    .meta(
      op('DELETE /domains/{domain}', 'Delete a domain', {
        answer: 'The domain is deleted, and its name is available.',
        description: 'The domain is no longer served. The deployment that it pointed at is not deleted.',
      }),
    )
    .input(DomainPath)
    .output(DeletedDomain)
    .mutation(({ ctx, input }) => deleteDomain(ctx, input.domain)),

  validate: accountProcedure
    .meta(
      op('POST /domains/validate', 'Check whether a name can be a domain of the account', {
        answer: 'Whether the account can have the name.',
        description: 'An invalid or unavailable name also gets a 200, with the reason.',
      }),
    )
    .input(DomainCandidate)
    .output(DomainValidation)
    .mutation(({ ctx, input }) => validateDomain(ctx, input.domain)),

  validateNamed: accountProcedure
    .meta(
      op('POST /domains/{domain}/validate', 'Check whether the name in the path can be a domain of the account', {
        answer: 'Whether the account can have the name.',
        description: 'An invalid or unavailable name also gets a 200, with the reason.',
      }),
    )
    .input(DomainPath)
    .output(DomainValidation)
    .mutation(({ ctx, input }) => validateDomain(ctx, input.domain)),

  verify: accountProcedure
    .meta(
      op('POST /domains/{domain}/verify', 'Check the DNS records of a domain now', {
        answer: 'The domain, and the result for each of its records.',
        description: 'Takes at most 5 seconds. A domain can be checked once every 10 seconds.',
        errors: {
          422: 'A platform domain needs no DNS records.',
          429: 'A domain can be checked only once every 10 seconds.',
        },
      }),
    )
    .input(DomainPath)
    .output(VerifiedDomain)
    .mutation(({ ctx, input }) => verifyDomain(ctx, input.domain)),

  dns: accountProcedure
    .meta(
      op('GET /domains/{domain}/dns', 'Find the DNS provider of a domain', {
        answer: 'The provider, or null if it is unknown.',
        errors: { 422: 'A platform domain needs no DNS records.' },
      }),
    )
    .input(DomainPath)
    .output(DomainDns)
    .query(({ ctx, input }) => findProvider(ctx, input.domain)),

  records: accountProcedure
    .meta(
      op('GET /domains/{domain}/records', 'List the DNS records that a domain needs', {
        answer: 'The records.',
        errors: { 422: 'A platform domain needs no DNS records.' },
      }),
    )
    .input(DomainPath)
    .output(DomainRecords)
    .query(({ ctx, input }) => getRecords(ctx, input.domain)),

  share: accountProcedure
    .meta(
      op('GET /domains/{domain}/share', 'Get the address of a public set-up page with the DNS records', {
        answer: 'The URL of the page.',
        errors: { 422: 'A platform domain needs no DNS records.' },
      }),
    )
    .input(DomainPath)
    .output(DomainShare)
    .query(({ ctx, input }) => getShare(ctx, input.domain)),
});
