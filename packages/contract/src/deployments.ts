import { z } from 'zod';
import { AUTH_METHODS } from './auth-methods.ts';
import { MAX_TTL_SECONDS, Password, Ttl } from './deploy-form.ts';
import { Label, Labels } from './labels.ts';
import { DeploymentReference } from './names.ts';
import { openEnum } from './open-enum.ts';
import { NextCursor, PageQuery } from './pages.ts';
import { Timestamp } from './timestamp.ts';

/** A part of a published file that has no effect as written. Source: api §3. */
export const Warning = z
  .object({
    file: z.string().describe('The path of the file.'),
    line: z.int().optional().describe('The number of the line in the file, from 1.'),
    at: z.string().optional().describe('The position in the file if it has no line, such as `headers[0]`.'),
    message: z.string().describe('A sentence that says which line or setting has no effect as written, and why.'),
  })
  .meta({ id: 'DeployWarning' });
export type Warning = z.infer<typeof Warning>;

/** The maximum number of domains that a deployment lists. */
export const MAX_LISTED_DOMAINS = 100;

/** A deployment, as the API returns it. */
export const Deployment = z
  .object({
    deployment: z
      .string()
      .describe('The deployment id, which is also the first part of its host name.')
      .meta({ example: 'calm-otter-4k9x2qd' }),
    url: z.url().describe('The address of the site.').meta({ example: 'https://calm-otter-4k9x2qd.sites.example' }),
    files: z.int().describe('Number of files.'),
    size: z.int().describe('Sum of the file sizes, in bytes.'),
    status: openEnum(['success', 'deleting']).describe(
      '`success`: served. `deleting`: no longer served; its files are being removed.',
    ),
    password: z.boolean().describe('True when visitors need a password. The password is never returned.'),
    via: z.string().describe('The tool that made the deployment; `api` by default.').meta({ example: 'cli' }),
    by: openEnum(AUTH_METHODS)
      .optional()
      .describe(
        'How the request that made the deployment was authenticated. Absent if it had no credential, and for deployments of older versions of the server.',
      ),
    token: z
      .string()
      .optional()
      .describe('The id of the credential that made the deployment; absent like `by`.')
      .meta({ example: 'a1b2c3d' }),
    labels: z.array(z.string()),
    domains: z
      .array(z.string())
      .default([])
      .describe(`The domains that point at the deployment, by name; at most ${MAX_LISTED_DOMAINS}.`)
      .meta({ example: ['www.example.com'] }),
    created: Timestamp,
    takenDown: z
      .object({
        reason: z.string().nullable().describe('The reason that the operator gave; null if the operator gave none.'),
        since: Timestamp,
      })
      .optional()
      .describe('Present while the operator has taken the deployment down; visitors then get a 451.'),
    expires: Timestamp.optional().describe('Present if the deployment is anonymous or was made with `ttl`.'),
  })
  .meta({ id: 'Deployment' });
export type Deployment = z.infer<typeof Deployment>;

/** The body of the 201 of `POST /deployments`. No later response repeats `claim`, `deleted` and `warnings`. */
export const CreatedDeployment = Deployment.extend({
  claim: z
    .url()
    .optional()
    .describe('Anonymous deploys only: the address at which an account can claim the deployment.'),
  deleted: z
    .array(z.string())
    .optional()
    .describe('The older versions of the domain that this deploy deleted; present with `keep`.'),
  warnings: z.array(Warning).optional().describe('What will not act as written; absent if there are no warnings.'),
}).meta({ id: 'CreatedDeployment' });
export type CreatedDeployment = z.infer<typeof CreatedDeployment>;

/** The query of `GET /deployments`. */
export const DeploymentQuery = PageQuery.extend({
  label: Label.describe('Lists only deployments with this label.').optional(),
  domain: z
    .string()
    .max(8_000, 'a domain name must have at most 253 characters')
    .describe('Lists only the deployment that this domain of the account points at. Letter case does not matter.')
    .optional(),
});
export type DeploymentQuery = z.output<typeof DeploymentQuery>;
export const DeploymentList = z
  .object({ deployments: z.array(Deployment), nextCursor: NextCursor })
  .meta({ id: 'DeploymentList' });
export type DeploymentList = z.infer<typeof DeploymentList>;
export const DeploymentPath = z.object({ deployment: DeploymentReference });
/** The changes to a deployment: at least one. What is absent stays as it is. Source: api §3. */
export const DeploymentPatch = DeploymentPath.extend({
  labels: Labels.optional().describe('Replaces the labels; an empty list clears them.'),
  password: Password.nullable()
    .optional()
    .describe('Sets or replaces the password; `null` removes it. Visitors must enter the new password at once.'),
  ttl: Ttl.nullable()
    .optional()
    .describe(
      `When the deployment expires, in seconds from now, at most ${MAX_TTL_SECONDS}; \`null\` makes it permanent.`,
    ),
})
  .refine(({ labels, password, ttl }) => labels !== undefined || password !== undefined || ttl !== undefined, {
    path: ['labels'],
    message: 'at least one of labels, password and ttl must be given',
    // Zod would skip the check if the reference were missing.
    when: ({ value }) => typeof value === 'object' && value !== null,
  })
  .meta({ id: 'DeploymentPatch' });
export type DeploymentPatch = z.infer<typeof DeploymentPatch>;

/** A file of a deployment. */
export const DeploymentFile = z
  .object({
    path: z.string().describe('The path of the file in the site.').meta({ example: 'docs/index.html' }),
    size: z.int().describe('The size of the file, in bytes.'),
    sha256: z.string().describe('The SHA-256 of the file, as 64 lower-case hex digits.'),
  })
  .meta({ id: 'DeploymentFile' });
export type DeploymentFile = z.infer<typeof DeploymentFile>;

/** The query of `GET /deployments/{deployment}/files`. */
export const DeploymentFileQuery = DeploymentPath.extend(PageQuery.shape);
export const DeploymentFileList = z
  .object({ files: z.array(DeploymentFile), nextCursor: NextCursor })
  .meta({ id: 'DeploymentFileList' });
export type DeploymentFileList = z.infer<typeof DeploymentFileList>;

/** The maximum number of changed files that a comparison lists. */
export const MAX_LISTED_CHANGES = 100;

/** The query of `GET /deployments/{deployment}/changes`. */
export const DeploymentChangesQuery = DeploymentPath.extend({
  from: DeploymentReference.describe(
    'The earlier deployment: its id, or its full host name. Letter case does not matter.',
  ),
});
/** A file that differs between two deployments. */
const DeploymentChange = z
  .object({
    path: z.string().describe('The path of the file in the site.').meta({ example: 'docs/index.html' }),
    change: openEnum(['added', 'changed', 'removed']),
  })
  .meta({ id: 'DeploymentChange' });

/** How the files of a deployment differ from those of an earlier deployment. */
export const DeploymentChanges = z
  .object({
    deployment: z.string().describe('The id of the deployment.').meta({ example: 'calm-otter-4k9x2qd' }),
    from: z.string().describe('The id of the earlier deployment.').meta({ example: 'warm-finch-7h2m0qa' }),
    added: z.int().describe('Number of files that only the deployment has.'),
    changed: z.int().describe('Number of files that both have, with different contents.'),
    removed: z.int().describe('Number of files that only the earlier deployment has.'),
    files: z.array(DeploymentChange).describe(`The files that differ, by path; at most ${MAX_LISTED_CHANGES}.`),
  })
  .meta({ id: 'DeploymentChanges' });
export type DeploymentChanges = z.infer<typeof DeploymentChanges>;

export const DeletedDeployment = z
  .object({ deployment: z.string(), status: z.literal('deleting') })
  .meta({ id: 'DeletedDeployment' });
