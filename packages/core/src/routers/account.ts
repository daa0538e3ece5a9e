import { Account } from '@berth/contract';
import { z } from 'zod';
import { getAccount } from '../services/accounts.ts';
import { accountProcedure, router } from './trpc.ts';

/** The account of the credential. Source: service-api part 4. */
export const account = router({
  get: accountProcedure
    .meta({
      openapi: {
        method: 'GET',
        path: '/account',
        summary: 'Read the account: plan, usage and caps',
        tags: ['Account'],
        protect: true,
        errorResponses: [401, 403],
      },
    })
    .input(z.object({}).optional())
    .output(Account)
    .query(({ ctx }) => getAccount(ctx)),
});
