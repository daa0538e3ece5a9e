import { recordHeartbeat, type Core, ensureOwner } from '@berth/core';
import type { Config } from '../config/config.ts';
import { startCompression, startHeartbeat, startJobs } from './jobs.ts';
import { type CoreOptions, openCore } from './open-core.ts';

/** Everything of a server except what answers requests. */
export interface Service {
  core: Core;
  /** The owner's API key, if this start generated it. */
  ownerKey: string | null;
}

/**
 * Brings the service up: its database, this process's row in `boot`, the owner's account, the jobs. One process of a
 * server does this.
 *
 * @throws Error with the reason why the data folder or the database cannot be used. Source: api §8, §10.
 */
export async function openService(config: Config, options: CoreOptions): Promise<Service> {
  const { log, resources } = options;
  const core = await openCore(config, options);
  await recordHeartbeat(core);
  const ownerKey = await ensureOwner(core, {
    email: config.ownerEmail,
    plan: config.ownerPlan,
    apiKey: config.ownerApiKey ?? undefined,
  });
  const jobs = config.jobs ? startJobs(core, config.sweep) : startHeartbeat(core);
  resources.defer(() => jobs.stop());
  if (config.compression) {
    const compression = startCompression(core);
    resources.defer(() => compression.stop());
  }
  if (config.allowInsecure && config.publicScheme === 'http')
    log.warn({}, 'ALLOW_INSECURE is on: site passwords and unlock cookies are sent over plain http');
  return { core, ownerKey };
}
