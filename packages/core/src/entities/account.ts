import { defineEntity, p } from '@mikro-orm/core';
import type { ActivityEvent, AuthMethod } from '@berth/contract';
import { TextArray } from './text-array.ts';

/** The state decides whether an account may act and whether its sites are shown. Source: api §6. */
const ACCOUNT_STATES = ['active', 'suspended', 'terminated'] as const;
export type AccountState = (typeof ACCOUNT_STATES)[number];

export const AccountSchema = defineEntity({
  name: 'Account',
  tableName: 'account',
  properties: {
    id: p.text().primary(),
    email: p.text().unique(),
    name: p.text().nullable(),
    plan: p.text(),
    state: p.enum(ACCOUNT_STATES).default('active'),
    /** The number of live deployments. Changed in the same transaction as the deployments; those being deleted do not count. */
    deploymentCount: p.integer().default(0),
    /** Bytes of the distinct contents it refers to: never too few, and exactly those when `storageExact`. */
    storageBytes: p.bigint('number').default(0),
    storageExact: p.boolean().default(true),
    /** Counts the changes of what is stored, so that a measurement that one overtook is discarded. */
    storageVersion: p.integer().default(0),
    created: p.datetime(3),
    /** 7 of `[a-z0-9]`: the account's own CNAME target is `to-<this>.{cname_target}`. */
    dnsName: p.text().unique(),
    /** The billing period, and when the first one started. */
    period: p.enum(['month', 'year'] as const).default('month'),
    periodStarted: p.datetime(3),
  },
});

/** Owns deployments, domains and tokens. */
export class Account extends AccountSchema.class {}
AccountSchema.setClass(Account);

export const MemberSchema = defineEntity({
  name: 'Member',
  tableName: 'member',
  properties: {
    id: p.bigint('number').primary().autoincrement(),
    account: () => p.manyToOne(Account).deleteRule('cascade'),
    email: p.text(),
    role: p.enum(['owner', 'member'] as const),
    created: p.datetime(3),
  },
  uniques: [{ name: 'member_account_email_unique', properties: ['account', 'email'] }],
});

/** A person who acts for an account. The `seats` cap limits the number of members. Source: api §6. */
export class Member extends MemberSchema.class {}
MemberSchema.setClass(Member);

export const PlanChangeSchema = defineEntity({
  name: 'PlanChange',
  tableName: 'plan_change',
  properties: {
    account: () => p.manyToOne(Account).primary().deleteRule('cascade'),
    plan: p.text(),
    created: p.datetime(3),
    /** The end of the billing period in which the change was requested. */
    due: p.datetime(3).index('plan_change_due_index'),
  },
});

/** A downgrade that takes effect at the end of the billing period. An account has at most one. Source: api §6. */
export class PlanChange extends PlanChangeSchema.class {}
PlanChangeSchema.setClass(PlanChange);

export const TokenSchema = defineEntity({
  name: 'Token',
  tableName: 'token',
  properties: {
    id: p.bigint('number').primary().autoincrement(),
    account: () => p.manyToOne(Account).deleteRule('cascade'),
    /** The identifier that people see, 7 of `[a-z0-9]`. */
    token: p.text(),
    kind: p.enum(['api', 'deploy'] as const),
    /** SHA-256 of the whole credential. It has 128 random bits, so a slow hash is not needed. */
    secretHash: p.blob().unique(),
    last4: p.text(),
    labels: p.type(TextArray),
    created: p.datetime(3),
    expires: p.datetime(3).nullable(),
    used: p.datetime(3).nullable(),
  },
  uniques: [{ name: 'token_account_token_unique', properties: ['account', 'token'] }],
  indexes: [{ name: 'token_account_id_index', properties: ['account', 'id'] }],
});

/** A credential, without its secret. Source: api §5. */
export class Token extends TokenSchema.class {}
TokenSchema.setClass(Token);

export const ActivitySchema = defineEntity({
  name: 'Activity',
  tableName: 'activity',
  properties: {
    id: p.bigint('number').primary().autoincrement(),
    account: () => p.manyToOne(Account).deleteRule('cascade'),
    event: p.text().$type<ActivityEvent>(),
    created: p.datetime(3),
    deployment: p.text().nullable(),
    domain: p.text().nullable(),
    token: p.text().nullable(),
    authMethod: p.text().$type<AuthMethod>(),
    meta: p.json<Record<string, unknown>>(),
  },
  indexes: [{ name: 'activity_account_id_index', properties: ['account', 'id'] }],
});

/** One entry of an account's audit log, written in the same transaction as the change it records. Source: api §6. */
export class Activity extends ActivitySchema.class {}
ActivitySchema.setClass(Activity);
