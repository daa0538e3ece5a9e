import { recordHeartbeat, ensureOwner } from '@berth/core';
import type { Config } from '../config/config.ts';
import { nameJobs } from './job-log.ts';
import { startCompression, startHeartbeat, startJobs } from './jobs.ts';
import { type CoreOptions, openCore } from './open-core.ts';

/**
 * Opens the core, creates the owner's account, and starts the jobs. Exactly one process of a server must call this.
 *
 * @returns The core, and the owner's API key if this start generated it.
 * @throws Error with the reason why the data folder or the database cannot be used. Source: api §8, §10.
 */
export async function openService(config: Config, options: CoreOptions) {
  const log = nameJobs(options.log);
  const { resources } = options;
  const core = await openCore(config, { ...options, log });
  await recordHeartbeat(core);
  const ownerKey = await ensureOwner(core, {
    email: config.ownerEmail,
    plan: config.ownerPlan,
    apiKey: config.ownerApiKey ?? undefined,
  });
  startHeartbeat(core, resources);
  if (config.jobs) startJobs(core, resources, config.sweep);
  if (config.compression) startCompression(core, resources);
  if (config.allowInsecure && config.publicScheme === 'http')
    log.warn({}, 'ALLOW_INSECURE is on: site passwords and unlock cookies are sent over plain http');
  return { core, ownerKey };
}
