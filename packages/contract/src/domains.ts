import { z } from 'zod';
import { Timestamp } from './timestamp.ts';
import { Labels } from './labels.ts';
import { AUTH_METHODS } from './auth-methods.ts';
import { domainName } from './names.ts';
import { openEnum } from './open-enum.ts';
import { NextCursor, PageQuery } from './pages.ts';

/** The states of a domain. A domain serves its site in the state `success`. Source: api §4. */
export const DOMAIN_STATUSES = ['pending', 'partial', 'success', 'paused'] as const;
export type DomainStatus = (typeof DOMAIN_STATUSES)[number];

/** The types of the DNS records that prove and route a custom domain. */
const DNS_RECORD_TYPES = ['A', 'AAAA', 'CNAME', 'TXT'] as const;

/** A domain, as the API returns it. */
export const Domain = z
  .object({
    domain: z.string().describe('The normalised name.').meta({ example: 'www.example.com' }),
    url: z
      .url()
      .describe('The address of the domain. It shows the site once the status is `success`.')
      .meta({ example: 'https://www.example.com' }),
    deployment: z
      .string()
      .nullable()
      .describe('The deployment that the domain points at; null for none.')
      .meta({ example: 'calm-otter-4k9x2qd' }),
    status: openEnum(DOMAIN_STATUSES).describe(
      '`pending`: no DNS record found yet. `partial`: some records found. `success`: the domain serves its site. `paused`: the plan no longer covers the domain.',
    ),
    labels: z.array(z.string()),
    created: Timestamp,
    linked: Timestamp.nullable().describe('When the domain was last linked to a deployment, in Unix seconds.'),
    links: z.int().describe('How many times the domain was linked to a different deployment.'),
  })
  .meta({ id: 'Domain' });
export type Domain = z.infer<typeof Domain>;

export const DomainList = z.object({ domains: z.array(Domain), nextCursor: NextCursor }).meta({ id: 'DomainList' });
export type DomainList = z.infer<typeof DomainList>;
export const DomainPath = z.object({ domain: domainName(8_000) });

/** A name to validate. The response for an invalid name is a {@link DomainValidation}, not an error. */
export const DomainCandidate = z.object({ domain: domainName(65_536) }).meta({ id: 'DomainCandidate' });

/** The input of `PUT /domains/{domain}`. Absent fields stay unchanged. */
export const DomainPut = DomainPath.extend({
  deployment: z
    .string({
      error: ({ input }) =>
        input === null ? 'a domain cannot be unlinked; link it to another deployment, or delete it' : undefined,
    })
    .max(300, 'a deployment must be given by its id, or its full host name')
    .optional()
    .describe('The deployment to point at: its id or its full host name. Letter case does not matter.')
    .meta({ example: 'calm-otter-4k9x2qd' }),
  labels: Labels.optional().describe('Replaces the labels; an empty list clears them.'),
}).meta({ id: 'DomainPut' });

/** One entry of the history of a domain: a deployment, and the time during which the domain was linked to it. */
export const DomainVersion = z
  .object({
    deployment: z.string().describe('The id of the deployment.').meta({ example: 'calm-otter-4k9x2qd' }),
    linked: Timestamp.describe('When the domain was linked to the deployment, in Unix seconds.'),
    unlinked: Timestamp.nullable().describe(
      'When the domain was linked to another deployment or deleted, in Unix seconds; null for the deployment that the domain points at.',
    ),
    by: openEnum(AUTH_METHODS).describe('How the request that linked the domain was authenticated.'),
    token: z
      .string()
      .optional()
      .describe('The id of the credential that linked the domain; absent for links of older versions of the server.')
      .meta({ example: 'a1b2c3d' }),
    previous: z
      .string()
      .nullable()
      .default(null)
      .describe(
        'The deployment that the domain was linked to before, to compare with `GET /deployments/{deployment}/changes`; null for none, and if it is deleted.',
      )
      .meta({ example: 'warm-finch-7h2m0qa' }),
    published: z
      .object({
        created: Timestamp,
        files: z.int().describe('Number of files.'),
        size: z.int().describe('Sum of the file sizes, in bytes.'),
        via: z.string().describe('The tool that made the deployment.').meta({ example: 'cli' }),
        password: z.boolean().describe('True when visitors need a password.'),
        by: openEnum(AUTH_METHODS)
          .optional()
          .describe('How the request that made the deployment was authenticated; absent if it is not known.'),
        token: z.string().optional().describe('The id of the credential that made it; absent like `by`.'),
      })
      .nullable()
      .default(null)
      .describe('How the deployment was published; null if it is deleted.'),
    available: z
      .boolean()
      .describe(
        'Whether the domain can be linked to the deployment again: the deployment is not deleted, was not taken down and does not expire.',
      ),
  })
  .meta({ id: 'DomainVersion' });
export type DomainVersion = z.infer<typeof DomainVersion>;

/** The query of `GET /domains/{domain}/versions`. */
export const DomainVersionQuery = DomainPath.extend(PageQuery.shape);
export type DomainVersionQuery = z.infer<typeof DomainVersionQuery>;
export const DomainVersionList = z
  .object({ versions: z.array(DomainVersion), nextCursor: NextCursor })
  .meta({ id: 'DomainVersionList' });
export type DomainVersionList = z.infer<typeof DomainVersionList>;

export const DeletedDomain = z.object({ domain: z.string() }).meta({ id: 'DeletedDomain' });

/** The result of validating a domain name for the account. */
export const DomainValidation = z
  .object({
    valid: z.boolean().describe('Whether the name can be a domain.'),
    normalized: z.string().nullable().describe('The name as it would be stored; null if it is not valid.'),
    available: z.boolean().describe('Whether this account can have the domain.'),
    reason: z.string().nullable().describe('Why the name is invalid or unavailable; null if it is neither.'),
  })
  .meta({ id: 'DomainValidation' });
export type DomainValidation = z.infer<typeof DomainValidation>;

/** The result of the DNS query for one record. */
export const DomainCheck = z
  .object({
    type: openEnum(DNS_RECORD_TYPES),
    name: z.string().describe('The full name of the record.'),
    expected: z.array(z.string()).describe('The values that the record must have.'),
    found: z.array(z.string()).describe('The values that the DNS query found.'),
    ok: z.boolean().describe('Whether the record is as expected.'),
    reason: z.string().optional().describe('Why the record is not as expected; absent if it is as expected.'),
  })
  .meta({ id: 'DomainCheck' });
export type DomainCheck = z.infer<typeof DomainCheck>;

/** A domain, with the results of a DNS check. */
export const VerifiedDomain = Domain.extend({
  checks: z.array(DomainCheck).describe('One check for each record that the domain needs.'),
  nextCheck: Timestamp.nullable().describe(
    'The time of the next automatic check, in Unix seconds; null if none is planned.',
  ),
}).meta({ id: 'VerifiedDomain' });
export type VerifiedDomain = z.infer<typeof VerifiedDomain>;

/** The DNS provider of a domain. */
export const DomainDns = z
  .object({
    domain: z.string(),
    dns: z
      .object({ provider: z.object({ name: z.string() }) })
      .nullable()
      .describe('The DNS provider; null if it is unknown.'),
  })
  .meta({ id: 'DomainDns' });
export type DomainDns = z.infer<typeof DomainDns>;

/** A DNS record that a domain needs. */
const DnsRecord = z
  .object({
    type: openEnum(DNS_RECORD_TYPES),
    name: z.string().describe('The full name of the record.'),
    value: z.string(),
  })
  .meta({ id: 'DnsRecord' });

/** The records that a domain needs. */
export const DomainRecords = z
  .object({
    domain: z.string(),
    apex: z.boolean().describe('Whether the name is an apex domain, which cannot have a CNAME record.'),
    records: z.array(DnsRecord),
  })
  .meta({ id: 'DomainRecords' });
export type DomainRecords = z.infer<typeof DomainRecords>;

/** The address of the public page that lists the DNS records of a domain. */
export const DomainShare = z
  .object({
    domain: z.string(),
    hash: z.string().describe('The last part of `url`. It gives access to the DNS records and nothing else.'),
    url: z.url().describe('A public page with the DNS records, instructions, and a live check.'),
  })
  .meta({ id: 'DomainShare' });
export type DomainShare = z.infer<typeof DomainShare>;
