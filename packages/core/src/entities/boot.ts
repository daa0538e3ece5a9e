import { defineEntity, p } from '@mikro-orm/core';

const BootSchema = defineEntity({
  name: 'Boot',
  tableName: 'boot',
  properties: {
    id: p.text().primary(),
    started: p.datetime(3),
    heartbeat: p.datetime(3),
  },
});

/** One run of a server process. Open packs of a boot without a heartbeat are given up. Source: security W4. */
export class Boot extends BootSchema.class {}
BootSchema.setClass(Boot);
