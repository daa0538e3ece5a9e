import { defineEntity, p } from '@mikro-orm/core';
import { TextArray } from './text-array.ts';
import { Account } from './account.ts';

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
