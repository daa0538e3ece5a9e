import { LabelList } from '@berth/contract';
import { listLabels } from '../services/labels.ts';
import { accountProcedure, NoInput, operations, router } from './trpc.ts';

const op = operations('Account', accountProcedure);

/** The labels of the account. Source: api §6. */
export const labels = router({
  list: op('GET /labels', 'List the labels in use, most recently used first', { success: 'The labels.' })
    .input(NoInput)
    .output(LabelList)
    .query(({ ctx }) => listLabels(ctx)),
});
