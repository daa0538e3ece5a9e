import { PlanList } from '@berth/contract';
import { listPlans } from '../services/accounts/plans.ts';
import { NoInput, operations, procedure, router } from './trpc.ts';

const publicOp = operations('Platform', procedure);

/** The plans. Source: api §6. */
export const plans = router({
  list: publicOp('GET /plans', 'List the plans on sale, in display order', { success: 'The plans.' })
    .input(NoInput)
    .output(PlanList)
    .query(({ ctx }) => listPlans(ctx.core)),
});
