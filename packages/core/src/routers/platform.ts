import { Limits, Ping } from '@berth/contract';
import { z } from 'zod';
import { getLimits } from '../services/accounts/plans.ts';
import { accountProcedure, procedure, router } from './trpc.ts';

const tags = ['Platform'];

/** The limits and the settings of the platform, and its health check. Source: api §6. */
export const platform = router({
  limits: accountProcedure
    .meta({
      openapi: {
        method: 'GET',
        path: '/limits',
        summary: 'Read the limits of a deploy',
        tags,
        successDescription: 'The limits of the account’s plan.',
      },
    })
    .input(z.object({}).optional())
    .output(Limits)
    .query(({ ctx }) => getLimits(ctx)),

  config: procedure
    .meta({
      openapi: {
        method: 'GET',
        path: '/config',
        summary: 'Moved to /limits',
        description: 'For older command-line clients. Use `/limits` instead.',
        deprecated: true,
        tags,
      },
      status: 301,
      redirect: '/limits',
    })
    .input(z.object({}).optional())
    .output(z.object({ location: z.literal('/limits') }))
    .query(() => ({ location: '/limits' as const })),

  ping: accountProcedure
    .meta({
      openapi: {
        method: 'GET',
        path: '/ping',
        summary: 'Check that the service responds and the credential is valid',
        tags,
        successDescription: 'The service responds, and the credential is valid.',
      },
    })
    .input(z.object({}).optional())
    .output(Ping)
    .query(({ ctx }) => ({ timestamp: Math.floor(ctx.core.now().getTime() / 1000) })),
});
