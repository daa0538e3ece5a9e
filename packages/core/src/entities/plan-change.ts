import { defineEntity, p } from '@mikro-orm/core';
import { Account } from './account.ts';

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
