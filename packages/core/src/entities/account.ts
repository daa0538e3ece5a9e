import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { type ActivityEvent, type AuthMethod, MEMBER_ROLES } from '@berth/contract';
import { TextArray } from './text-array.ts';

/** The states of an account, which decide whether it may act and whether its sites are shown. Source: api §6. */
const ACCOUNT_STATES = ['active', 'suspended', 'terminated'] as const;
export type AccountState = (typeof ACCOUNT_STATES)[number];

/** The state of an account, and why it is not active; `null` for no reason. */
export interface AccountStanding {
  state: AccountState;
  stateReason: string | null;
}

/** An account, which owns deployments, domains and tokens. */
export const Account = defineEntity({
  name: 'Account',
  properties: {
    id: p.text().primary(),
    email: p.text().unique(),
    name: p.text().nullable(),
    plan: p.text(),
    state: p.enum(ACCOUNT_STATES).default('active'),
    /** Why the account is not active, as the operator wrote it for its members; `null` for no reason. */
    stateReason: p.text().nullable(),
    /** The number of deployments, without those that are being deleted. Changes in the transaction that changes the deployments. */
    deploymentCount: p.integer().default(0),
    /** The size of the distinct contents of the account, in bytes; an upper bound unless `storageExact`. */
    storageBytes: p.bigint('number').default(0),
    storageExact: p.boolean().default(true),
    /** Counts the changes of the stored contents. A measurement that began before a change is discarded. */
    storageVersion: p.integer().default(0),
    created: p.datetime(3),
    /** The part of the account in its CNAME target, `to-<dnsName>.{cname_target}`: 7 of `[a-z0-9]`. */
    dnsName: p.text().unique(),
    /** The length of the billing periods. The first period began at `periodStarted`. */
    period: p.enum(['month', 'year'] as const).default('month'),
    periodStarted: p.datetime(3),
  },
});
export type Account = InferEntity<typeof Account>;

/** A human who signs in. Persons act for the accounts whose members they are. Source: api §13. */
export const Person = defineEntity({
  name: 'Person',
  properties: {
    /** `per-` and 14 of `[a-z0-9]`. */
    id: p.text().primary(),
    /** In lower case. */
    email: p.text().unique(),
    name: p.text().nullable(),
    /** The hash of the password as a PHC string; `null` without a password. */
    passwordHash: p.text().nullable(),
    created: p.datetime(3),
    /** When the person, or the operator, first proved that the e-mail address is theirs; `null` for never. */
    verified: p.datetime(3).nullable(),
  },
});
export type Person = InferEntity<typeof Person>;

/** The membership of a person in an account. The `seats` cap limits the number of members. Source: api §6. */
export const Member = defineEntity({
  name: 'Member',
  properties: {
    id: p.bigint('number').primary().autoincrement(),
    account: () => p.manyToOne(Account).deleteRule('cascade'),
    /** `null` until the person signs in for the first time. */
    person: () => p.manyToOne(Person).nullable().deleteRule('set null'),
    email: p.text(),
    role: p.enum(MEMBER_ROLES),
    created: p.datetime(3),
  },
  uniques: [{ name: 'member_account_email_unique', properties: ['account', 'email'] }],
  indexes: [{ name: 'member_person_id_index', properties: ['person'] }],
});
export type Member = InferEntity<typeof Member>;

/** A downgrade that takes effect at the end of the billing period. An account has at most one such downgrade. Source: api §6. */
export const PlanChange = defineEntity({
  name: 'PlanChange',
  properties: {
    account: () => p.manyToOne(Account).primary().deleteRule('cascade'),
    plan: p.text(),
    created: p.datetime(3),
    /** The end of the billing period in which the change was requested. */
    due: p.datetime(3).index('plan_change_due_index'),
  },
});
export type PlanChange = InferEntity<typeof PlanChange>;

/** A credential, without its secret. Source: api §5. */
export const Token = defineEntity({
  name: 'Token',
  properties: {
    id: p.bigint('number').primary().autoincrement(),
    account: () => p.manyToOne(Account).deleteRule('cascade'),
    /** The id that people see: 7 of `[a-z0-9]`. */
    token: p.text(),
    kind: p.enum(['api', 'deploy'] as const),
    /** The SHA-256 of the whole credential. A slow hash is not needed, because a credential has 128 random bits. */
    secretHash: p.blob().unique(),
    last4: p.text(),
    labels: p.type(TextArray),
    created: p.datetime(3),
    expires: p.datetime(3).nullable(),
    used: p.datetime(3).nullable(),
    /** The normalised names of the domains that a deploy token can publish to. */
    domains: p.type(TextArray).defaultRaw(`'{}'`),
    /** How many versions of a domain a deploy with this token must keep; `null` if `domains` is empty. */
    keep: p.integer().nullable(),
    /** The person who made it, with whose membership it ends; `null` if the operator made it, or one of the operator's keys. */
    person: () => p.manyToOne(Person).nullable().deleteRule('cascade'),
  },
  uniques: [{ name: 'token_account_token_unique', properties: ['account', 'token'] }],
  indexes: [{ name: 'token_account_id_index', properties: ['account', 'id'] }],
});
export type Token = InferEntity<typeof Token>;

/** One entry of an account's audit log, written in the same transaction as the change it records. Source: api §6. */
export const Activity = defineEntity({
  name: 'Activity',
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
  indexes: [
    { name: 'activity_account_id_index', properties: ['account', 'id'] },
    { name: 'activity_filter_index', properties: ['account', 'event', 'authMethod', 'id'] },
  ],
});
export type Activity = InferEntity<typeof Activity>;
