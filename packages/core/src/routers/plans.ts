import { PlanList } from '@berth/contract';
import { z } from 'zod';
import { listPlans } from '../services/accounts/plans.ts';
import { procedure, router } from './trpc.ts';

/** The plans. Source: api §6. */
export const plans = router({
  list: procedure
    .meta({
      openapi: {
        method: 'GET',
        path: '/plans',
        summary: 'List the plans on sale, in display order',
        tags: ['Platform'],
        successDescription: 'The plans.',
      },
    })
    .input(z.object({}).optional())
    .output(PlanList)
    .query(({ ctx }) => listPlans(ctx.core)),
});
