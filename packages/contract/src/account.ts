import { z } from 'zod';
import { Timestamp } from './deployments.ts';
import { NextCursor } from './pages.ts';
import { Caps } from './plans.ts';

/** How a request proved who it is. */
export const AUTH_METHODS = ['api-key', 'deploy-token', 'operator', 'system'] as const;
export type AuthMethod = (typeof AUTH_METHODS)[number];

/** The account that the credential belongs to. Source: service-api part 2, contract §6. */
export const Account = z
  .object({
    account: z.string(),
    email: z.string(),
    name: z.string().nullable(),
    plan: z.string(),
    usage: Caps.describe('What the account holds.'),
    caps: Caps.nullable().describe('What it may hold; null when arranged directly.'),
    created: Timestamp,
    hint: z.string().nullable().describe('The last 4 characters of the newest API key.'),
    authMethod: z.enum(AUTH_METHODS),
  })
  .meta({ id: 'Account' });
export type Account = z.infer<typeof Account>;

/** Every event the audit log knows. Source: contract §6. */
export const ACTIVITY_EVENTS = [
  'account.create',
  'account.update',
  'account.delete',
  'account.plan.transition',
  'account.key.generate',
  'deployment.create',
  'deployment.update',
  'deployment.delete',
  'deployment.claim',
  'deployment.expire',
  'domain.create',
  'domain.update',
  'domain.delete',
  'domain.verify',
  'domain.pause',
  'domain.resume',
  'token.create',
  'token.delete',
] as const;
export type ActivityEvent = (typeof ACTIVITY_EVENTS)[number];

/** One entry of the audit log. Source: contract §6. */
export const Activity = z
  .object({
    event: z.enum(ACTIVITY_EVENTS),
    created: Timestamp,
    deployment: z.string().optional(),
    domain: z.string().optional(),
    token: z.string().optional(),
    authMethod: z.enum(AUTH_METHODS),
    meta: z.record(z.string(), z.unknown()),
  })
  .meta({ id: 'Activity' });
export type Activity = z.infer<typeof Activity>;

export const ActivityList = z.object({ activities: z.array(Activity), nextCursor: NextCursor });
