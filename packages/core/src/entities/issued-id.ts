import { defineEntity, p } from '@mikro-orm/core';

export const IssuedIdSchema = defineEntity({
  name: 'IssuedId',
  tableName: 'issued_id',
  properties: { id: p.text().primary() },
});

/** A deployment id that was issued. Rows are never removed, so an id never names two deployments. Source: security T15. */
export class IssuedId extends IssuedIdSchema.class {}
IssuedIdSchema.setClass(IssuedId);
