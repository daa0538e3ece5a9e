import { PlanList } from '@berth/contract';
import { z } from 'zod';
import { listPlans } from '../services/accounts/plans.ts';
import { describeAs, procedure, router } from './trpc.ts';

const op = describeAs('Platform');

/** The plans. Source: api §6. */
export const plans = router({
  list: procedure
    .meta(op('GET /plans', 'List the plans on sale, in display order', { answer: 'The plans.' }))
    .input(z.object({}).optional())
    .output(PlanList)
    .query(({ ctx }) => listPlans(ctx.core)),
});
