import { z } from 'zod';
import { Timestamp } from './timestamp.ts';
import { AUTH_METHODS } from './auth-methods.ts';
import { DisplayName } from './display-name.ts';
import { openEnum } from './open-enum.ts';
import { NextCursor, PageQuery } from './pages.ts';
import { Caps, Usage } from './plans.ts';

/** The account that the credential belongs to. Source: api §6. */
export const Account = z
  .object({
    account: z.string().describe('The id of the account.'),
    email: z.string(),
    name: z.string().nullable().describe('The name of the account; null for none.'),
    plan: z.string().describe('The id of the plan of the account, as in `GET /plans`.'),
    usage: Usage.describe('What the account uses.'),
    caps: Caps.nullable().describe('The maximum of each kind of usage; null for a plan arranged directly.'),
    scheduled: z
      .object({
        plan: z.string().describe('The id of the next plan.'),
        due: Timestamp.describe('When it takes effect: the end of the billing period, in Unix seconds.'),
      })
      .nullable()
      .describe('The plan that the account will have after a downgrade; null for none.'),
    created: Timestamp,
    hint: z.string().nullable().describe('The last 4 characters of the newest API key.'),
    authMethod: openEnum(AUTH_METHODS).describe('How this request was authenticated.'),
    used: Timestamp.nullable().describe(
      'When the credential was last used before this request, in Unix seconds, exact to a minute; null if it was not.',
    ),
  })
  .meta({ id: 'Account' });
export type Account = z.infer<typeof Account>;

/** Every event of the audit log. */
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
  'session.create',
  'session.delete',
  'passkey.create',
  'passkey.delete',
  'member.create',
  'member.delete',
  'device.approve',
] as const;
export type ActivityEvent = (typeof ACTIVITY_EVENTS)[number];

/** One entry of the audit log. */
export const Activity = z
  .object({
    event: openEnum(ACTIVITY_EVENTS).describe('What happened.'),
    created: Timestamp,
    deployment: z.string().optional().describe('The id of the deployment that the event is about.'),
    domain: z.string().optional().describe('The name of the domain that the event is about.'),
    token: z.string().optional().describe('The id of the token that the event is about.'),
    authMethod: openEnum(AUTH_METHODS).describe(
      'The cause of the event: a credential, a person in the console (`session`), the operator or the service.',
    ),
    meta: z.record(z.string(), z.unknown()).describe('The details of the event. They never contain a secret.'),
  })
  .meta({ id: 'Activity' });
export type Activity = z.infer<typeof Activity>;

export const ActivityList = z
  .object({ activities: z.array(Activity), nextCursor: NextCursor })
  .meta({ id: 'ActivityList' });
export type ActivityList = z.infer<typeof ActivityList>;

const MAX_EVENT_FILTERS = 20;
const EVENT_FILTER = /^[a-z]{1,32}(?:\.[a-z]{1,32}){0,3}$/;
const EVENT_RULE = `event must be at most ${MAX_EVENT_FILTERS} events or groups, separated by commas, such as "domain,token.create"`;

const ActivityFilters = z.object({
  event: z
    .string()
    .max(1_000, EVENT_RULE)
    .refine((text) => {
      const names = text.split(',');
      return names.length <= MAX_EVENT_FILTERS && names.every((name) => EVENT_FILTER.test(name));
    }, EVENT_RULE)
    .describe(
      'Only these events, separated by commas: whole names such as `domain.verify`, or groups such as `domain`.',
    )
    .optional(),
  authMethod: z
    .string()
    .max(64, 'authMethod must be a value of the field authMethod, such as "api-key"')
    .describe('Only activities with this cause, such as `api-key`.')
    .optional(),
});
/** Which activities to list or to send. Default: all. Source: api §6. */
export type ActivityFilter = z.output<typeof ActivityFilters>;

/** The query of `GET /activities`. Source: api §6. */
export const ActivityQuery = PageQuery.extend(ActivityFilters.shape);
export type ActivityQuery = z.output<typeof ActivityQuery>;

/** The input of the subscription `activities.watch`. Source: api §9. */
export const ActivityWatch = z
  .object({
    lastEventId: z
      .string()
      .max(64, 'lastEventId must be the id of an event')
      .nullish()
      .describe(
        'The id of the last event that the client received. If absent, the stream begins with `last` past events.',
      ),
    last: z.int().min(0).default(0).describe('The number of past events to send first, oldest first.'),
    ...ActivityFilters.shape,
  })
  .optional();

/** The body of `PATCH /account`. Source: api §13. */
export const AccountPatch = z
  .object({
    name: DisplayName.describe('The name of the account; null for none.'),
  })
  .meta({ id: 'AccountPatch' });
export type AccountPatch = z.infer<typeof AccountPatch>;

/** The input of `DELETE /account`. Source: api §13. */
export const AccountDeletion = z.object({
  account: z
    .string()
    .max(64, 'account must be the id of your account')
    .describe('The id of your account, as a confirmation.'),
});

/** The body of the response to `DELETE /account`. Source: api §13. */
export const DeletedAccount = z
  .object({ account: z.string().describe('The id of the deleted account.') })
  .meta({ id: 'DeletedAccount' });
export type DeletedAccount = z.infer<typeof DeletedAccount>;

/** The site of a claim link, for the page that asks whether to keep it. */
export const ClaimedSite = z.object({
  deployment: z.string(),
  url: z.string().describe('The address of the site.'),
  title: z.string().nullable().describe('The title of its front page; null for none.'),
  files: z.int(),
  size: z.int().describe('Sum of the file sizes, in bytes.'),
  password: z.boolean().describe('Whether visitors need a password.'),
  created: Timestamp,
  expires: Timestamp.nullable().describe('When the site is removed unless it is claimed; null if it is yours.'),
});
export type ClaimedSite = z.infer<typeof ClaimedSite>;

/** The body of `POST /account/claim`. Source: api §6. */
export const ClaimRequest = z
  .object({
    claim: z
      .string()
      .max(2_048, 'the claim must be a claim hash, or the whole claim URL')
      .describe('The claim hash, or the whole claim URL.')
      .meta({ example: '<32 hexadecimal digits>' }),
  })
  .meta({ id: 'ClaimRequest' });
