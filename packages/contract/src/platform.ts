import { z } from 'zod';
import { Timestamp } from './deployments.ts';
import { DeployLimits } from './plans.ts';

/** `GET /ping`. Source: api §6. */
export const Ping = z.object({ timestamp: Timestamp });

/** `GET /limits`: the limits of one deploy. Source: api §6. */
export const Limits = DeployLimits.extend({
  blockedExtensions: z.array(z.string()).describe('File extensions that are refused, without the dot.'),
}).meta({ id: 'Limits' });
export type Limits = z.infer<typeof Limits>;
