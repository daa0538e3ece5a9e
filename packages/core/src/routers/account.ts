import { Account, ClaimRequest, Deployment } from '@berth/contract';
import { z } from 'zod';
import { getAccount } from '../services/accounts/accounts.ts';
import { claimDeployment } from '../services/deployments/claims.ts';
import { accountProcedure, describeAs, router } from './trpc.ts';

const op = describeAs('Account');

/** The account of the credential. Source: api §6. */
export const account = router({
  get: accountProcedure
    .meta(op('GET /account', 'Read the account: plan, usage and caps', { answer: 'The account.' }))
    .input(z.object({}).optional())
    .output(Account)
    .query(({ ctx }) => getAccount(ctx)),

  claim: accountProcedure
    .meta(
      op('POST /account/claim', 'Claim an anonymous deployment', {
        answer: 'The deployment, which now belongs to the account.',
        description:
          'The deployment then belongs to the account and no longer expires. A repeated claim gets a 200 for the same account, and a 404 for every other one.',
        errors: {
          403: 'A cap of the plan is reached (deployments or storage). The deployment can still be claimed.',
          404: 'There is no such claim: it is unknown, has expired, or was used by another account.',
          429: 'Claims have an additional limit: 30 an hour by default.',
        },
      }),
    )
    .input(ClaimRequest)
    .output(Deployment)
    .mutation(({ ctx, input }) => claimDeployment(ctx, input.claim)),
});
