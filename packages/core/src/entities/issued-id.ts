import { defineEntity, p } from '@mikro-orm/core';

const IssuedIdSchema = defineEntity({
  name: 'IssuedId',
  tableName: 'issued_id',
  properties: { id: p.text().primary() },
});

/** A deployment id that was given out. Rows are never removed, so that no id ever names two sites. Source: security T15. */
export class IssuedId extends IssuedIdSchema.class {}
IssuedIdSchema.setClass(IssuedId);
