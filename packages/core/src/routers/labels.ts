import { LabelList } from '@berth/contract';
import { z } from 'zod';
import { listLabels } from '../services/labels.ts';
import { accountProcedure, describeAs, router } from './trpc.ts';

const op = describeAs('Account');

/** The labels of the account. Source: api §6. */
export const labels = router({
  list: accountProcedure
    .meta(op('GET /labels', 'List the labels in use, most recently used first', { answer: 'The labels.' }))
    .input(z.object({}).optional())
    .output(LabelList)
    .query(({ ctx }) => listLabels(ctx)),
});
