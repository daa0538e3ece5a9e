import { defineEntity, p } from '@mikro-orm/core';
import { Account } from './account.ts';

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
