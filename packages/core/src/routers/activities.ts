import { ActivityList, PageQuery } from '@berth/contract';
import { listActivities } from '../services/activities.ts';
import { accountProcedure, router } from './trpc.ts';

/** The audit log. Source: service-api part 4, contract §6. */
export const activities = router({
  list: accountProcedure
    .meta({
      openapi: {
        method: 'GET',
        path: '/activities',
        summary: 'List what happened in the account, newest first',
        tags: ['Account'],
        protect: true,
        errorResponses: [400, 401, 403],
      },
    })
    .input(PageQuery)
    .output(ActivityList)
    .query(({ ctx, input }) => listActivities(ctx, input)),
});
