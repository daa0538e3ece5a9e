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
        summary: 'Claim an anonymous deployment',
        description:
          'A repeated claim returns 200 for the account that claimed the deployment, and 404 for every other account.',
        tags: ['Account'],
        successDescription: 'The deployment, which now belongs to the account and does not expire.',
        errorResponses: {
          403: 'A cap of the plan is reached: deployments or storage. The deployment can still be claimed.',
          404: 'There is no such claim: it is unknown, has expired, or another account has used it.',
          429: 'Claims also have a separate limit: 30 per hour, unless the operator configures another one.',
        },
      },
    })
    .input(ClaimRequest)
    .output(Deployment)
    .mutation(({ ctx, input }) => claimDeployment(ctx, input.claim)),
});
