import { defineEntity, p } from '@mikro-orm/core';
import { Deployment } from './deployment.ts';
import { Pack } from './pack.ts';

export const DeploymentPackSchema = defineEntity({
  name: 'DeploymentPack',
  tableName: 'deployment_pack',
  properties: {
    deployment: () => p.manyToOne(Deployment).primary().deleteRule('cascade'),
    pack: () => p.manyToOne(Pack).primary().deleteRule('restrict').index('deployment_pack_pack_id_index'),
  },
});

/** The packs that a deployment needs. If the sweep wrongly removes one, the foreign key makes its commit fail. Source: storage §1. */
export class DeploymentPack extends DeploymentPackSchema.class {}
DeploymentPackSchema.setClass(DeploymentPack);
