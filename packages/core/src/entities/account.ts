import { defineEntity, p } from '@mikro-orm/core';

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
