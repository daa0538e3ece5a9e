import { Limits, Ping } from '@berth/contract';
import { z } from 'zod';
import { getLimits } from '../services/accounts/plans.ts';
import { accountProcedure, describeAs, procedure, router } from './trpc.ts';

const op = describeAs('Platform');

/** The limits and the settings of the platform, and its health check. Source: api §6. */
export const platform = router({
  limits: accountProcedure
    .meta(op('GET /limits', 'Read the limits of a deploy', { answer: 'The limits of the account’s plan.' }))
    .input(z.object({}).optional())
    .output(Limits)
    .query(({ ctx }) => getLimits(ctx)),

  config: procedure
    .meta(
      op('GET /config', 'Moved to /limits', {
        answer: 'Moved to `/limits`.',
        description: 'For older command-line clients. Use `/limits` instead.',
        deprecated: true,
        status: 301,
        redirect: '/limits',
      }),
    )
    .input(z.object({}).optional())
    .output(z.object({ location: z.literal('/limits') }))
    .query(() => ({ location: '/limits' as const })),

  ping: accountProcedure
    .meta(
      op('GET /ping', 'Check that the service responds and the credential is valid', {
        answer: 'The service responds, and the credential is valid.',
      }),
    )
    .input(z.object({}).optional())
    .output(Ping)
    .query(({ ctx }) => ({ timestamp: Math.floor(ctx.core.now().getTime() / 1000) })),
});
