import { Account, ClaimRequest, Deployment } from '@berth/contract';
import { z } from 'zod';
import { getAccount } from '../services/accounts/accounts.ts';
import { claimDeployment } from '../services/deployments/claims.ts';
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
        successDescription: 'The account.',
      },
    })
    .input(z.object({}).optional())
    .output(Account)
    .query(({ ctx }) => getAccount(ctx)),

  claim: accountProcedure
    .meta({
      openapi: {
        method: 'POST',
        path: '/account/claim',
        summary: 'Take an anonymous deployment over, for good',
        description:
          'Repeating it is 200 again for the account that has claimed the deployment, and 404 for all others.',
        tags: ['Account'],
        successDescription: 'The deployment, which is now yours and stays.',
        errorResponses: {
          403: 'The account holds as many deployments, or as much storage, as its plan allows; the deployment stays claimable.',
          404: 'There is no such claim: it is unknown, has expired, or another account has used it.',
          429: 'Claims are counted besides: 30 an hour, unless the operator says otherwise.',
        },
      },
    })
    .input(ClaimRequest)
    .output(Deployment)
    .mutation(({ ctx, input }) => claimDeployment(ctx, input.claim)),
});
