import { defineEntity, p } from '@mikro-orm/core';

export const BootSchema = defineEntity({
  name: 'Boot',
  tableName: 'boot',
  properties: {
    id: p.text().primary(),
    started: p.datetime(3),
    heartbeat: p.datetime(3),
  },
});

/** One start of a server process. When its heartbeat stops, its open packs are abandoned. Source: storage W4. */
export class Boot extends BootSchema.class {}
BootSchema.setClass(Boot);
