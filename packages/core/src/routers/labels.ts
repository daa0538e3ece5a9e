import { LabelList } from '@berth/contract';
import { z } from 'zod';
import { listLabels } from '../services/labels.ts';
import { accountProcedure, router } from './trpc.ts';

/** The labels of the account. Source: api §6. */
export const labels = router({
  list: accountProcedure
    .meta({
      openapi: {
        method: 'GET',
        path: '/labels',
        summary: 'List the labels in use, most recently used first',
        tags: ['Account'],
        successDescription: 'The labels.',
      },
    })
    .input(z.object({}).optional())
    .output(LabelList)
    .query(({ ctx }) => listLabels(ctx)),
});
