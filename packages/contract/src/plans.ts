import { z } from 'zod';
import { Timestamp } from './timestamp.ts';

const MiB = 1024 ** 2;
const GiB = 1024 ** 3;

/** The caps of a plan: how much an account may have. Source: api §6. */
export const Caps = z
  .object({
    deployments: z.int().min(0).describe('Number of deployments.'),
    platformDomains: z.int().min(0).describe('Number of platform domains: subdomains of the platform domain.'),
    customDomains: z.int().min(0).describe('Number of custom domains. Paused ones do not count.'),
    seats: z.int().min(0).describe('Number of members.'),
    storage: z.int().min(0).optional().describe('Bytes of the distinct stored contents; absent means no cap.'),
  })
  .meta({ id: 'Caps' });
export type Caps = z.infer<typeof Caps>;

/** How much of each cap of its plan an account uses. */
export const Usage = Caps.extend({
  storage: z
    .int()
    .describe(
      'Total size in bytes of the distinct contents of all deployments and open uploads. Equal contents count once.',
    ),
}).meta({ id: 'Usage' });
export type Usage = z.infer<typeof Usage>;

/** The maximum total size of the deployments and open uploads of one anonymous address, in bytes. */
export const ANONYMOUS_STORAGE_BYTES = 500 * MiB;

/** The limits of one deploy. Sizes are in bytes. */
export const DeployLimits = z.object({
  maxFileSize: z.int().min(1).describe('Maximum size of a file, in bytes.'),
  maxFilesCount: z.int().min(1).describe('Maximum number of files in a deployment.'),
  maxTotalSize: z.int().min(1).describe('Maximum total size of the files, in bytes.'),
});
export type DeployLimits = z.infer<typeof DeployLimits>;

/** The body of the response to `GET /limits`: the limits of one deploy. Source: api §6. */
export const Limits = DeployLimits.extend({
  blockedExtensions: z.array(z.string()).describe('File extensions that are refused, without the dot.'),
  platformDomain: z
    .string()
    .describe('The name under which deployments and platform domains are served: `blog` is `blog.<platformDomain>`.')
    .meta({ example: 'sites.example.com' }),
}).meta({ id: 'Limits' });
export type Limits = z.infer<typeof Limits>;

const Price = z.union([
  z
    .object({
      month: z.int().min(0).describe('For a month.'),
      year: z.int().min(0).describe('For a year.'),
    })
    .meta({ id: 'Price' }),
  z.literal('contact'),
]);

/** One plan as the operator configures it: its public description, its caps and its deploy limits. */
export const Plan = z.object({
  plan: z
    .string()
    .regex(/^[a-z][a-z0-9-]{0,31}$/, 'a plan id must be lower-case letters, digits and "-", starting with a letter'),
  name: z.string().min(1),
  price: Price,
  caps: Caps.nullable(),
  limits: DeployLimits,
  closed: z.string().min(1).optional(),
  rank: z
    .int()
    .optional()
    .describe('A change to a plan with a higher rank is an upgrade. Default: the position of the plan in the file.'),
});
export type Plan = z.infer<typeof Plan>;

/** The plan file of the operator: the plans in display order. It must also contain {@link ANONYMOUS_PLAN}, which this schema does not check. */
export const PlansFile = z
  .object({ plans: z.array(Plan).min(1) })
  .refine(({ plans }) => new Set(plans.map((p) => p.plan)).size === plans.length, 'each plan id must occur only once');

/** The plan whose limits apply to anonymous deploys. Source: api §3. */
export const ANONYMOUS_PLAN = 'free';

/** The plans that apply if the operator configures no others. Prices are in US cents. */
export const DEFAULT_PLANS: readonly Plan[] = [
  {
    plan: 'free',
    name: 'Free',
    price: { month: 0, year: 0 },
    caps: { deployments: 100, platformDomains: 5, customDomains: 0, seats: 1, storage: 2 * GiB },
    limits: { maxFileSize: 20 * MiB, maxFilesCount: 1_000, maxTotalSize: 100 * MiB },
  },
  {
    plan: 'pro',
    name: 'Pro',
    price: { month: 900, year: 9_000 },
    caps: { deployments: 1_000, platformDomains: 50, customDomains: 10, seats: 1, storage: 50 * GiB },
    limits: { maxFileSize: 100 * MiB, maxFilesCount: 10_000, maxTotalSize: GiB },
  },
  {
    plan: 'team',
    name: 'Team',
    price: { month: 2_900, year: 29_000 },
    caps: { deployments: 10_000, platformDomains: 500, customDomains: 100, seats: 10, storage: 500 * GiB },
    limits: { maxFileSize: 250 * MiB, maxFilesCount: 20_000, maxTotalSize: 5 * GiB },
  },
  {
    plan: 'scale',
    name: 'Scale',
    price: 'contact',
    caps: null,
    limits: { maxFileSize: GiB, maxFilesCount: 100_000, maxTotalSize: 20 * GiB },
  },
];

/** The plan of every account of a server without plans, such as that of a household. Source: api §6. */
export const UNLIMITED_PLAN: Plan = {
  plan: 'unlimited',
  name: 'Unlimited',
  price: { month: 0, year: 0 },
  caps: null,
  limits: { maxFileSize: GiB, maxFilesCount: 100_000, maxTotalSize: 20 * GiB },
};

/** A plan as `GET /plans` shows it. */
export const PlanRow = z
  .object({
    plan: z.string().describe('The id of the plan, as in `GET /account`.'),
    name: z.string().describe('The display name.'),
    price: Price.describe('Whole US cents, or "contact" for a plan arranged directly.'),
    caps: Caps.nullable().describe('The caps of an account with this plan; null for a plan arranged directly.'),
    closed: z.string().optional().describe('The sentence to display if the plan cannot be ordered yet.'),
  })
  .meta({ id: 'Plan' });
export type PlanRow = z.infer<typeof PlanRow>;
export const PlanList = z.object({ plans: z.array(PlanRow) }).meta({ id: 'PlanList' });

/** The body of the response to `GET /ping`. Source: api §6. */
export const Ping = z.object({ timestamp: Timestamp }).meta({ id: 'Ping' });

/** The body of the response to `GET /config`, which moved. Source: api §6. */
export const MovedConfig = z.object({ location: z.literal('/limits') }).meta({ id: 'Moved' });
