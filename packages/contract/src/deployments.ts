import { z } from 'zod';
import { Labels } from './labels.ts';
import { DeploymentReference } from './names.ts';
import { NextCursor } from './pages.ts';

/** A point in time, in Unix seconds. Source: api §1. */
export const Timestamp = z.int().describe('Unix seconds.').meta({ example: 1790000000 });

/** Something that was published but will not act as written. Source: api §3. */
export const Warning = z.object({
  file: z.string().describe('The path of the file.'),
  line: z.int().optional().describe('The line in the file, from 1.'),
  at: z.string().optional().describe('The place in the file, if a line number is not enough.'),
  message: z.string().describe('What will not act as written, and why.'),
});
export type Warning = z.infer<typeof Warning>;

/** The states of a listed deployment. */
export const DEPLOYMENT_STATUSES = ['success', 'deleting'] as const;

/** A deployment. */
export const Deployment = z
  .object({
    deployment: z
      .string()
      .describe('The deployment id, which is also the first part of its host name.')
      .meta({ example: 'calm-otter-4k9x2qd' }),
    url: z.url().describe('The address of the site.').meta({ example: 'https://calm-otter-4k9x2qd.sites.example' }),
    files: z.int().describe('Number of files.'),
    size: z.int().describe('Sum of the file sizes, in bytes.'),
    status: z
      .enum(DEPLOYMENT_STATUSES)
      .describe('`success`: served. `deleting`: no longer served; its files are being removed.'),
    password: z.boolean().describe('True when visitors need a password. The password is never returned.'),
    via: z.string().describe('The tool that made it; `api` by default.').meta({ example: 'cli' }),
    labels: z.array(z.string()),
    created: Timestamp,
    expires: Timestamp.optional().describe('Present if the deployment is anonymous or was made with `ttl`.'),
  })
  .meta({ id: 'Deployment' });
export type Deployment = z.infer<typeof Deployment>;

/** The 201 of `POST /deployments`: the deployment, and the fields that no later answer repeats. */
export const CreatedDeployment = Deployment.extend({
  claim: z
    .url()
    .optional()
    .describe('Anonymous deploys only: the address at which an account can claim the deployment.'),
  warnings: z.array(Warning).optional().describe('Absent if there are none.'),
}).meta({ id: 'CreatedDeployment' });
export type CreatedDeployment = z.infer<typeof CreatedDeployment>;

export const DeploymentList = z.object({ deployments: z.array(Deployment), nextCursor: NextCursor });
export const DeploymentPath = z.object({ deployment: DeploymentReference });
export const DeploymentPatch = DeploymentPath.extend({
  labels: Labels.describe('Replaces the labels; an empty list clears them.'),
});
export const DeletedDeployment = z.object({ deployment: z.string(), status: z.literal('deleting') });
