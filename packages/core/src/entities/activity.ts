import type { ActivityEvent, AuthMethod } from '@berth/contract';
import { defineEntity, p } from '@mikro-orm/core';
import { Account } from './account.ts';

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
